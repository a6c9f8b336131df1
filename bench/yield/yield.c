/* libresonio_yield: lets MPICH (ch4:ucx) share its cores.
 *
 * MPICH polls without pause while it waits. With more ranks than cores a waiting rank then
 * burns the whole time slice that the rank it waits for needs, and every small message costs
 * milliseconds. A comparison against that measures the scheduler, not the file access. So
 * tests and benchmarks preload this library on both sides: a poll of UCX that found nothing
 * gives the core to whoever has work to do.
 *
 *   LD_PRELOAD=libresonio_yield.so mpiexec.mpich -n 8 ./program
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned progress_function(void* worker);

static int copy_path_of_ucp(struct dl_phdr_info* info, size_t size, void* path) {
  (void)size;
  const char* slash = strrchr(info->dlpi_name, '/');
  const char* file = slash ? slash + 1 : info->dlpi_name;
  if (strncmp(file, "libucp.so", 9) != 0) return 0;
  snprintf(path, PATH_MAX, "%s", info->dlpi_name);
  return 1;
}

static progress_function* find_progress(void) {
  void* found = dlsym(RTLD_NEXT, "ucp_worker_progress");
  /* Python loads MPI with RTLD_LOCAL, where RTLD_NEXT does not look. */
  char path[PATH_MAX] = "";
  if (!found && dl_iterate_phdr(copy_path_of_ucp, path)) {
    void* library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (library) found = dlsym(library, "ucp_worker_progress");
  }
  if (!found) {
    fputs("libresonio_yield: UCX's ucp_worker_progress was called but is not to be found\n",
          stderr);
    abort();
  }
  progress_function* function;
  memcpy(&function, &found, sizeof function); /* ISO C knows no cast from object to function */
  return function;
}

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  static progress_function* real;
  progress_function* progress = __atomic_load_n(&real, __ATOMIC_RELAXED);
  if (!progress) {
    progress = find_progress(); /* twice by two threads: the same answer */
    __atomic_store_n(&real, progress, __ATOMIC_RELAXED);
  }
  const unsigned done = progress(worker);
  if (done == 0) sched_yield();
  return done;
}
