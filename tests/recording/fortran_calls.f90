! SPDX-License-Identifier: Apache-2.0
! Every call of MPI that a Fortran program may make in a recording, in the order of fortran_twin.c.
subroutine requests(rank, ranks, left, right)
  use mpi
  implicit none
  integer, intent(in) :: rank, ranks, left, right
  integer :: error, at, number, one, status(MPI_STATUS_SIZE), r(6), places(6), all(MPI_STATUS_SIZE, 6)
  logical :: flag
  double precision :: out(100), in(100, 6)
  out = rank
  do at = 1, 3
    call mpi_irecv(in(1, at), 10, MPI_DOUBLE_PRECISION, left, 19 + at, MPI_COMM_WORLD, r(at), error)
  end do
  call mpi_isend(out, 10, MPI_DOUBLE_PRECISION, right, 20, MPI_COMM_WORLD, r(4), error)
  call mpi_issend(out, 10, MPI_DOUBLE_PRECISION, right, 21, MPI_COMM_WORLD, r(5), error)
  call mpi_irsend(out, 10, MPI_DOUBLE_PRECISION, right, 22, MPI_COMM_WORLD, r(6), error)
  call mpi_waitall(6, r, MPI_STATUSES_IGNORE, error)
  if (in(10, 3) /= left .or. any(r /= MPI_REQUEST_NULL)) call mpi_abort(MPI_COMM_WORLD, 1, error)
  ! One at a time.
  do at = 1, 4
    call mpi_irecv(in(1, at), 4, MPI_INTEGER, left, 29 + at, MPI_COMM_WORLD, r(at), error)
  end do
  do at = 1, 4
    call mpi_ssend(out, 4, MPI_INTEGER, right, 29 + at, MPI_COMM_WORLD, error)
  end do
  call mpi_waitany(4, r, one, status, error)
  if (one < 1 .or. one > 4 .or. status(MPI_SOURCE) /= left) call mpi_abort(MPI_COMM_WORLD, 2, error)
  if (r(one) /= MPI_REQUEST_NULL) call mpi_abort(MPI_COMM_WORLD, 3, error)
  flag = .false.
  do while (.not. flag)
    call mpi_testany(4, r, one, flag, MPI_STATUS_IGNORE, error)
  end do
  call mpi_waitsome(4, r, number, places, all, error)
  if (number < 1 .or. places(1) < 1) call mpi_abort(MPI_COMM_WORLD, 4, error)
  call mpi_testsome(4, r, number, places, MPI_STATUSES_IGNORE, error)
  flag = .false.
  do while (.not. flag)
    call mpi_testall(4, r, flag, MPI_STATUSES_IGNORE, error)
  end do
  ! Persistent ones, twice.
  call mpi_recv_init(in, 7, MPI_INTEGER, left, 40, MPI_COMM_WORLD, r(1), error)
  call mpi_send_init(out, 7, MPI_INTEGER, right, 40, MPI_COMM_WORLD, r(2), error)
  call mpi_recv_init(in(1, 2), 7, MPI_INTEGER, left, 41, MPI_COMM_WORLD, r(3), error)
  call mpi_ssend_init(out, 7, MPI_INTEGER, right, 41, MPI_COMM_WORLD, r(4), error)
  do at = 1, 2
    call mpi_startall(2, r, error)
    call mpi_start(r(3), error)
    call mpi_start(r(4), error)
    call mpi_waitall(4, r, all, error)
  end do
  call mpi_rsend_init(out, 7, MPI_INTEGER, right, 44, MPI_COMM_WORLD, r(5), error)
  do at = 1, 5
    call mpi_request_free(r(at), error)
  end do
  if (any(r(1:5) /= MPI_REQUEST_NULL)) call mpi_abort(MPI_COMM_WORLD, 5, error)
  ! Taken back, asked for, and tested.
  call mpi_irecv(in, 1, MPI_INTEGER, left, 42, MPI_COMM_WORLD, r(1), error)
  call mpi_cancel(r(1), error)
  call mpi_wait(r(1), MPI_STATUS_IGNORE, error)
  call mpi_isend(out, 1, MPI_INTEGER, right, 43, MPI_COMM_WORLD, r(1), error)
  call mpi_probe(MPI_ANY_SOURCE, 43, MPI_COMM_WORLD, status, error)
  if (status(MPI_SOURCE) /= left .or. status(MPI_TAG) /= 43) call mpi_abort(MPI_COMM_WORLD, 6, error)
  flag = .false.
  do while (.not. flag)
    call mpi_iprobe(left, 43, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, error)
  end do
  call mpi_recv(in, 1, MPI_INTEGER, left, 43, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  flag = .false.
  do while (.not. flag)
    call mpi_request_get_status(r(1), flag, MPI_STATUS_IGNORE, error)
  end do
  flag = .false.
  do while (.not. flag)
    call mpi_test(r(1), flag, status, error)
  end do
end subroutine

subroutine collectives(rank, ranks)
  use mpi
  implicit none
  integer, intent(in) :: rank, ranks
  integer :: error, at, grid, row, half, group, some, copy, counts(64), places(64), out(4096), in(4096)
  logical :: keeps(2)
  out = rank
  counts = 2
  do at = 1, 64
    places(at) = 2 * (at - 1)
  end do
  call mpi_barrier(MPI_COMM_WORLD, error)
  in(1) = rank
  call mpi_bcast(in, 9, MPI_INTEGER, 2, MPI_COMM_WORLD, error)
  if (in(1) /= 2) call mpi_abort(MPI_COMM_WORLD, 10, error)
  call mpi_reduce(out, in, 3, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD, error)
  if (rank == 1 .and. in(3) /= ranks * (ranks - 1) / 2) call mpi_abort(MPI_COMM_WORLD, 11, error)
  call mpi_allreduce(out, in, 4, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error)
  in(1) = rank
  call mpi_allreduce(MPI_IN_PLACE, in, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (in(1) /= ranks * (ranks - 1) / 2) call mpi_abort(MPI_COMM_WORLD, 12, error)
  call mpi_scan(out, in, 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call mpi_exscan(out, in, 6, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call mpi_reduce_scatter_block(out, in, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call mpi_reduce_scatter(out, in, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call mpi_alltoall(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, MPI_COMM_WORLD, error)
  if (in(4) /= 1) call mpi_abort(MPI_COMM_WORLD, 13, error)
  call mpi_allgather(out, 4, MPI_INTEGER, in, 4, MPI_INTEGER, MPI_COMM_WORLD, error)
  call mpi_gather(out, 5, MPI_INTEGER, in, 5, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
  call mpi_scatter(out, 6, MPI_INTEGER, in, 6, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
  call mpi_gatherv(out, 2, MPI_INTEGER, in, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call mpi_scatterv(out, counts, places, MPI_INTEGER, in, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call mpi_allgatherv(out, 2, MPI_INTEGER, in, counts, places, MPI_INTEGER, MPI_COMM_WORLD, error)
  if (in(2 * ranks) /= ranks - 1) call mpi_abort(MPI_COMM_WORLD, 14, error)
  call mpi_alltoallv(out, counts, places, MPI_INTEGER, in, counts, places, MPI_INTEGER, MPI_COMM_WORLD, error)
  ! Communicators, each with an operation of its own.
  call mpi_comm_dup(MPI_COMM_WORLD, copy, error)
  call mpi_bcast(out, 1, MPI_INTEGER, 0, copy, error)
  call mpi_comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, error)
  call mpi_bcast(out, 2, MPI_INTEGER, 1, half, error)
  call mpi_comm_group(MPI_COMM_WORLD, group, error)
  call mpi_comm_create(MPI_COMM_WORLD, group, some, error)
  call mpi_bcast(out, 3, MPI_INTEGER, 3, some, error)
  call mpi_cart_create(MPI_COMM_WORLD, 2, (/ 2, ranks / 2 /), (/ .true., .false. /), .false., grid, error)
  keeps = (/ .false., .true. /)
  call mpi_cart_sub(grid, keeps, row, error)
  call mpi_bcast(out, 4, MPI_INTEGER, 0, row, error)
  call mpi_comm_free(row, error)
  call mpi_comm_free(half, error)
  if (half /= MPI_COMM_NULL) call mpi_abort(MPI_COMM_WORLD, 15, error)
end subroutine

program fortran_calls
  use mpi
  implicit none
  integer :: error, rank, ranks, left, right, provided, size, request, status(MPI_STATUS_SIZE)
  integer :: out(100), in(100)
  integer(kind=8) :: buffer(4096)
  character(len=10) :: word
  if (command_argument_count() > 0) then
    call mpi_init_thread(MPI_THREAD_SINGLE, provided, error)
  else
    call mpi_init(error)
  end if
  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, error)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  if (mpi_wtime() < 0) call mpi_abort(MPI_COMM_WORLD, 20, error)
  call mpi_irecv(in, 100, MPI_INTEGER, left, 1, MPI_COMM_WORLD, request, error)
  call mpi_send(out, 100, MPI_INTEGER, right, 1, MPI_COMM_WORLD, error)
  call mpi_wait(request, status, error)
  call mpi_irecv(in, 100, MPI_INTEGER, left, 2, MPI_COMM_WORLD, request, error)
  call mpi_rsend(out, 100, MPI_INTEGER, right, 2, MPI_COMM_WORLD, error)
  call mpi_wait(request, MPI_STATUS_IGNORE, error)
  call mpi_buffer_attach(buffer, 8 * 4096, error)
  call mpi_bsend(out, 3, MPI_INTEGER, right, 10, MPI_COMM_WORLD, error)
  call mpi_ibsend(out, 5, MPI_INTEGER, right, 11, MPI_COMM_WORLD, request, error)
  call mpi_recv(in, 3, MPI_INTEGER, left, 10, MPI_COMM_WORLD, status, error)
  call mpi_recv(in, 5, MPI_INTEGER, left, 11, MPI_COMM_WORLD, status, error)
  call mpi_wait(request, MPI_STATUS_IGNORE, error)
  call mpi_bsend_init(out, 7, MPI_INTEGER, right, 14, MPI_COMM_WORLD, request, error)
  call mpi_request_free(request, error)
  call mpi_buffer_detach(buffer, size, error)
  call mpi_sendrecv(out, 10, MPI_INTEGER, right, 12, in, 20, MPI_INTEGER, left, 12, MPI_COMM_WORLD, status, error)
  call mpi_sendrecv_replace(in, 10, MPI_INTEGER, left, 13, right, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call requests(rank, ranks, left, right)
  call collectives(rank, ranks)
  call mpi_finalize(error)
end program
