/* What file access costs, in an MPI program that knows nothing of resonio.
 *
 *   mpiexec -n 4 ./interleaved FILE BLOCK BYTES REPETITIONS MODE...
 *
 * MODE   collective    blocks r, r + P, r + 2 P ... of BLOCK bytes belong to rank r; _at_all
 *        independent   the same view; _at
 *        contiguous    one part of the file for each rank, in the default view; _at_all
 *        blockio       the same parts; _at
 *        calls         one BLOCK after the other, each a call of its own; _at; contiguous parts
 *
 * BYTES is the size of the file. It is written once afresh (phase "create"), then overwritten
 * and read REPETITIONS times in turn, from a warm page cache. Every write is checked by plain
 * pread, every read in memory, outside of what is timed. One line of JSON for each phase: the
 * seconds of every repetition. */
#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  const char *path, *mode;
  long long block, bytes, share; /* share: bytes of one rank */
  int repetitions, rank, ranks, interleaved;
  MPI_File file;
  uint64_t* buffer;
} bench;

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "interleaved: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int is(const bench* b, const char* mode) { return strcmp(b->mode, mode) == 0; }

/* The eight bytes at word n of the file after the given write. */
static uint64_t word_at(uint64_t n, int version) {
  return (n + 1) * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)version;
}

/* The word of the file that is word i of the rank's data. */
static uint64_t place_of(const bench* b, uint64_t i) {
  const uint64_t rank = (uint64_t)b->rank;
  if (!b->interleaved) return rank * (uint64_t)b->share / 8 + i;
  const uint64_t words = (uint64_t)b->block / 8;
  return (i / words * (uint64_t)b->ranks + rank) * words + i % words;
}

static void fill(bench* b, int version) {
  for (uint64_t i = 0; i < (uint64_t)b->share / 8; ++i)
    b->buffer[i] = word_at(place_of(b, i), version);
}

static void check_memory(const bench* b, int version) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < (uint64_t)b->share / 8; ++i)
    wrong += b->buffer[i] != word_at(place_of(b, i), version);
  check(wrong == 0, "wrong bytes in memory after a read");
}

/* Each rank looks at one contiguous part of the file: together they see all of it. */
static void check_file(const bench* b, int version) {
  MPI_Barrier(MPI_COMM_WORLD);
  const int file = open(b->path, O_RDONLY);
  check(file >= 0, "cannot open the file for checking");
  const long long start = b->rank * b->share;
  uint64_t words[8192], wrong = 0;
  for (long long done = 0; done < b->share;) {
    const long long left = b->share - done;
    const size_t want = left < (long long)sizeof words ? (size_t)left : sizeof words;
    const ssize_t got = pread(file, words, want, start + done);
    check(got == (ssize_t)want, "the file is shorter than what was written");
    for (size_t i = 0; i < want / 8; ++i)
      wrong += words[i] != word_at((uint64_t)(start + done) / 8 + i, version);
    done += got;
  }
  close(file);
  check(wrong == 0, "wrong bytes in the file after a write");
}

