// SPDX-License-Identifier: Apache-2.0
// Heat in a box: Jacobi steps of the 7-point stencil on a three-dimensional grid of ranks, each with a cube
// of its own whose six faces it exchanges in every step. The sum of the heat is checked: nothing leaves the
// box.
//
// usage: stencil [N [STEPS]]; N elements along each edge of a rank's cube.

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "platforms/kernels/work.h"

static int n, stride;  // of a cube with a layer of neighbours' elements around it

static long at(int x, int y, int z) {
  return ((long)z * stride + y) * stride + x;
}

/// Element (a, b) of a face: `axis` is normal to it, `layer` its place along the axis.
static long on_face(int axis, int layer, int a, int b) {
  if (axis == 0) return at(layer, a, b);
  return axis == 1 ? at(a, layer, b) : at(a, b, layer);
}

/// Sends the outermost layers to the neighbours and takes theirs; insulated walls mirror.
static void exchange(double* cube, const int neighbours[6], double* out, double* in) {
  MPI_Request requests[12];
  int open = 0;
  const int face = n * n;
  for (int side = 0; side < 6; ++side)
    MPI_Irecv(in + (long)side * face, face, MPI_DOUBLE, neighbours[side], side ^ 1, MPI_COMM_WORLD,
              &requests[open++]);
  for (int side = 0; side < 6; ++side) {
    double* element = out + (long)side * face;
    for (int b = 1; b <= n; ++b)
      for (int a = 1; a <= n; ++a) *element++ = cube[on_face(side / 2, side % 2 ? n : 1, a, b)];
    MPI_Isend(out + (long)side * face, face, MPI_DOUBLE, neighbours[side], side, MPI_COMM_WORLD,
              &requests[open++]);
  }
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
  for (int side = 0; side < 6; ++side) {
    const double* element = (neighbours[side] == MPI_PROC_NULL ? out : in) + (long)side * face;
    for (int b = 1; b <= n; ++b)
      for (int a = 1; a <= n; ++a) cube[on_face(side / 2, side % 2 ? n + 1 : 0, a, b)] = *element++;
  }
}

/// Returns the heat in the cube after the step.
static double step(const double* from, double* to) {
  double heat = 0;
  for (int z = 1; z <= n; ++z)
    for (int y = 1; y <= n; ++y)
      for (int x = 1; x <= n; ++x) {
        const double around = from[at(x - 1, y, z)] + from[at(x + 1, y, z)] + from[at(x, y - 1, z)] +
                              from[at(x, y + 1, z)] + from[at(x, y, z - 1)] + from[at(x, y, z + 1)];
        to[at(x, y, z)] = 0.4 * from[at(x, y, z)] + 0.1 * around;
        heat += to[at(x, y, z)];
      }
  work((double)n * n * n);
  return heat;
}

int main(int argc, char** argv) {
  int rank, ranks, grid[3] = {0, 0, 0}, place[3], neighbours[6];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  n = argc > 1 ? atoi(argv[1]) : 16;
  const int steps = argc > 2 ? atoi(argv[2]) : 10;
  if (n < 1 || steps < 1) {
    if (rank == 0) fprintf(stderr, "stencil: cubes of an element or more, and a step or more\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Dims_create(ranks, 3, grid);
  place[0] = rank % grid[0];
  place[1] = rank / grid[0] % grid[1];
  place[2] = rank / grid[0] / grid[1];
  for (int axis = 0, weight = 1; axis < 3; weight *= grid[axis++]) {
    neighbours[2 * axis] = place[axis] > 0 ? rank - weight : MPI_PROC_NULL;
    neighbours[2 * axis + 1] = place[axis] + 1 < grid[axis] ? rank + weight : MPI_PROC_NULL;
  }

  stride = n + 2;
  double* cube = calloc((size_t)stride * stride * stride, sizeof(double));
  double* next = calloc((size_t)stride * stride * stride, sizeof(double));
  double* out = malloc(sizeof(double) * 6 * n * n);
  double* in = malloc(sizeof(double) * 6 * n * n);
  if (rank == ranks / 2) cube[at((n + 1) / 2, (n + 1) / 2, (n + 1) / 2)] = 1000;

  MPI_Barrier(MPI_COMM_WORLD);
  double heat = 0, all_heat = 0;
  for (int turn = 0; turn < steps; ++turn) {
    exchange(cube, neighbours, out, in);
    heat = step(cube, next);
    double* const swapped = cube;
    cube = next;
    next = swapped;
    // Convergence test, made only in some iterations, as in real codes.
    if (turn % 5 == 4) MPI_Allreduce(&heat, &all_heat, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Reduce(&heat, &all_heat, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("stencil: %d x %d x %d ranks, %d steps, error %.1g\n", grid[0], grid[1], grid[2], steps,
           fabs(all_heat / 1000 - 1));
  free(cube);
  free(next);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
