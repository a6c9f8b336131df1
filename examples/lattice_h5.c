/* A 4-D lattice field in parallel HDF5, as lattice QCD programs write it.
 *
 *   mpiexec -n 4 ./lattice_h5 FILE [X Y Z T BYTES_PER_SITE STEPS]
 *
 * Each of STEPS data sets is an array [T][Z][Y][X] of sites, x fastest, and a site is a record
 * of complex numbers. The processes form a 4-D grid and each writes its block of every step by
 * one collective hyperslab write; then the file is reopened, each process reads the block of
 * the next one (as after a restart on other processes), and checks every number. Nothing here
 * knows of resonio. The contents depend on the sizes only, not on the number of processes. */
#include <hdf5.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { X, Y, Z, T, AXES };

typedef struct {
  double re, im;
} complex_number;

typedef struct {
  hsize_t size[AXES]; /* of the whole lattice */
  int grid[AXES];     /* processes along each axis */
  int components;     /* complex numbers on a site */
  int steps;
} lattice;

typedef struct {
  hsize_t start[AXES], count[AXES];
} block;

typedef struct {
  double open, transfer, close;
} seconds;

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "lattice_h5: %s failed\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static lattice lattice_from(int argc, char** argv, int ranks) {
  long number[6] = {24, 24, 24, 16, 576, 2};
  check(argc == 2 || argc == 8, "usage: lattice_h5 FILE [X Y Z T BYTES_PER_SITE STEPS]:");
  for (int i = 2; i < argc; ++i) number[i - 2] = strtol(argv[i], NULL, 10);
  for (int i = 0; i < 6; ++i) check(number[i] > 0, "sizes greater than zero:");
  check(number[4] % (long)sizeof(complex_number) == 0, "a site of 16-byte complex numbers:");

  lattice all = {.components = (int)(number[4] / (long)sizeof(complex_number)),
                 .steps = (int)number[5]};
  for (int axis = 0; axis < AXES; ++axis) all.size[axis] = (hsize_t)number[axis];
  MPI_Dims_create(ranks, AXES, all.grid);
  return all;
}

/* The part of the lattice that a process owns; what does not divide evenly is spread. */
static block block_of(const lattice* all, int rank) {
  block mine;
  for (int axis = 0; axis < AXES; ++axis) {
    const hsize_t parts = (hsize_t)all->grid[axis];
    const hsize_t place = (hsize_t)rank % parts;
    mine.start[axis] = all->size[axis] * place / parts;
    mine.count[axis] = all->size[axis] * (place + 1) / parts - mine.start[axis];
    rank /= all->grid[axis];
  }
  return mine;
}

static size_t sites_of(const block* b) {
  return (size_t)(b->count[X] * b->count[Y] * b->count[Z] * b->count[T]);
}

static complex_number value_at(const lattice* all, int step, hsize_t site, int component) {
  const double n = (double)(site * (hsize_t)all->components) + component;
  return (complex_number){n + 0.25 * step, -0.5 * n};
}

/* The site's number in the whole lattice, for the i-th site of the block. */
static hsize_t site_at(const lattice* all, const block* b, size_t i) {
  hsize_t at[AXES];
  for (int axis = 0; axis < AXES; ++axis) {
    at[axis] = b->start[axis] + i % b->count[axis];
    i /= b->count[axis];
  }
  return ((at[T] * all->size[Z] + at[Z]) * all->size[Y] + at[Y]) * all->size[X] + at[X];
}

static void fill(const lattice* all, const block* b, int step, complex_number* field) {
  for (size_t i = 0; i < sites_of(b); ++i) {
    const hsize_t site = site_at(all, b, i);
    for (int c = 0; c < all->components; ++c) *field++ = value_at(all, step, site, c);
  }
}

static long wrong_numbers(const lattice* all, const block* b, int step,
                          const complex_number* field) {
  long wrong = 0;
  for (size_t i = 0; i < sites_of(b); ++i) {
    const hsize_t site = site_at(all, b, i);
    for (int c = 0; c < all->components; ++c, ++field) {
      const complex_number right = value_at(all, step, site, c);
      wrong += !(field->re == right.re && field->im == right.im);
    }
  }
  return wrong;
}

static hid_t site_type(int components) {
  hid_t number = H5Tcreate(H5T_COMPOUND, sizeof(complex_number));
  H5Tinsert(number, "re", HOFFSET(complex_number, re), H5T_NATIVE_DOUBLE);
  H5Tinsert(number, "im", HOFFSET(complex_number, im), H5T_NATIVE_DOUBLE);
  const hsize_t extent = (hsize_t)components;
  hid_t site = H5Tarray_create2(number, 1, &extent);
  H5Tclose(number);
  return site;
}

static void select_block(hid_t space, const block* b) {
  const hsize_t start[AXES] = {b->start[T], b->start[Z], b->start[Y], b->start[X]};
  const hsize_t count[AXES] = {b->count[T], b->count[Z], b->count[Y], b->count[X]};
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0, "hyperslab");
}

