// SPDX-License-Identifier: Apache-2.0
// Breadth-first search of a random graph, level by level: vertices are dealt out to the ranks, and in each
// level every rank sends the neighbours of its new vertices to their owners. Distances are checked along all
// edges.
//
// usage: graph [VERTICES [DEGREE]]; VERTICES of each rank, with DEGREE drawn edges each.

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "platforms/kernels/work.h"

static int rank, ranks, vertices, degree;  // vertices of a rank

/// End of edge `edge` of a vertex, the same on all ranks; an edge is seen from both ends.
static int end_of(int vertex, int edge) {
  uint64_t state = (uint64_t)vertex * 64 + (uint64_t)edge + 1;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
  return (int)((state ^ (state >> 31)) % ((uint64_t)vertices * (uint64_t)ranks));
}

static int owner(int vertex) {
  return vertex / vertices;
}

/// Pairs (a, b) go to the owner of a. Returns how many came; `*received` is theirs, to be freed.
static int deliver(const int* pairs, int count, int** received) {
  int* numbers = calloc(4 * (size_t)ranks, sizeof(int));
  int *out = numbers, *in = out + ranks, *out_places = in + ranks, *in_places = out_places + ranks;
  int* ordered = malloc(sizeof(int) * 2 * (size_t)(count > 0 ? count : 1));
  int sum = 0;
  for (int i = 0; i < count; ++i) out[owner(pairs[2 * i])] += 2;
  for (int to = 0, place = 0; to < ranks; place += out[to++]) out_places[to] = place;
  for (int i = 0; i < count; ++i) {
    int* const place = &out_places[owner(pairs[2 * i])];
    ordered[(*place)++] = pairs[2 * i];
    ordered[(*place)++] = pairs[2 * i + 1];
  }
  for (int to = 0; to < ranks; ++to) out_places[to] -= out[to];
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
  for (int from = 0; from < ranks; sum += in[from++]) in_places[from] = sum;
  *received = malloc(sizeof(int) * (size_t)(sum > 0 ? sum : 1));
  MPI_Alltoallv(ordered, out, out_places, MPI_INT, *received, in, in_places, MPI_INT, MPI_COMM_WORLD);
  free(numbers);
  free(ordered);
  return sum / 2;
}

struct Edges {
  int* first;  ///< of each own vertex, and the end
  int* ends;
};

/// Edges of the own vertices, those that others have drawn included.
static struct Edges build(void) {
  const int drawn = vertices * degree;
  int *pairs = malloc(sizeof(int) * 4 * (size_t)drawn), *received;
  for (int i = 0; i < drawn; ++i) {
    const int from = rank * vertices + i / degree, to = end_of(from, i % degree);
    pairs[4 * i] = pairs[4 * i + 3] = from;
    pairs[4 * i + 1] = pairs[4 * i + 2] = to;
  }
  const int count = deliver(pairs, 2 * drawn, &received);
  struct Edges edges = {calloc((size_t)vertices + 2, sizeof(int)), malloc(sizeof(int) * (size_t)count)};
  for (int i = 0; i < count; ++i) ++edges.first[received[2 * i] - rank * vertices + 2];
  for (int own = 0; own < vertices; ++own) edges.first[own + 2] += edges.first[own + 1];
  for (int i = 0; i < count; ++i)
    edges.ends[edges.first[received[2 * i] - rank * vertices + 1]++] = received[2 * i + 1];
  work(count);
  free(pairs);
  free(received);
  return edges;
}

/// Distances of the own vertices from vertex 0; -1: not reached. Returns the number of levels.
static int search(const struct Edges* edges, int* distance) {
  int* frontier = malloc(sizeof(int) * (size_t)vertices);
  int* pairs = malloc(sizeof(int) * 2 * (size_t)(edges->first[vertices] > 0 ? edges->first[vertices] : 1));
  int size = 0, all = 1, level = 0;
  for (int own = 0; own < vertices; ++own) distance[own] = -1;
  if (rank == 0) distance[frontier[size++] = 0] = 0;
  while (all > 0) {
    int count = 0, *received;
    for (int i = 0; i < size; ++i)
      for (int edge = edges->first[frontier[i]]; edge < edges->first[frontier[i] + 1]; ++edge, ++count) {
        pairs[2 * count] = edges->ends[edge];
        pairs[2 * count + 1] = level + 1;
      }
    work(count);
    const int came = deliver(pairs, count, &received);
    size = 0;
    for (int i = 0; i < came; ++i) {
      const int own = received[2 * i] - rank * vertices;
      if (distance[own] >= 0) continue;
      distance[own] = received[2 * i + 1];
      frontier[size++] = own;
    }
    work(came);
    free(received);
    MPI_Allreduce(&size, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    ++level;
  }
  free(frontier);
  free(pairs);
  return level;
}

/// Edges whose ends are more than a step apart.
static long wrong_edges(const struct Edges* edges, const int* distance) {
  int* all = malloc(sizeof(int) * (size_t)vertices * (size_t)ranks);
  long wrong = 0;
  MPI_Allgather(distance, vertices, MPI_INT, all, vertices, MPI_INT, MPI_COMM_WORLD);
  for (int own = 0; own < vertices; ++own)
    for (int edge = edges->first[own]; edge < edges->first[own + 1]; ++edge)
      wrong += abs(all[edges->ends[edge]] - distance[own]) > 1;
  free(all);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  vertices = argc > 1 ? atoi(argv[1]) : 256;
  degree = argc > 2 ? atoi(argv[2]) : 8;
  if (vertices < 1 || degree < 1 || degree > 64) {
    if (rank == 0) fprintf(stderr, "graph: a vertex of a rank or more, and 1 to 64 edges of it\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  struct Edges edges = build();
  int* distance = malloc(sizeof(int) * (size_t)vertices);
  MPI_Barrier(MPI_COMM_WORLD);
  const int levels = search(&edges, distance);
  MPI_Barrier(MPI_COMM_WORLD);
  long sums[2] = {wrong_edges(&edges, distance), 0}, all[2] = {0, 0};
  for (int own = 0; own < vertices; ++own) sums[1] += distance[own] >= 0;
  MPI_Reduce(sums, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("graph: %ld of %ld vertices in %d levels, %ld wrong edges\n", all[1], (long)vertices * ranks,
           levels, all[0]);
  free(edges.first);
  free(edges.ends);
  free(distance);
  MPI_Finalize();
  return 0;
}
