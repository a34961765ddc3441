// SPDX-License-Identifier: Apache-2.0
// Conjugate gradient for the five-point Laplacian on a grid that is cut in both directions: each iteration
// exchanges rows with the ranks above and below and columns with those on the left and right, and sums two
// scalars over all ranks. It prints what is left of the residual: 2 N to 3 N iterations solve the system (`cg
// 64 200` to rounding); fewer are a slice of the same communication.
//
// usage: cg [N [ITERATIONS]]; an N x N grid, N a multiple of the rows and columns of ranks.

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/kernels/work.h"

enum { up, down, left, right, sides };

/// This rank's block of the grid: rows x columns, with a frame of one element around it.
struct Block {
  int rows, columns, stride;
  int neighbour[sides];  ///< rank or MPI_PROC_NULL
  double* edge_out[2];   ///< packed columns: left, right
  double* edge_in[2];
};

static long at(const struct Block* block, int row, int column) {
  return (long)(row + 1) * block->stride + column + 1;
}

static double* new_field(const struct Block* block) {
  return calloc((size_t)(block->rows + 2) * block->stride, sizeof(double));
}

/// A neighbour's rank, or MPI_PROC_NULL beyond the border.
static int neighbour(int row, int column, int rank_rows, int rank_columns) {
  const int inside = row >= 0 && row < rank_rows && column >= 0 && column < rank_columns;
  return inside ? row * rank_columns + column : MPI_PROC_NULL;
}

/// Sends `count` elements to one side and receives as many from the same side. Tags name the side of the
/// receiver.
static void begin_exchange(const struct Block* block, int side, const double* out, double* in, int count,
                           MPI_Request* requests, int* open) {
  const int opposite[sides] = {down, up, right, left};
  const int peer = block->neighbour[side];
  if (peer == MPI_PROC_NULL) return;
  MPI_Irecv(in, count, MPI_DOUBLE, peer, side, MPI_COMM_WORLD, &requests[(*open)++]);
  MPI_Isend(out, count, MPI_DOUBLE, peer, opposite[side], MPI_COMM_WORLD, &requests[(*open)++]);
}

static void exchange_frame(struct Block* block, double* field) {
  MPI_Request requests[2 * sides];
  int open = 0;
  begin_exchange(block, up, &field[at(block, 0, 0)], &field[at(block, -1, 0)], block->columns, requests,
                 &open);
  begin_exchange(block, down, &field[at(block, block->rows - 1, 0)], &field[at(block, block->rows, 0)],
                 block->columns, requests, &open);
  for (int row = 0; row < block->rows; ++row) {
    block->edge_out[0][row] = field[at(block, row, 0)];
    block->edge_out[1][row] = field[at(block, row, block->columns - 1)];
  }
  work(2 * block->rows);
  begin_exchange(block, left, block->edge_out[0], block->edge_in[0], block->rows, requests, &open);
  begin_exchange(block, right, block->edge_out[1], block->edge_in[1], block->rows, requests, &open);
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
  for (int row = 0; row < block->rows; ++row) {
    if (block->neighbour[left] != MPI_PROC_NULL) field[at(block, row, -1)] = block->edge_in[0][row];
    if (block->neighbour[right] != MPI_PROC_NULL)
      field[at(block, row, block->columns)] = block->edge_in[1][row];
  }
  work(2 * block->rows);
}

static void apply_laplacian(const struct Block* block, const double* x, double* y) {
  for (int row = 0; row < block->rows; ++row)
    for (int column = 0; column < block->columns; ++column) {
      const long here = at(block, row, column);
      y[here] = 4 * x[here] - x[here - 1] - x[here + 1] - x[here - block->stride] - x[here + block->stride];
    }
  work(5.0 * block->rows * block->columns);
}

static double dot(const struct Block* block, const double* x, const double* y) {
  double mine = 0, all = 0;
  for (int row = 0; row < block->rows; ++row)
    for (int column = 0; column < block->columns; ++column)
      mine += x[at(block, row, column)] * y[at(block, row, column)];
  work((double)block->rows * block->columns);
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/// y = a x + b y
static void combine(const struct Block* block, double a, const double* x, double b, double* y) {
  for (int row = 0; row < block->rows; ++row)
    for (int column = 0; column < block->columns; ++column) {
      const long here = at(block, row, column);
      y[here] = a * x[here] + b * y[here];
    }
  work((double)block->rows * block->columns);
}

/// The share of the first residual that is left after `iterations`.
static double solve(struct Block* block, int iterations) {
  double *x = new_field(block), *r = new_field(block), *p = new_field(block), *q = new_field(block);
  for (int row = 0; row < block->rows; ++row)
    for (int column = 0; column < block->columns; ++column) r[at(block, row, column)] = 1;
  combine(block, 1, r, 0, p);
  const double first = dot(block, r, r);
  double rho = first;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    exchange_frame(block, p);
    apply_laplacian(block, p, q);
    const double alpha = rho / dot(block, p, q);
    combine(block, alpha, p, 1, x);
    combine(block, -alpha, q, 1, r);
    const double next = dot(block, r, r);
    combine(block, 1, r, next / rho, p);
    rho = next;
  }
  free(x);
  free(r);
  free(p);
  free(q);
  return sqrt(rho / first);
}

int main(int argc, char** argv) {
  int rank, ranks, shape[2] = {0, 0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, shape);
  int size[2] = {argc > 1 ? atoi(argv[1]) : 512, argc > 2 ? atoi(argv[2]) : 25};
  MPI_Bcast(size, 2, MPI_INT, 0, MPI_COMM_WORLD);

  const int row = rank / shape[1], column = rank % shape[1];
  struct Block block = {size[0] / shape[0], size[0] / shape[1], size[0] / shape[1] + 2, {0}, {0}, {0}};
  if (block.rows * shape[0] != size[0] || block.columns * shape[1] != size[0] ||
      block.rows * block.columns == 0) {
    if (rank == 0)
      fprintf(stderr, "cg: N = %d is not a multiple of %d and %d\n", size[0], shape[0], shape[1]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  block.neighbour[up] = neighbour(row - 1, column, shape[0], shape[1]);
  block.neighbour[down] = neighbour(row + 1, column, shape[0], shape[1]);
  block.neighbour[left] = neighbour(row, column - 1, shape[0], shape[1]);
  block.neighbour[right] = neighbour(row, column + 1, shape[0], shape[1]);
  for (int side = 0; side < 2; ++side) {
    block.edge_out[side] = calloc(block.rows, sizeof(double));
    block.edge_in[side] = calloc(block.rows, sizeof(double));
  }

  MPI_Barrier(MPI_COMM_WORLD);
  const double left_over = solve(&block, size[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("cg: %d x %d grid on %d x %d ranks, %d iterations, residual x %.4g\n", size[0], size[0], shape[0],
           shape[1], size[1], left_over);
  for (int side = 0; side < 2; ++side) {
    free(block.edge_out[side]);
    free(block.edge_in[side]);
  }
  MPI_Finalize();
  return 0;
}