/* No times and no fill values in the file, and all space allocated when a set is created: so
 * the bytes of the file depend on the numbers written only. */
static hid_t create_set(hid_t file, const lattice* all, const char* name, hid_t type) {
  const hsize_t extent[AXES] = {all->size[T], all->size[Z], all->size[Y], all->size[X]};
  hid_t space = H5Screate_simple(AXES, extent, NULL);
  hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(properties, 0);
  H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
  hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Pclose(properties);
  H5Sclose(space);
  return set;
}

/* Writes or reads one step of one block, collectively, and makes sure that it was that. */
static void transfer_step(hid_t file, const lattice* all, const block* b, int step, int writing,
                          complex_number* field) {
  char name[32];
  snprintf(name, sizeof name, "step%04d", step);
  hid_t type = site_type(all->components);
  hid_t set = writing ? create_set(file, all, name, type) : H5Dopen2(file, name, H5P_DEFAULT);
  check(set >= 0, "data set");
  hid_t file_space = H5Dget_space(set);
  select_block(file_space, b);
  const hsize_t sites = sites_of(b);
  hid_t memory_space = H5Screate_simple(1, &sites, NULL);
  hid_t properties = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_dxpl_mpio(properties, H5FD_MPIO_COLLECTIVE);

  const herr_t status = writing ? H5Dwrite(set, type, memory_space, file_space, properties, field)
                                : H5Dread(set, type, memory_space, file_space, properties, field);
  check(status >= 0, writing ? "H5Dwrite" : "H5Dread");
  H5D_mpio_actual_io_mode_t mode;
  H5Pget_mpio_actual_io_mode(properties, &mode);
  check(mode == H5D_MPIO_CONTIGUOUS_COLLECTIVE, "collective I/O in HDF5");

  H5Pclose(properties);
  H5Sclose(memory_space);
  H5Sclose(file_space);
  H5Dclose(set);
  H5Tclose(type);
}

/* Opens the file, moves all steps of the block, closes the file. */
static seconds transfer_file(const char* path, const lattice* all, const block* b, int writing,
                             complex_number* fields) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);

  MPI_Barrier(MPI_COMM_WORLD);
  const double started = MPI_Wtime();
  hid_t file = writing ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                       : H5Fopen(path, H5F_ACC_RDONLY, access);
  check(file >= 0, "opening the file");
  const double opened = MPI_Wtime();
  const size_t numbers = sites_of(b) * (size_t)all->components;
  for (int step = 0; step < all->steps; ++step)
    transfer_step(file, all, b, step, writing, fields + numbers * (size_t)step);
  const double transferred = MPI_Wtime();
  check(H5Fclose(file) >= 0, "H5Fclose");
  const double closed = MPI_Wtime();
  H5Pclose(access);

  seconds mine = {opened - started, transferred - opened, closed - transferred}, slowest;
  MPI_Allreduce(&mine, &slowest, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static double total(seconds s) { return s.open + s.transfer + s.close; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const lattice all = lattice_from(argc, argv, ranks);
  const block mine = block_of(&all, rank);
  const block next = block_of(&all, (rank + 1) % ranks);
  const size_t numbers = (sites_of(&mine) > sites_of(&next) ? sites_of(&mine) : sites_of(&next)) *
                         (size_t)all.components * (size_t)all.steps;
  complex_number* fields = malloc(numbers * sizeof *fields);
  check(fields != NULL, "memory");

  const size_t mine_numbers = sites_of(&mine) * (size_t)all.components;
  for (int step = 0; step < all.steps; ++step)
    fill(&all, &mine, step, fields + mine_numbers * (size_t)step);
  const seconds writing = transfer_file(argv[1], &all, &mine, 1, fields);

  for (size_t i = 0; i < numbers; ++i) fields[i] = (complex_number){NAN, NAN};
  const seconds reading = transfer_file(argv[1], &all, &next, 0, fields);
  const size_t next_numbers = sites_of(&next) * (size_t)all.components;
  long wrong = 0, wrong_anywhere;
  for (int step = 0; step < all.steps; ++step)
    wrong += wrong_numbers(&all, &next, step, fields + next_numbers * (size_t)step);
  MPI_Allreduce(&wrong, &wrong_anywhere, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);

  const double bytes = (double)(all.size[X] * all.size[Y] * all.size[Z] * all.size[T]) *
                       all.components * (double)sizeof(complex_number) * all.steps;
  if (rank == 0)
    printf(
        "{\"program\": \"lattice_h5\", \"ranks\": %d, \"bytes\": %.0f, \"wrong\": %ld, "
        "\"write_seconds\": %.6f, \"write_transfer_seconds\": %.6f, "
        "\"read_seconds\": %.6f, \"read_transfer_seconds\": %.6f}\n",
        ranks, bytes, wrong_anywhere, total(writing), writing.transfer, total(reading),
        reading.transfer);
  free(fields);
  MPI_Finalize();
  return wrong_anywhere ? 1 : 0;
}
