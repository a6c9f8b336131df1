! use mpi: subarrays of doubles, seek from the end, error handlers, a missing file.
module handlers
  implicit none
  integer :: calls = 0, last_file = -1, last_code = -1
contains
  subroutine count_error(file, code)
    integer :: file, code
    calls = calls + 1
    last_file = file
    last_code = code
  end subroutine
end module

program fortran_mpi
  use mpi
  use handlers
  implicit none
  integer, parameter :: n = 100
  integer :: ierr, rank, nproc, file, i, filetype, failures = 0, total
  integer :: status(MPI_STATUS_SIZE), count, handler, class, info, length, amode
  double precision :: values(n), back(n)
  integer(kind=MPI_OFFSET_KIND) :: disp, offset
  character(len=MPI_MAX_ERROR_STRING) :: text
  character(len=64) :: value
  logical :: found, atomic

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc, ierr)
  call MPI_File_open(MPI_COMM_WORLD, 'fortran_mpi.dat', MPI_MODE_CREATE + MPI_MODE_RDWR, &
                     MPI_INFO_NULL, file, ierr)
  call expect(ierr == MPI_SUCCESS, 'open')
  call MPI_File_get_info(file, info, ierr)
  call MPI_Info_get(info, 'resonio_strategy', 63, value, found, ierr)
  call expect(found, 'resonio is not active')
  call MPI_Info_free(info, ierr)
  call MPI_File_get_amode(file, amode, ierr)
  call expect(amode == MPI_MODE_CREATE + MPI_MODE_RDWR, 'amode')
  call MPI_File_get_atomicity(file, atomic, ierr)
  call expect(.not. atomic, 'atomicity')

  call MPI_Type_create_subarray(2, [nproc, n], [1, n], [rank, 0], MPI_ORDER_FORTRAN, &
                                MPI_DOUBLE_PRECISION, filetype, ierr)
  call MPI_Type_commit(filetype, ierr)
  disp = 0
  call MPI_File_set_view(file, disp, MPI_DOUBLE_PRECISION, filetype, 'native', MPI_INFO_NULL, ierr)
  call expect(ierr == MPI_SUCCESS, 'set_view')
  values = [(1000d0 * rank + i, i = 1, n)]
  call MPI_File_write_all(file, values, n, MPI_DOUBLE_PRECISION, status, ierr)
  call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierr)
  call expect(count == n, 'write_all count')
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  offset = 7
  call MPI_File_read_at_all(file, offset, back, n - 7, MPI_DOUBLE_PRECISION, status, ierr)
  call expect(all(back(1:n - 7) == values(8:n)), 'read_at_all')
  offset = -3
  call MPI_File_seek(file, offset, MPI_SEEK_END, ierr)
  call MPI_File_read(file, back, 3, MPI_DOUBLE_PRECISION, status, ierr)
  call expect(all(back(1:3) == values(n - 2:n)), 'read behind seek from the end')

  call MPI_File_create_errhandler(count_error, handler, ierr)
  call MPI_File_set_errhandler(file, handler, ierr)
  offset = -1
  call MPI_File_write_at(file, offset, values, 1, MPI_DOUBLE_PRECISION, status, ierr)
  call expect(calls == 1, 'handler was called')
  call expect(last_file == file, 'handler: file')
  call expect(last_code == ierr, 'handler: code')
  call MPI_Error_class(ierr, class, i)
  call expect(class == MPI_ERR_ARG, 'class')
  call MPI_Error_string(ierr, text, length, i)
  call expect(index(text, 'MPI_File_write_at') > 0, 'text')
  call MPI_File_call_errhandler(file, MPI_ERR_QUOTA, ierr)
  call expect(calls == 2 .and. last_code == MPI_ERR_QUOTA, 'call_errhandler')
  call MPI_Errhandler_free(handler, ierr)
  call MPI_Type_free(filetype, ierr)
  call MPI_File_close(file, ierr)
  call expect(file == MPI_FILE_NULL, 'close')
  call MPI_File_open(MPI_COMM_WORLD, 'no/such/file', MPI_MODE_RDONLY, MPI_INFO_NULL, file, ierr)
  call MPI_Error_class(ierr, class, i)
  call expect(class == MPI_ERR_NO_SUCH_FILE, 'missing file')
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 0) call MPI_File_delete('fortran_mpi.dat', MPI_INFO_NULL, ierr)
  call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
  if (rank == 0) print *, 'fortran_mpi:', total, ' failures'
  if (total /= 0) stop 1
contains
  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    failures = failures + 1
    print *, 'failed: ', what
  end subroutine
end program
