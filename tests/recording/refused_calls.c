// SPDX-License-Identifier: Apache-2.0
// Calls, arguments and ends that a recording refuses, one a run. usage: refused_calls NAME [WORDS...]

#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;
static char buffer[200];
static MPI_Request request;

#define IS(name) (strcmp(argv[1], name) == 0)

/// A call that could be the function's last jump.
static int __attribute__((noinline)) past(void) {
  return PMPI_Barrier(MPI_COMM_WORLD);  // past
}

/// What ends with the line of the call, which the test finds by the name behind it.
static void calls(char** argv) {
  int counter = 0;
  MPI_File file;
  if (IS("file"))
    MPI_File_open(MPI_COMM_WORLD, "no", MPI_MODE_RDONLY,  // file
                  MPI_INFO_NULL, &file);
  if (IS("past")) past();
  if (IS("sample")) {
    SMPI_SAMPLE_LOCAL(int turn = 0, turn < 9, turn++, 3, 0.1)++ counter;  // sample
  }
  if (IS("negative")) smpi_execute_flops(-1);                                      // negative
  if (IS("nan")) smpi_execute(0.0 / (double)counter);                              // nan
  if (IS("abort")) MPI_Abort(MPI_COMM_WORLD, 7);                                   // abort
  if (IS("tag")) MPI_Send(buffer, 1, MPI_CHAR, rank, 2146435072, MPI_COMM_WORLD);  // tag
  if (IS("fails")) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Send(buffer, 1, MPI_CHAR, 77, 1, MPI_COMM_WORLD);  // fails
  }
  if (IS("huge")) {
    MPI_Datatype gigabyte;
    MPI_Type_contiguous(1 << 30, MPI_CHAR, &gigabyte);
    MPI_Type_commit(&gigabyte);
    MPI_Irecv(buffer, 4, gigabyte, 0, 1, MPI_COMM_WORLD, &request);  // huge
  }
  if (IS("freed")) {
    MPI_Irecv(buffer, 1, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);  // freed
  }
  if (IS("cancelled")) {
    MPI_Isend(buffer, 1, MPI_CHAR, rank, 1, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);  // cancelled
  }
  if (IS("open")) MPI_Irecv(buffer, 1, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
}

/// What is found after the run.
static void disagreements(char** argv) {
  if (IS("unreceived") && rank == 0) MPI_Send(buffer, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  if (IS("bytes")) MPI_Bcast(buffer, rank == 0 ? 10 : 20, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (IS("exit") && rank == 1) exit(0);
  if (IS("words")) printf("[%s] [%s] %s\n", argv[2], argv[3], getcwd(buffer, sizeof buffer));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  calls(argv);
  disagreements(argv);
  MPI_Finalize();  // open
  return IS("status") ? 3 : 0;
}
