// SPDX-License-Identifier: Apache-2.0
// Transpose of a distributed square matrix, the communication of a two-dimensional Fourier transform: every
// rank holds a slab of rows; pack, all-to-all, unpack. The result is checked.
//
// usage: transpose [N [REPETITIONS]]; N is a multiple of the number of ranks.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "platforms/kernels/work.h"

static double value(long row, long column) {
  return (double)(row * 10007 + column);
}

/// Copies the slab into one block a destination rank.
static void pack(const double* slab, double* blocks, int n, int rows, int ranks) {
  for (int to = 0; to < ranks; ++to)
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < rows; ++column) *blocks++ = slab[(long)row * n + to * rows + column];
}

/// Writes the block from each rank, transposed, to its place in the slab.
static void unpack(const double* blocks, double* slab, int n, int rows, int ranks) {
  for (int from = 0; from < ranks; ++from)
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < rows; ++column) slab[(long)column * n + from * rows + row] = *blocks++;
}

static long wrong_elements(const double* slab, int n, int rows, int first, int transposed) {
  long wrong = 0;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < n; ++column) {
      const double want = transposed ? value(column, first + row) : value(first + row, column);
      wrong += slab[(long)row * n + column] != want;
    }
  return wrong;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int size[2] = {argc > 1 ? atoi(argv[1]) : 256, argc > 2 ? atoi(argv[2]) : 4};
  MPI_Bcast(size, 2, MPI_INT, 0, MPI_COMM_WORLD);
  const int n = size[0], repetitions = size[1], rows = n / ranks;
  if (rows * ranks != n || rows == 0) {
    if (rank == 0) fprintf(stderr, "transpose: N = %d is not a multiple of the %d ranks\n", n, ranks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  const long elements = (long)rows * n;
  double* slab = malloc(sizeof(double) * elements);
  double* out = malloc(sizeof(double) * elements);
  double* in = malloc(sizeof(double) * elements);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < n; ++column)
      slab[(long)row * n + column] = value(rank * rows + row, column);

  MPI_Barrier(MPI_COMM_WORLD);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    pack(slab, out, n, rows, ranks);
    work(elements);
    MPI_Alltoall(out, rows * rows, MPI_DOUBLE, in, rows * rows, MPI_DOUBLE, MPI_COMM_WORLD);
    unpack(in, slab, n, rows, ranks);
    work(elements);
  }
  MPI_Barrier(MPI_COMM_WORLD);

  long wrong = wrong_elements(slab, n, rows, rank * rows, repetitions % 2), all_wrong = 0;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("transpose: %d x %d, %d times, %ld wrong elements\n", n, n, repetitions, all_wrong);
  free(slab);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
