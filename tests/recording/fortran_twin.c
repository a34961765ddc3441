// SPDX-License-Identifier: Apache-2.0
// The calls of fortran_calls.f90 in C, which must be recorded to the same lines.

#include <mpi.h>
#include <stddef.h>

static int rank, ranks, left, right, out[4096], in[4096];

static void requests(void) {
  MPI_Request r[6];
  int one, flag, number, places[6];
  for (int at = 0; at < 3; ++at) MPI_Irecv(in, 10, MPI_DOUBLE, left, 20 + at, MPI_COMM_WORLD, &r[at]);
  MPI_Isend(out, 10, MPI_DOUBLE, right, 20, MPI_COMM_WORLD, &r[3]);
  MPI_Issend(out, 10, MPI_DOUBLE, right, 21, MPI_COMM_WORLD, &r[4]);
  MPI_Irsend(out, 10, MPI_DOUBLE, right, 22, MPI_COMM_WORLD, &r[5]);
  MPI_Waitall(6, r, MPI_STATUSES_IGNORE);
  for (int at = 0; at < 4; ++at) MPI_Irecv(in, 4, MPI_INT, left, 30 + at, MPI_COMM_WORLD, &r[at]);
  for (int at = 0; at < 4; ++at) MPI_Ssend(out, 4, MPI_INT, right, 30 + at, MPI_COMM_WORLD);
  MPI_Waitany(4, r, &one, MPI_STATUS_IGNORE);
  for (flag = 0; !flag;) MPI_Testany(4, r, &one, &flag, MPI_STATUS_IGNORE);
  MPI_Waitsome(4, r, &number, places, MPI_STATUSES_IGNORE);
  MPI_Testsome(4, r, &number, places, MPI_STATUSES_IGNORE);
  for (flag = 0; !flag;) MPI_Testall(4, r, &flag, MPI_STATUSES_IGNORE);
  MPI_Recv_init(in, 7, MPI_INT, left, 40, MPI_COMM_WORLD, &r[0]);
  MPI_Send_init(out, 7, MPI_INT, right, 40, MPI_COMM_WORLD, &r[1]);
  MPI_Recv_init(in, 7, MPI_INT, left, 41, MPI_COMM_WORLD, &r[2]);
  MPI_Ssend_init(out, 7, MPI_INT, right, 41, MPI_COMM_WORLD, &r[3]);
  for (int at = 0; at < 2; ++at) {
    MPI_Startall(2, r);
    MPI_Start(&r[2]);
    MPI_Start(&r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  }
  MPI_Rsend_init(out, 7, MPI_INT, right, 44, MPI_COMM_WORLD, &r[4]);
  for (int at = 0; at < 5; ++at) MPI_Request_free(&r[at]);
  MPI_Irecv(in, 1, MPI_INT, left, 42, MPI_COMM_WORLD, &r[0]);
  MPI_Cancel(&r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Isend(out, 1, MPI_INT, right, 43, MPI_COMM_WORLD, &r[0]);
  MPI_Probe(MPI_ANY_SOURCE, 43, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (flag = 0; !flag;) MPI_Iprobe(left, 43, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(in, 1, MPI_INT, left, 43, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (flag = 0; !flag;) MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
  for (flag = 0; !flag;) MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
}

static void collectives(void) {
  int counts[64], places[64], sizes[] = {2, ranks / 2}, rings[] = {1, 0}, keeps[] = {0, 1};
  for (int at = 0; at < 64; ++at) {
    counts[at] = 2;
    places[at] = 2 * at;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(in, 9, MPI_INT, 2, MPI_COMM_WORLD);
  MPI_Reduce(out, in, 3, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
  MPI_Allreduce(out, in, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(out, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Exscan(out, in, 6, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Alltoall(out, 3, MPI_INT, in, 3, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgather(out, 4, MPI_INT, in, 4, MPI_INT, MPI_COMM_WORLD);
  MPI_Gather(out, 5, MPI_INT, in, 5, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Scatter(out, 6, MPI_INT, in, 6, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Gatherv(out, 2, MPI_INT, in, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatterv(out, counts, places, MPI_INT, in, 2, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allgatherv(out, 2, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Comm copy, half, some, grid, row;
  MPI_Group group;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Bcast(out, 1, MPI_INT, 0, copy);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Bcast(out, 2, MPI_INT, 1, half);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &some);
  MPI_Bcast(out, 3, MPI_INT, 3, some);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, rings, 0, &grid);
  MPI_Cart_sub(grid, keeps, &row);
  MPI_Bcast(out, 4, MPI_INT, 0, row);
  MPI_Comm_free(&row);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  static double buffer[4096];
  void* detached;
  int size;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  right = (rank + 1) % ranks;
  left = (rank + ranks - 1) % ranks;
  MPI_Irecv(in, 100, MPI_INT, left, 1, MPI_COMM_WORLD, &request);
  MPI_Send(out, 100, MPI_INT, right, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(in, 100, MPI_INT, left, 2, MPI_COMM_WORLD, &request);
  MPI_Rsend(out, 100, MPI_INT, right, 2, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Bsend(out, 3, MPI_INT, right, 10, MPI_COMM_WORLD);
  MPI_Ibsend(out, 5, MPI_INT, right, 11, MPI_COMM_WORLD, &request);
  MPI_Recv(in, 3, MPI_INT, left, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(in, 5, MPI_INT, left, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Bsend_init(out, 7, MPI_INT, right, 14, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Buffer_detach(&detached, &size);
  MPI_Sendrecv(out, 10, MPI_INT, right, 12, in, 20, MPI_INT, left, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(in, 10, MPI_INT, left, 13, right, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  requests();
  collectives();
  MPI_Finalize();
  return 0;
}
