// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/workload/npb/benchmark.h"

// Conjugate gradient: the inverse power method on a random sparse matrix, 25 iterations of CG a step. Ranks
// are a grid of rows x columns, rows = columns or columns = 2 x rows; a product with the matrix adds up
// over a row of ranks (recursive halving of the grid's row, whole vectors) and goes to the rank at the
// transposed place. Dot products add up over a row likewise.

namespace tsuji::workload::npb {
namespace {

struct Size {
  unsigned rows;      ///< of the matrix
  unsigned nonzeros;  ///< of a generating vector
  unsigned steps;
};

Size size_of(char size_class) {
  return of_class<Size>(size_class,
                        {{{1400, 7, 15}, {7000, 8, 15}, {14000, 11, 15}, {75000, 13, 75}, {150000, 15, 75}}});
}

unsigned steps(char size_class) {
  return size_of(size_class).steps;
}

/// Every column of ranks has a row of the matrix at least.
std::vector<unsigned> rank_counts(char size_class) {
  std::vector<unsigned> counts = powers_of_two(1U << 15);
  while (1U << (log2_of(counts.back()) + 1) / 2 > size_of(size_class).rows) counts.pop_back();
  return counts;
}

constexpr unsigned cg_iterations = 25;
constexpr std::int32_t transpose_tag = 1;

class Rank {
 public:
  Rank(const Size& size, unsigned ranks, RankWriter& out)
      : out_(out),
        matrix_rows_(size.rows),
        row_count_(1U << log2_of(ranks) / 2),
        column_count_(ranks / row_count_),
        row_(out.rank() / column_count_),
        column_(out.rank() % column_count_) {
    // The formula that the benchmark prints has, for a row of the matrix and a CG iteration, two operations
    // for each of the nonzeros x (nonzeros + 1) elements of a row and for five vector operations.
    const double row_flops = 2.0 * size.rows / ranks;
    product_flops_ = row_flops * size.nonzeros * (size.nonzeros + 1);
    vector_flops_ = row_flops;
  }

  /// One call of the solver, and the two dot products after it.
  void step() {
    vectors(1);
    sum(double_bytes);
    for (unsigned i = 0; i < cg_iterations; ++i) {
      product();
      vectors(1);
      sum(double_bytes);
      vectors(3);
      sum(double_bytes);
      vectors(1);
    }
    product();
    vectors(2);
    sum(double_bytes);
    vectors(2);
    sum(2 * double_bytes);
    vectors(1);
  }

 private:
  void vectors(unsigned operations) { out_.compute(vector_flops_ * operations); }

  /// Partner i of the row, 0 the farthest: over the row's halves, quarters, ..
  unsigned partner(unsigned i) const { return row_ * column_count_ + (column_ ^ (column_count_ >> (i + 1))); }

  /// In both directions; tags count from 1.
  void exchange(unsigned i, std::uint64_t bytes_out, std::uint64_t bytes_in) {
    const auto tag = static_cast<std::int32_t>(i + 1);
    out_.irecv(partner(i), tag, bytes_in);
    out_.send(partner(i), tag, bytes_out);
    out_.wait_received(partner(i), tag);
  }

  void sum(std::uint64_t bytes) {
    for (unsigned i = 0; i < log2_of(column_count_); ++i) exchange(i, bytes, bytes);
  }

  /// Elements of a vector that a rank has after the sum over its row: all of the row's where the grid is
  /// square; where there are twice as many columns, two neighbours have a half each.
  unsigned elements(unsigned rank) const {
    const unsigned rows = block_points(matrix_rows_, row_count_, rank / column_count_);
    if (row_count_ == column_count_) return rows;
    return rank % 2 == 0 ? (rows + 1) / 2 : rows / 2;
  }

  void product() {
    out_.compute(product_flops_);
    const unsigned partners = log2_of(column_count_);
    const std::uint64_t own = elements(out_.rank()) * double_bytes;
    for (unsigned i = partners; i-- > 0;) {
      // The first partner is the neighbour, who wants the half that it will have.
      exchange(i, i + 1 == partners ? elements(partner(i)) * double_bytes : own, own);
    }
    if (partners > 0) transpose(own);
  }

  void transpose(std::uint64_t own_bytes) {
    const unsigned rank = out_.rank(), pair = column_count_ / row_count_;
    const unsigned to =
        pair * (rank / pair % row_count_ * row_count_ + rank / pair / row_count_) + rank % pair;
    out_.irecv(to, transpose_tag, elements(to) * double_bytes);
    out_.send(to, transpose_tag, own_bytes);
    out_.wait_received(to, transpose_tag);
  }

  RankWriter& out_;
  const unsigned matrix_rows_;
  const unsigned row_count_, column_count_, row_, column_;
  double product_flops_, vector_flops_;
};

void write(const Problem& problem, Skeleton& skeleton) {
  const Size size = size_of(problem.size_class);
  skeleton.each_rank([&](RankWriter& out) {
    Rank rank(size, problem.ranks, out);
    out.bcast(int_bytes);
    rank.step();  // untimed, to touch all memory
    out.barrier();
    out.roi_begin();
    out.repeat(problem.steps, [&] { rank.step(); });
    out.roi_end();
    out.reduce(double_bytes);
  });
}

}  // namespace

Benchmark cg() {
  return {"cg", steps, rank_counts, write};
}

}  // namespace tsuji::workload::npb
