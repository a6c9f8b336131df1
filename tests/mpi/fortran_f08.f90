! use mpi_f08: handles are types, the last argument is optional.
module handlers
  use mpi_f08
  implicit none
  integer :: calls = 0, last_code = -1
  type(MPI_File) :: last_file
contains
  subroutine count_error(file, code)
    type(MPI_File) :: file
    integer :: code
    calls = calls + 1
    last_file = file
    last_code = code
  end subroutine
end module

program fortran_f08
  use mpi_f08
  use handlers
  implicit none
  integer, parameter :: n = 100
  integer :: ierr, rank, nproc, i, failures = 0, total, count, class, length
  type(MPI_File) :: file
  type(MPI_Datatype) :: filetype, etype, got
  type(MPI_Status) :: status
  type(MPI_Errhandler) :: handler
  type(MPI_Info) :: info
  type(MPI_Group) :: group
  integer :: values(n), back(n)
  integer(kind=MPI_OFFSET_KIND) :: disp, offset
  character(len=MPI_MAX_ERROR_STRING) :: text
  character(len=MPI_MAX_DATAREP_STRING) :: datarep
  character(len=64) :: value
  logical :: found

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc)
  call MPI_File_open(MPI_COMM_WORLD, 'fortran_f08.dat', MPI_MODE_CREATE + MPI_MODE_RDWR, &
                     MPI_INFO_NULL, file, ierr)
  call expect(ierr == MPI_SUCCESS, 'open')
  call MPI_File_get_info(file, info)
  call MPI_Info_get(info, 'resonio_strategy', 63, value, found)
  call expect(found, 'resonio is not active')
  call MPI_Info_free(info)
  call MPI_File_get_group(file, group)
  call MPI_Group_size(group, i)
  call expect(i == nproc, 'group')
  call MPI_Group_free(group)

  call MPI_Type_vector(n, 1, nproc, MPI_INTEGER, filetype)
  call MPI_Type_commit(filetype)
  disp = 4 * rank
  call MPI_File_set_view(file, disp, MPI_INTEGER, filetype, 'native', MPI_INFO_NULL)
  call MPI_File_get_view(file, offset, etype, got, datarep)
  call expect(offset == disp .and. etype == MPI_INTEGER .and. datarep == 'native', 'get_view')
  call MPI_Type_free(got)
  values = [(1000 * rank + i, i = 1, n)]
  call MPI_File_write_all(file, values, n, MPI_INTEGER, status)
  call MPI_Get_count(status, MPI_INTEGER, count)
  call expect(count == n, 'write_all count')
  call MPI_Barrier(MPI_COMM_WORLD)
  offset = 20
  call MPI_File_seek(file, offset, MPI_SEEK_SET)
  call MPI_File_read_all(file, back, n - 20, MPI_INTEGER, status)
  call expect(all(back(1:n - 20) == values(21:n)), 'read_all')

  call MPI_File_create_errhandler(count_error, handler)
  call MPI_File_set_errhandler(file, handler)
  offset = -1
  call MPI_File_read_at(file, offset, back, 1, MPI_INTEGER, status, ierr)
  call expect(calls == 1, 'handler was called')
  call expect(last_file == file, 'handler: file')
  call expect(last_code == ierr, 'handler: code')
  call MPI_Error_class(ierr, class)
  call expect(class == MPI_ERR_ARG, 'class')
  call MPI_Error_string(ierr, text, length)
  call expect(index(text, 'MPI_File_read_at') > 0, 'text')
  call MPI_Errhandler_free(handler)
  call MPI_Type_free(filetype)
  call MPI_File_close(file)
  call expect(file == MPI_FILE_NULL, 'close')
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) call MPI_File_delete('fortran_f08.dat', MPI_INFO_NULL)
  call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  if (rank == 0) print *, 'fortran_f08:', total, ' failures'
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
