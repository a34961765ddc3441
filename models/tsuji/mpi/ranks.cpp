// SPDX-License-Identifier: Apache-2.0
#include "tsuji/mpi/ranks.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::mpi {
namespace {

/// Environment variables of a launcher: number of ranks, and number of this process.
struct Launcher {
  const char* count;
  const char* own;
};
constexpr Launcher launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                  {"PMI_SIZE", "PMI_RANK"},
                                  {"SLURM_NTASKS", "PMIX_RANK"}};

/// The launcher of this process; null: none, or one of a single process.
const Launcher* launcher() {
  for (const Launcher& one : launchers) {
    const char* const count = std::getenv(one.count);
    if (std::getenv(one.own) != nullptr && count != nullptr && std::string(count) != "1") return &one;
  }
  return nullptr;
}

/// The module with MPI: beside the executable in a build, in a library folder of an installation.
void* open_module() {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path own = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  for (const char* const folder : {".", "platforms", "../platforms", "../lib/tsuji"}) {
    const fs::path file = own / folder / "tsuji_mpi.so";
    // MPI's own components look for its symbols among those of the whole process.
    if (void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) return module;
  }
  return nullptr;
}

}  // namespace

bool Ranks::launched() {
  return launcher() != nullptr;
}

unsigned Ranks::launched_as() {
  const Launcher* const one = launcher();
  return one == nullptr ? 0 : static_cast<unsigned>(std::strtoul(std::getenv(one->own), nullptr, 10));
}

std::unique_ptr<Ranks> Ranks::join() {
  const Launcher* const one = launcher();
  if (one == nullptr) return nullptr;
  void* const module = open_module();
  void* const join = module == nullptr ? nullptr : dlsym(module, join_function);
  if (join == nullptr)
    throw ConfigError(one->count, std::getenv(one->count),
                      "a machine on several ranks needs MPI, which this build does not have",
                      "one process, or a build with Debian's packages libopenmpi-dev and openmpi-bin");
  std::unique_ptr<Transport> transport(reinterpret_cast<JoinFunction>(join)());
  return std::make_unique<Ranks>(std::move(transport));
}

Ranks::Ranks(std::unique_ptr<Transport> transport)
    : transport_(std::move(transport)), to_(count()), from_(count()), ends_(count()), has_left_(count()) {}

std::vector<Bytes>& Ranks::begin() {
  for (Bytes& message : to_) {
    message.clear();
    put(message, Header{});
  }
  return to_;
}

const std::vector<Bytes>& Ranks::exchange() {
  const Header header{0, received_ ? received_() : 0};
  newest_signal_ = header.signal;
  for (unsigned rank = 0; rank < count(); ++rank) {
    if (rank == own()) continue;
    std::memcpy(to_[rank].data(), &header, sizeof header);
    transport_->send(rank, to_[rank]);
  }
  for (unsigned rank = 0; rank < count(); ++rank)
    if (rank != own()) take(rank);
  transport_->flush();
  if (signal_ == 0) signal_ = newest_signal_;
  for (unsigned rank = 0; rank < count(); ++rank)
    if (has_left_[rank]) throw RankLeft(rank, ends_[rank].exit_status, ends_[rank].text);
  return from_;
}

/// Receives the next message of a rank, unless it has left.
void Ranks::take(unsigned rank) {
  if (has_left_[rank]) return;
  transport_->receive(rank, from_[rank]);
  Reader reader(from_[rank]);
  const auto header = reader.get<Header>();
  newest_signal_ = std::max(newest_signal_, header.signal);
  if (header.left == 0) return;
  has_left_[rank] = true;
  ends_[rank].exit_status = reader.get<int>();
  ends_[rank].for_another = reader.get<bool>();
  ends_[rank].text = reader.get_text();
}

Reader Ranks::read(unsigned rank) const {
  Reader reader(from_[rank]);
  if (rank != own()) (void)reader.get<Header>();
  return reader;
}

std::vector<Reader> Ranks::gather(const Bytes& own_message) {
  begin();
  for (unsigned rank = 0; rank < count(); ++rank)
    if (rank != own()) to_[rank].append(own_message.data(), own_message.size());
  exchange();
  std::vector<Reader> all;
  for (unsigned rank = 0; rank < count(); ++rank)
    all.push_back(rank == own() ? Reader(own_message) : read(rank));
  return all;
}

std::vector<std::uint16_t> Ranks::cut(const CutGraph& graph) {
  Bytes own_message;
  if (own() == 0) {
    const std::vector<std::uint16_t> parts = transport_->cut(graph);
    std::vector<bool> has(count());
    for (const std::uint16_t part : parts) has.at(part) = true;
    if (std::find(has.begin(), has.end(), false) == has.end())
      own_message.append(parts.data(), parts.size() * sizeof parts.front());
  }
  std::vector<std::uint16_t> parts;
  for (Reader& of_rank : gather(own_message))
    while (!of_rank.at_end()) parts.push_back(of_rank.get<std::uint16_t>());
  return parts;
}

template <class Combine>
std::uint64_t Ranks::combine(std::uint64_t value, const Combine& combine) {
  for (Bytes& message : begin()) put(message, value);
  exchange();
  for (unsigned rank = 0; rank < count(); ++rank)
    if (rank != own()) value = combine(value, read(rank).get<std::uint64_t>());
  return value;
}

std::uint64_t Ranks::sum(std::uint64_t value) {
  return combine(value, [](std::uint64_t one, std::uint64_t other) { return one + other; });
}

std::vector<std::uint64_t> Ranks::sum_each(const std::vector<std::uint64_t>& own_values) {
  Bytes message;
  for (const std::uint64_t value : own_values) put(message, value);
  std::vector<std::uint64_t> all(own_values.size());
  for (Reader& of_rank : gather(message))
    for (std::uint64_t& sum : all) sum += of_rank.get<std::uint64_t>();
  return all;
}

std::uint64_t Ranks::least(std::uint64_t value) {
  return combine(value, [](std::uint64_t one, std::uint64_t other) { return std::min(one, other); });
}

std::uint64_t Ranks::greatest(std::uint64_t value) {
  return combine(value, [](std::uint64_t one, std::uint64_t other) { return std::max(one, other); });
}

std::vector<Ranks::End> Ranks::leave(const End& own_end) {
  Bytes farewell;
  put(farewell, Header{1, 0});
  put(farewell, own_end.exit_status);
  put(farewell, own_end.for_another);
  put_text(farewell, own_end.text);
  for (unsigned rank = 0; rank < count(); ++rank)
    if (rank != own()) transport_->send(rank, farewell);
  for (unsigned rank = 0; rank < count(); ++rank)
    while (rank != own() && !has_left_[rank]) take(rank);
  ends_[own()] = own_end;
  transport_->flush();
  transport_->finish();
  return ends_;
}

}  // namespace tsuji::mpi