static void access_once(const bench* b, int writing) {
  const MPI_Offset start = b->interleaved ? 0 : b->rank * b->share;
  const int count = (int)b->share;
  if (is(b, "calls")) {
    char* at = (char*)b->buffer;
    for (long long done = 0; done < b->share; done += b->block, at += b->block) {
      if (writing)
        MPI_File_write_at(b->file, start + done, at, (int)b->block, MPI_BYTE, MPI_STATUS_IGNORE);
      else MPI_File_read_at(b->file, start + done, at, (int)b->block, MPI_BYTE, MPI_STATUS_IGNORE);
    }
  } else if (is(b, "collective") || is(b, "contiguous")) {
    if (writing)
      MPI_File_write_at_all(b->file, start, b->buffer, count, MPI_BYTE, MPI_STATUS_IGNORE);
    else MPI_File_read_at_all(b->file, start, b->buffer, count, MPI_BYTE, MPI_STATUS_IGNORE);
  } else {
    if (writing) MPI_File_write_at(b->file, start, b->buffer, count, MPI_BYTE, MPI_STATUS_IGNORE);
    else MPI_File_read_at(b->file, start, b->buffer, count, MPI_BYTE, MPI_STATUS_IGNORE);
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* From the first rank that starts to the last that ends: ranks that share a core run in turn,
 * so no rank's own time is the whole. All ranks are on one machine, with one clock. */
static double timed(const bench* b, int writing) {
  MPI_Barrier(MPI_COMM_WORLD);
  double started = now();
  access_once(b, writing);
  double ended = now(), first, last;
  MPI_Allreduce(&started, &first, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&ended, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return last - first;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void report(const bench* b, const char* phase, double* seconds, int n) {
  if (b->rank != 0) return;
  printf(
      "{\"mode\": \"%s\", \"phase\": \"%s\", \"ranks\": %d, \"block\": %lld, \"bytes\": %lld, "
      "\"seconds\": [",
      b->mode, phase, b->ranks, b->block, b->bytes);
  for (int i = 0; i < n; ++i) printf("%s%.9f", i ? ", " : "", seconds[i]);
  qsort(seconds, (size_t)n, sizeof *seconds, by_value);
  const double megabytes = (double)b->bytes / 1e6;
  printf("], \"mb_per_s\": {\"min\": %.1f, \"median\": %.1f, \"max\": %.1f}}\n",
         megabytes / seconds[n - 1], megabytes / seconds[n / 2], megabytes / seconds[0]);
}

static void set_interleaved_view(const bench* b) {
  MPI_Datatype block, view;
  MPI_Type_contiguous((int)b->block, MPI_BYTE, &block);
  MPI_Type_create_resized(block, 0, b->block * b->ranks, &view);
  MPI_Type_commit(&view);
  MPI_File_set_view(b->file, b->rank * b->block, MPI_BYTE, view, "native", MPI_INFO_NULL);
  MPI_Type_free(&view);
  MPI_Type_free(&block);
}

static bench bench_from(int argc, char** argv) {
  check(argc >= 6, "usage: interleaved FILE BLOCK BYTES REPETITIONS MODE...");
  bench b = {.path = argv[1],
             .block = strtoll(argv[2], NULL, 10),
             .bytes = strtoll(argv[3], NULL, 10),
             .repetitions = (int)strtol(argv[4], NULL, 10)};
  MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &b.ranks);
  check(b.block > 0 && b.block % 8 == 0, "BLOCK is a multiple of 8");
  check(b.bytes > 0 && b.bytes % (b.block * b.ranks) == 0, "BYTES is a multiple of P blocks");
  check(b.repetitions > 0, "REPETITIONS is greater than 0");
  b.share = b.bytes / b.ranks;
  b.buffer = malloc((size_t)b.share);
  check(b.buffer != NULL, "no memory");
  return b;
}

static void choose_mode(bench* b, const char* mode) {
  b->mode = mode;
  b->interleaved = is(b, "collective") || is(b, "independent");
  check(b->interleaved || is(b, "contiguous") || is(b, "blockio") || is(b, "calls"),
        "MODE is collective, independent, contiguous, blockio or calls");
}

static void open_fresh_file(bench* b) {
  if (b->rank == 0) unlink(b->path);
  MPI_Barrier(MPI_COMM_WORLD);
  check(MPI_File_open(MPI_COMM_WORLD, b->path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &b->file) == MPI_SUCCESS,
        "cannot open the file");
  MPI_File_set_errhandler(b->file, MPI_ERRORS_ARE_FATAL);
  if (b->interleaved) set_interleaved_view(b);
}

static void run(bench* b, double* writes, double* reads) {
  open_fresh_file(b);
  fill(b, 0);
  double create = timed(b, 1);
  check_file(b, 0);
  for (int i = 0; i < b->repetitions; ++i) {
    fill(b, i + 1);
    writes[i] = timed(b, 1);
    check_file(b, i + 1);
    memset(b->buffer, 0xFF, (size_t)b->share);
    reads[i] = timed(b, 0);
    check_memory(b, i + 1);
  }
  MPI_File_close(&b->file);
  report(b, "create", &create, 1);
  report(b, "write", writes, b->repetitions);
  report(b, "read", reads, b->repetitions);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bench b = bench_from(argc, argv);
  double* writes = calloc((size_t)b.repetitions, sizeof *writes);
  double* reads = calloc((size_t)b.repetitions, sizeof *reads);
  check(writes && reads, "no memory");
  for (int i = 5; i < argc; ++i) {
    choose_mode(&b, argv[i]);
    run(&b, writes, reads);
  }
  if (b.rank == 0) unlink(b.path);
  free(reads);
  free(writes);
  free(b.buffer);
  MPI_Finalize();
  return 0;
}
