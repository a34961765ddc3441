// SPDX-License-Identifier: Apache-2.0
// Uniform traffic with multicasts: in each round every rank sends messages to random ranks, all at once,
// and a rank drawn for the round broadcasts. Every word that comes is checked.
//
// usage: uniform [ROUNDS [MESSAGES [BYTES]]]; MESSAGES of a rank in a round, of BYTES each, as broadcasts
// are.

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "platforms/kernels/work.h"

/// Random numbers, equal on every rank, so that receivers know the messages to expect.
static uint32_t drawn(uint32_t round, uint32_t rank, uint32_t message) {
  uint32_t state = 2654435761u * (round * 65537u + rank * 257u + message + 1u);
  for (int turn = 0; turn < 3; ++turn) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
  }
  return state;
}

/// A rank other than the sender's.
static int destination(int ranks, int round, int rank, int message) {
  return (rank + 1 + (int)(drawn(round, rank, message) % (uint32_t)(ranks - 1))) % ranks;
}

static void fill(uint32_t* words, int count, uint32_t seed) {
  for (int i = 0; i < count; ++i) words[i] = seed + (uint32_t)i;
}

static long wrong_words(const uint32_t* words, int count, uint32_t seed) {
  long wrong = 0;
  for (int i = 0; i < count; ++i) wrong += words[i] != seed + (uint32_t)i;
  return wrong;
}

/// One round of messages. Returns the words that came wrong.
static long exchange(int round, int messages, int count, uint32_t* out, uint32_t* in, MPI_Request* requests) {
  int rank, ranks, open = 0, coming = 0;
  long wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int from = 0; from < ranks; ++from)
    for (int message = 0; message < messages && from != rank; ++message)
      if (destination(ranks, round, from, message) == rank)
        MPI_Irecv(in + (long)coming++ * count, count, MPI_UINT32_T, from, message, MPI_COMM_WORLD,
                  &requests[open++]);
  for (int message = 0; message < messages; ++message) {
    uint32_t* words = out + (long)message * count;
    fill(words, count, drawn(round, rank, message));
    MPI_Isend(words, count, MPI_UINT32_T, destination(ranks, round, rank, message), message, MPI_COMM_WORLD,
              &requests[open++]);
  }
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
  coming = 0;
  for (int from = 0; from < ranks; ++from)
    for (int message = 0; message < messages && from != rank; ++message)
      if (destination(ranks, round, from, message) == rank)
        wrong += wrong_words(in + (long)coming++ * count, count, drawn(round, from, message));
  return wrong;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 8, messages = argc > 2 ? atoi(argv[2]) : 2;
  const int count = (argc > 3 ? atoi(argv[3]) : 256) / (int)sizeof(uint32_t);
  if (ranks < 2 || rounds < 1 || messages < 1 || count < 1) {
    if (rank == 0)
      fprintf(stderr, "uniform: two ranks or more, and rounds of messages with a word or more\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  uint32_t* out = malloc(sizeof(uint32_t) * messages * count);
  uint32_t* in = malloc(sizeof(uint32_t) * ranks * messages * count);
  MPI_Request* requests = malloc(sizeof(MPI_Request) * (ranks + 1) * messages);
  long wrong = 0, all_wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    wrong += exchange(round, messages, count, out, in, requests);
    work((double)messages * count);
    const uint32_t seed = drawn(round, ranks, 0);
    const int root = (int)(seed % (uint32_t)ranks);
    if (rank == root) fill(out, count, seed);
    MPI_Bcast(out, count, MPI_UINT32_T, root, MPI_COMM_WORLD);
    wrong += wrong_words(out, count, seed);
  }
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("uniform: %d rounds, %ld wrong words\n", rounds, all_wrong);
  free(out);
  free(in);
  free(requests);
  MPI_Finalize();
  return 0;
}
