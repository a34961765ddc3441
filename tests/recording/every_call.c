// SPDX-License-Identifier: Apache-2.0
// Calls everything that a recording can say, on 5 ranks or more. usage: every_call WHICH, a letter for each
// part.

#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks, left, right;
static char out[1 << 20], in[1 << 20];

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "every_call: rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void blocking_sends(void) {
  MPI_Request request;
  for (int kind = 0; kind < 3; ++kind) {
    MPI_Irecv(in, 100, MPI_CHAR, left, kind, MPI_COMM_WORLD, &request);
    if (kind == 0) MPI_Send(out, 100, MPI_CHAR, right, kind, MPI_COMM_WORLD);
    if (kind == 1) MPI_Ssend(out, 100, MPI_CHAR, right, kind, MPI_COMM_WORLD);
    if (kind == 2) MPI_Rsend(out, 100, MPI_CHAR, right, kind, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void buffered_sends(void) {
  static char buffer[1 << 16];
  void* detached;
  int size;
  MPI_Request request;
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Bsend(out, 3, MPI_DOUBLE, right, 10, MPI_COMM_WORLD);
  MPI_Ibsend(out, 5, MPI_SHORT, right, 11, MPI_COMM_WORLD, &request);
  MPI_Recv(in, 3, MPI_DOUBLE, left, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(in, 5, MPI_SHORT, left, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&detached, &size);
}

static void nonblocking_sends(void) {
  MPI_Request requests[6];
  MPI_Status statuses[6];
  for (int at = 0; at < 3; ++at)
    MPI_Irecv(in + 100 * at, 100, MPI_BYTE, left, 20 + at, MPI_COMM_WORLD, &requests[at]);
  MPI_Isend(out, 100, MPI_BYTE, right, 20, MPI_COMM_WORLD, &requests[3]);
  MPI_Issend(out, 100, MPI_BYTE, right, 21, MPI_COMM_WORLD, &requests[4]);
  MPI_Irsend(out, 100, MPI_BYTE, right, 22, MPI_COMM_WORLD, &requests[5]);
  // A part of the open requests, then the rest.
  MPI_Waitall(2, &requests[1], statuses);
  MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
  // The later one of two alike first.
  for (int at = 0; at < 2; ++at) MPI_Irecv(in, 100, MPI_BYTE, left, 23, MPI_COMM_WORLD, &requests[at]);
  for (int at = 0; at < 2; ++at) MPI_Send(out, 100, MPI_BYTE, right, 23, MPI_COMM_WORLD);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  smpi_execute_flops(23);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void any_source(void) {
  MPI_Status status;
  if (rank == 0) {
    for (int from = 1; from < ranks; ++from) {
      MPI_Recv(in, 1000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      check(status.MPI_TAG == 30 + status.MPI_SOURCE, "a message with another rank's tag");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request requests[64];
    for (int from = 1; from < ranks; ++from)
      MPI_Irecv(in + 4000 * from, 1000, MPI_INT, MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, &requests[from]);
    MPI_Waitall(ranks - 1, &requests[1], MPI_STATUSES_IGNORE);
  } else {
    smpi_execute_flops(1000.0 * ((7 * rank) % ranks));
    MPI_Send(out, rank, MPI_INT, 0, 30 + rank, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(out, 2 * rank, MPI_INT, 0, 40, MPI_COMM_WORLD);
  }
}

static void completions(void) {
  MPI_Request requests[12];
  int index, flag = 0, number, indices[12], done = 0;
  for (int at = 0; at < 6; ++at) {
    MPI_Irecv(in + 8 * at, 1, MPI_DOUBLE, left, 50 + at, MPI_COMM_WORLD, &requests[at]);
    MPI_Isend(out, 1, MPI_DOUBLE, right, 50 + at, MPI_COMM_WORLD, &requests[6 + at]);
  }
  MPI_Waitany(12, requests, &index, MPI_STATUS_IGNORE);
  while (!flag) MPI_Testany(12, requests, &index, &flag, MPI_STATUS_IGNORE);
  MPI_Waitsome(12, requests, &number, indices, MPI_STATUSES_IGNORE);
  MPI_Testsome(12, requests, &number, indices, MPI_STATUSES_IGNORE);
  for (int at = 0; at < 12; ++at) {
    if (requests[at] == MPI_REQUEST_NULL) continue;
    for (flag = 0; !flag && done == 0;) MPI_Request_get_status(requests[at], &flag, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) MPI_Test(&requests[at], &flag, MPI_STATUS_IGNORE);
    if (++done == 2) break;
  }
  for (flag = 0; !flag;) MPI_Testall(12, requests, &flag, MPI_STATUSES_IGNORE);
}

static void probes(void) {
  MPI_Status status;
  MPI_Request request;
  int flag = 0, count;
  MPI_Isend(out, 77, MPI_CHAR, right, 60, MPI_COMM_WORLD, &request);
  MPI_Probe(MPI_ANY_SOURCE, 60, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_CHAR, &count);
  check(count == 77 && status.MPI_SOURCE == left, "a probe of something else");
  smpi_execute_flops(60);
  while (!flag) MPI_Iprobe(left, 60, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(in, count, MPI_CHAR, left, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void exchanges(void) {
  MPI_Status status;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Sendrecv(out, 10, MPI_LONG, right, 70, in, 20, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
               &status);
  check(status.MPI_SOURCE == left && status.MPI_TAG == 70, "an exchange with somebody else");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Sendrecv_replace(in, 10, MPI_LONG, left, 71, right, 71, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // Beyond the ends of the line.
  MPI_Sendrecv(out, 10, MPI_LONG, rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, 72, in, 10, MPI_LONG,
               rank > 0 ? rank - 1 : MPI_PROC_NULL, 72, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 73, MPI_COMM_WORLD);
  MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 73, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // To itself.
  MPI_Sendrecv(out, 10, MPI_LONG, rank, 74, in, 10, MPI_LONG, rank, 74, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void persistent(void) {
  static char buffer[1 << 16];
  void* detached;
  int size;
  MPI_Request requests[5];
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Recv_init(in, 8, MPI_INT, MPI_ANY_SOURCE, 80, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, 8, MPI_INT, right, 80, MPI_COMM_WORLD, &requests[1]);
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Ssend_init(out, 1, MPI_INT, right, 81, MPI_COMM_WORLD, &requests[2]);
  MPI_Rsend_init(out, 1, MPI_INT, right, 82, MPI_COMM_WORLD, &requests[3]);
  MPI_Bsend_init(out, 1, MPI_INT, right, 83, MPI_COMM_WORLD, &requests[4]);
  for (int at = 2; at < 5; ++at) {
    MPI_Request receive;
    MPI_Irecv(in, 1, MPI_INT, left, 79 + at, MPI_COMM_WORLD, &receive);
    MPI_Start(&requests[at]);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[at], MPI_STATUS_IGNORE);
  }
  for (int at = 0; at < 5; ++at) MPI_Request_free(&requests[at]);
  MPI_Buffer_detach(&detached, &size);
  // Nobody asks for the end of a send.
  MPI_Isend(out, 1, MPI_INT, right, 84, MPI_COMM_WORLD, &requests[0]);
  MPI_Request_free(&requests[0]);
  MPI_Recv(in, 1, MPI_INT, left, 84, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // A receive that is taken back.
  MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, 85, MPI_COMM_WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

/// Every rank its own size in every operation that counts.
static void collectives(MPI_Comm comm) {
  int me, members, counts[64], places[64], other[64], other_places[64];
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &members);
  MPI_Datatype types[64];
  for (int at = 0, place = 0; at < members; ++at) {
    counts[at] = 3 * at;
    places[at] = place;
    place += counts[at];
    types[at] = MPI_INT;
    other[at] = 3 * me;
    other_places[at] = 3 * me * at;
  }
  int bytes[64], other_bytes[64];
  for (int at = 0; at < members; ++at) {
    bytes[at] = 4 * places[at];
    other_bytes[at] = 4 * other_places[at];
  }
  const int root = members - 1;
  MPI_Barrier(comm);
  MPI_Bcast(in, 30, MPI_INT, root, comm);
  MPI_Reduce(out, in, 31, MPI_INT, MPI_SUM, root, comm);
  MPI_Allreduce(out, in, 32, MPI_INT, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, in, 32, MPI_INT, MPI_SUM, comm);
  MPI_Alltoall(out, 33, MPI_INT, in, 33, MPI_INT, comm);
  MPI_Alltoallv(out, other, other_places, MPI_INT, in, counts, places, MPI_INT, comm);
  MPI_Alltoallw(out, other, other_bytes, types, in, counts, bytes, types, comm);
  if (me == root) {
    MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, in, 34, MPI_INT, root, comm);
  } else {
    MPI_Gather(out, 34, MPI_INT, NULL, 0, MPI_INT, root, comm);
  }
  MPI_Gatherv(out, counts[me], MPI_INT, in, counts, places, MPI_INT, root, comm);
  if (me == root) {
    MPI_Scatter(out, 35, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, root, comm);
  } else {
    MPI_Scatter(NULL, 0, MPI_INT, in, 35, MPI_INT, root, comm);
  }
  MPI_Scatterv(out, counts, places, MPI_INT, in, counts[me], MPI_INT, root, comm);
  MPI_Allgather(out, 36, MPI_INT, in, 36, MPI_INT, comm);
  MPI_Allgatherv(out, counts[me], MPI_INT, in, counts, places, MPI_INT, comm);
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(out, in, 37, MPI_INT, MPI_SUM, comm);
  MPI_Scan(out, in, 38, MPI_INT, MPI_SUM, comm);
  MPI_Exscan(out, in, 39, MPI_INT, MPI_SUM, comm);
  MPI_Request requests[11];
  MPI_Ibcast(in, 40, MPI_INT, root, comm, &requests[0]);
  MPI_Ireduce(out, in + 1000, 41, MPI_INT, MPI_SUM, root, comm, &requests[1]);
  MPI_Ialltoall(out, 42, MPI_INT, in + 4000, 42, MPI_INT, comm, &requests[2]);
  MPI_Ialltoallv(out, other, other_places, MPI_INT, in + 20000, counts, places, MPI_INT, comm, &requests[3]);
  MPI_Ialltoallw(out, other, other_bytes, types, in + 30000, counts, bytes, types, comm, &requests[4]);
  MPI_Igather(out, 43, MPI_INT, in + 40000, 43, MPI_INT, root, comm, &requests[5]);
  MPI_Igatherv(out, counts[me], MPI_INT, in + 50000, counts, places, MPI_INT, root, comm, &requests[6]);
  MPI_Iscatter(out, 44, MPI_INT, in + 60000, 44, MPI_INT, root, comm, &requests[7]);
  MPI_Iscatterv(out, counts, places, MPI_INT, in + 70000, counts[me], MPI_INT, root, comm, &requests[8]);
  MPI_Iallgather(out, 45, MPI_INT, in + 80000, 45, MPI_INT, comm, &requests[9]);
  MPI_Iallgatherv(out, counts[me], MPI_INT, in + 90000, counts, places, MPI_INT, comm, &requests[10]);
  MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
  MPI_Waitall(11, requests, MPI_STATUSES_IGNORE);
}

static void communicators(void) {
  MPI_Comm copy, informed, some, group_only, parts, here, grid, line, everybody_else;
  MPI_Group all, half;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &informed);
  // Equal tags of two communicators, taken in the other order.
  MPI_Request requests[2];
  MPI_Isend(out, 10, MPI_CHAR, right, 5, copy, &requests[0]);
  MPI_Isend(out, 20, MPI_CHAR, right, 5, informed, &requests[1]);
  MPI_Recv(in, 20, MPI_CHAR, left, 5, informed, MPI_STATUS_IGNORE);
  MPI_Recv(in, 10, MPI_CHAR, left, 5, copy, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &parts);
  collectives(parts);
  // From any member of a part, whose ranks are other ones there.
  int me, members;
  MPI_Comm_rank(parts, &me);
  MPI_Comm_size(parts, &members);
  MPI_Request request;
  MPI_Irecv(in, 100, MPI_CHAR, MPI_ANY_SOURCE, 6, parts, &request);
  MPI_Send(out, 51, MPI_CHAR, (me + 1) % members, 6, parts);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(parts);
  MPI_Isend(out, 52, MPI_CHAR, (me + 1) % members, 7, parts, &request);
  MPI_Recv(in, 99, MPI_CHAR, MPI_ANY_SOURCE, 7, parts, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &everybody_else);
  collectives(everybody_else);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here);
  MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, here);
  MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_range_incl(all, 1, (int[1][3]){{0, ranks / 2, 1}}, &half);
  MPI_Comm_create(MPI_COMM_WORLD, half, &some);
  if (some != MPI_COMM_NULL) {
    MPI_Barrier(some);
    MPI_Comm_create_group(some, half, 1, &group_only);
    MPI_Barrier(group_only);
    MPI_Comm_free(&group_only);
    MPI_Comm_disconnect(&some);
  }
  MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){ranks}, (int[]){1}, 0, &grid);
  int from, to;
  MPI_Cart_shift(grid, 0, 1, &from, &to);
  MPI_Sendrecv(out, 9, MPI_CHAR, to, 3, in, 9, MPI_CHAR, from, 3, grid, MPI_STATUS_IGNORE);
  MPI_Cart_sub(grid, (int[]){1}, &line);
  MPI_Barrier(line);
  MPI_Comm_free(&copy);
}

static void times(void) {
  const double begin = MPI_Wtime();
  smpi_execute_flops(1234567);
  smpi_execute_flops(9007199254740993.0 / 1e6);
  for (int quarter = 0; quarter < 2; ++quarter) smpi_execute_flops(0.75);
  smpi_execute_flops_benched(100);
  smpi_execute(1e-6);
  smpi_execute_benched(2e-6);
  usleep(3);
  const struct timespec span = {0, 400};
  nanosleep(&span, NULL);
  struct timeval now;
  gettimeofday(&now, NULL);
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  check(MPI_Wtime() > begin, "no time went by");
  MPI_Datatype column;
  MPI_Type_vector(10, 2, 7, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(out, 3, column, right, 90, in, 3, column, left, 90, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
  sleep(1);
}

int main(int argc, char** argv) {
  const char* which = argc > 1 && argv[1][0] ? argv[1] : "abcdefghijk";
  if (strchr(which, 'T')) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  left = (rank + ranks - 1) % ranks;
  right = (rank + 1) % ranks;
  if (strchr(which, 'a')) blocking_sends();
  if (strchr(which, 'b')) buffered_sends();
  if (strchr(which, 'c')) nonblocking_sends();
  if (strchr(which, 'd')) any_source();
  if (strchr(which, 'e')) completions();
  if (strchr(which, 'f')) probes();
  if (strchr(which, 'g')) exchanges();
  if (strchr(which, 'h')) persistent();
  if (strchr(which, 'i')) collectives(MPI_COMM_WORLD);
  if (strchr(which, 'j')) communicators();
  if (strchr(which, 'k')) times();
  MPI_Finalize();
  return 0;
}
