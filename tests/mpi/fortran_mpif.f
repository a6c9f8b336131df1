C     mpif.h, fixed form: open, view, collective write and read, seek,
C     a Fortran error handler, close.   fortran_mpif   (any ranks)
      subroutine count_error(file, code)
      implicit none
      integer file, code
      integer calls, lastfile, lastcode
      common /seen/ calls, lastfile, lastcode
      calls = calls + 1
      lastfile = file
      lastcode = code
      end

      program fortran_mpif
      implicit none
      include 'mpif.h'
      external count_error
      integer calls, lastfile, lastcode
      common /seen/ calls, lastfile, lastcode
      integer n
      parameter (n = 100)
      integer ierr, rank, nproc, file, i, ftype, failures, total
      integer values(n), back(n), status(MPI_STATUS_SIZE), cnt
      integer handler, class, info, length
      integer(kind=MPI_OFFSET_KIND) disp, offset, fsize
      character*(MPI_MAX_ERROR_STRING) text
      character*64 value
      logical found

      failures = 0
      calls = 0
      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      call MPI_Comm_size(MPI_COMM_WORLD, nproc, ierr)
      call MPI_File_open(MPI_COMM_WORLD, 'fortran_mpif.dat',
     &     MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, ierr)
      call expect(ierr .eq. MPI_SUCCESS, 'open', failures)
      call MPI_File_get_info(file, info, ierr)
      call MPI_Info_get(info, 'resonio_strategy', 63, value, found,
     &     ierr)
      call expect(found, 'resonio is not active', failures)
      call MPI_Info_free(info, ierr)

      call MPI_Type_vector(n, 1, nproc, MPI_INTEGER, ftype, ierr)
      call MPI_Type_commit(ftype, ierr)
      disp = 4 * rank
      call MPI_File_set_view(file, disp, MPI_INTEGER, ftype, 'native',
     &     MPI_INFO_NULL, ierr)
      call expect(ierr .eq. MPI_SUCCESS, 'set_view', failures)
      do i = 1, n
        values(i) = 1000 * rank + i
      end do
      call MPI_File_write_all(file, values, n, MPI_INTEGER, status,
     &     ierr)
      call MPI_Get_count(status, MPI_INTEGER, cnt, ierr)
      call expect(cnt .eq. n, 'write_all count', failures)
      call MPI_File_sync(file, ierr)
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      call MPI_File_get_size(file, fsize, ierr)
      call expect(fsize .eq. 4 * n * nproc, 'size', failures)
      offset = 10
      call MPI_File_seek(file, offset, MPI_SEEK_SET, ierr)
      call MPI_File_read_all(file, back, n - 10, MPI_INTEGER, status,
     &     ierr)
      call MPI_Get_count(status, MPI_INTEGER, cnt, ierr)
      call expect(cnt .eq. n - 10, 'read_all count', failures)
      do i = 1, n - 10
        call expect(back(i) .eq. values(i + 10), 'data', failures)
      end do
      call MPI_File_get_position(file, offset, ierr)
      call expect(offset .eq. n, 'position', failures)

      call MPI_File_create_errhandler(count_error, handler, ierr)
      call MPI_File_set_errhandler(file, handler, ierr)
      call expect(ierr .eq. MPI_SUCCESS, 'set_errhandler', failures)
      offset = -1
      call MPI_File_seek(file, offset, MPI_SEEK_SET, ierr)
      call expect(calls .eq. 1, 'handler was called', failures)
      call expect(lastfile .eq. file, 'handler: file', failures)
      call expect(lastcode .eq. ierr, 'handler: code', failures)
      call MPI_Error_class(ierr, class, i)
      call expect(class .eq. MPI_ERR_ARG, 'class', failures)
      call MPI_Error_string(ierr, text, length, i)
      call expect(index(text, 'MPI_File_seek') .gt. 0, 'text',
     &     failures)
      call MPI_Errhandler_free(handler, ierr)
      call MPI_Type_free(ftype, ierr)
      call MPI_File_close(file, ierr)
      call expect(file .eq. MPI_FILE_NULL, 'close', failures)
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      if (rank .eq. 0) then
        call MPI_File_delete('fortran_mpif.dat', MPI_INFO_NULL, ierr)
        call expect(ierr .eq. MPI_SUCCESS, 'delete', failures)
      end if
      call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM,
     &     MPI_COMM_WORLD, ierr)
      call MPI_Finalize(ierr)
      if (rank .eq. 0) print *, 'fortran_mpif:', total, ' failures'
      if (total .ne. 0) call exit(1)
      end

      subroutine expect(condition, what, failures)
      implicit none
      logical condition
      character*(*) what
      integer failures
      if (.not. condition) then
        failures = failures + 1
        print *, 'failed: ', what
      end if
      end
