// SPDX-License-Identifier: Apache-2.0
// Sample sort: every rank sorts its keys, all agree on splitters, keys go to the rank of their range, and are
// merged there. The order across ranks and the number of keys are checked.
//
// usage: sort [KEYS]; of each rank.

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "platforms/kernels/work.h"

enum { samples = 32 };  // of a rank's keys, from which the splitters are taken

static int by_value(const void* a, const void* b) {
  const uint32_t left = *(const uint32_t*)a, right = *(const uint32_t*)b;
  return (left > right) - (left < right);
}

/// A comparison is an update: n log n of them.
static void sort(uint32_t* keys, int count) {
  int turns = 1;
  while (count >> turns > 0) ++turns;
  qsort(keys, (size_t)count, sizeof *keys, by_value);
  work((double)count * turns);
}

static void draw(uint32_t* keys, int count, int rank) {
  uint32_t state = 2654435761u * (uint32_t)(rank + 1);
  for (int i = 0; i < count; ++i) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    keys[i] = state;
  }
}

/// Ends of the ranks' ranges, the same on all ranks.
static void choose_splitters(const uint32_t* keys, int count, int ranks, uint32_t* splitters) {
  uint32_t own[samples];
  uint32_t* all = malloc(sizeof *all * samples * (size_t)ranks);
  for (int i = 0; i < samples; ++i) own[i] = keys[(long)count * i / samples];
  MPI_Allgather(own, samples, MPI_UINT32_T, all, samples, MPI_UINT32_T, MPI_COMM_WORLD);
  sort(all, samples * ranks);
  for (int range = 1; range < ranks; ++range) splitters[range - 1] = all[samples * range];
  free(all);
}

/// Number of sorted keys in each rank's range.
static void count_ranges(const uint32_t* keys, int count, const uint32_t* splitters, int ranks, int* counts) {
  int next = 0;
  for (int range = 0; range < ranks; ++range) {
    const int first = next;
    while (next < count && (range == ranks - 1 || keys[next] < splitters[range])) ++next;
    counts[range] = next - first;
  }
  work(count);
}

static int places_of(const int* counts, int ranks, int* places) {
  int sum = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    places[rank] = sum;
    sum += counts[rank];
  }
  return sum;
}

/// Keys that lie before one that they follow, the last one of the rank before included.
static long out_of_order(const uint32_t* keys, int count, int rank, int ranks) {
  long wrong = 0;
  uint32_t before = 0, last = count > 0 ? keys[count - 1] : 0;
  MPI_Sendrecv(&last, 1, MPI_UINT32_T, rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, 0, &before, 1,
               MPI_UINT32_T, rank > 0 ? rank - 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; ++i) {
    wrong += keys[i] < before;
    before = keys[i];
  }
  return wrong;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int count = argc > 1 ? atoi(argv[1]) : 4096;
  if (count < samples) {
    if (rank == 0) fprintf(stderr, "sort: %d keys of a rank or more\n", samples);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  uint32_t* keys = malloc(sizeof *keys * (size_t)count);
  uint32_t* splitters = malloc(sizeof *splitters * (size_t)ranks);
  int* numbers = malloc(sizeof *numbers * 4 * (size_t)ranks);
  int *out = numbers, *in = numbers + ranks, *out_places = in + ranks, *in_places = out_places + ranks;
  draw(keys, count, rank);

  MPI_Barrier(MPI_COMM_WORLD);
  sort(keys, count);
  choose_splitters(keys, count, ranks, splitters);
  count_ranges(keys, count, splitters, ranks, out);
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
  places_of(out, ranks, out_places);
  const int mine = places_of(in, ranks, in_places);
  uint32_t* sorted = malloc(sizeof *sorted * (size_t)(mine > 0 ? mine : 1));
  MPI_Alltoallv(keys, out, out_places, MPI_UINT32_T, sorted, in, in_places, MPI_UINT32_T, MPI_COMM_WORLD);
  sort(sorted, mine);
  MPI_Barrier(MPI_COMM_WORLD);

  long sums[2] = {mine, out_of_order(sorted, mine, rank, ranks)}, all[2] = {0, 0};
  MPI_Reduce(sums, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("sort: %ld keys, %ld lost, %ld out of order\n", all[0], (long)count * ranks - all[0], all[1]);
  free(keys);
  free(splitters);
  free(numbers);
  free(sorted);
  MPI_Finalize();
  return 0;
}
