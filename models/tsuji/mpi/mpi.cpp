// SPDX-License-Identifier: Apache-2.0
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#ifdef TSUJI_METIS
#include <metis.h>
#endif

#include <memory>

#include "tsuji/mpi/transport.h"

// MPI's default error handler ends the job with the name of the rank, so no result is looked at.

namespace tsuji::mpi {
namespace {

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    MPI_Init(nullptr, nullptr);
    int number = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    own_ = static_cast<unsigned>(number);
    MPI_Comm_size(MPI_COMM_WORLD, &number);
    count_ = static_cast<unsigned>(number);
  }
  unsigned own() const override { return own_; }
  unsigned count() const override { return count_; }
  void send(unsigned rank, const Bytes& message) override {
    sent_.emplace_back();
    MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, static_cast<int>(rank), 0,
              MPI_COMM_WORLD, &sent_.back());
  }
  void receive(unsigned rank, Bytes& message) override {
    MPI_Message found;
    MPI_Status status;
    MPI_Mprobe(static_cast<int>(rank), 0, MPI_COMM_WORLD, &found, &status);
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    message.resize(static_cast<std::size_t>(bytes));
    MPI_Mrecv(message.data(), bytes, MPI_BYTE, &found, MPI_STATUS_IGNORE);
  }
  void flush() override {
    MPI_Waitall(static_cast<int>(sent_.size()), sent_.data(), MPI_STATUSES_IGNORE);
    sent_.clear();
  }
#ifdef TSUJI_METIS
  std::vector<std::uint16_t> cut(const CutGraph& graph) override;
#endif
  void finish() override {
    MPI_Finalize();
  }

 private:
  unsigned own_ = 0, count_ = 1;
  std::vector<MPI_Request> sent_;
};

#ifdef TSUJI_METIS
std::vector<std::uint16_t> MpiTransport::cut(const CutGraph& graph) {
  using Numbers = std::vector<idx_t>;
  const auto numbers = [](const std::vector<std::uint32_t>& from) {
    return Numbers(from.begin(), from.end());
  };
  Numbers first = numbers(graph.first), neighbours = numbers(graph.neighbours),
          weights = numbers(graph.weights), loads = numbers(graph.loads), part(graph.loads.size());
  idx_t vertices = static_cast<idx_t>(part.size()), kinds_of_load = 1, parts = static_cast<idx_t>(count_),
        cost = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NCUTS] = 10;  // the best of them has a tenth fewer links of a torus than the first
  const int done = METIS_PartGraphRecursive(&vertices, &kinds_of_load, first.data(), neighbours.data(),
                                            loads.data(), nullptr, weights.data(), &parts, nullptr, nullptr,
                                            options, &cost, part.data());
  return done == METIS_OK ? std::vector<std::uint16_t>(part.begin(), part.end())
                          : std::vector<std::uint16_t>();
}
#endif

}  // namespace
}  // namespace tsuji::mpi

extern "C" tsuji::mpi::Transport* tsuji_mpi_join() {
  return std::make_unique<tsuji::mpi::MpiTransport>().release();
}
