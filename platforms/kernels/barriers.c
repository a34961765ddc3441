// SPDX-License-Identifier: Apache-2.0
// A storm of barriers: ranks compute for up to LONGEST updates, drawn again each time, and meet.
//
// usage: barriers [BARRIERS [LONGEST]]

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "platforms/kernels/work.h"

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int barriers = argc > 1 ? atoi(argv[1]) : 100, longest = argc > 2 ? atoi(argv[2]) : 1000;
  if (barriers < 1 || longest < 1) {
    if (rank == 0) fprintf(stderr, "barriers: at least one, and computing of at least one update\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  unsigned state = 2463534242u + 7919u * (unsigned)rank;
  for (int barrier = 0; barrier < barriers; ++barrier) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    work(1 + state % (unsigned)longest);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
