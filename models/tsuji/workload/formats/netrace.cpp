// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/core/input_file.h"
#include "tsuji/workload/rank_graph.h"
#include "tsuji/workload/trace_formats.h"

namespace tsuji::workload {
namespace {

/// Little-endian numbers of a binary file.
class BinaryFile {
 public:
  explicit BinaryFile(const std::string& path)
      : file_(path, "workload.trace", "an uncompressed netrace file") {}

  /// Reads the next `bytes` bytes, at most the buffer's size. False if the file has fewer.
  bool take(std::size_t bytes) {
    if (end_ - begin_ < bytes) refill();
    if (end_ - begin_ < bytes) return false;
    record_ = buffer_.data() + begin_;
    begin_ += bytes;
    position_ += bytes;
    return true;
  }
  /// True before the end of the file.
  bool more() {
    if (begin_ == end_) refill();
    return begin_ != end_;
  }
  /// Skips `bytes` bytes; false if the file has fewer.
  bool skip(std::uint64_t bytes) {
    for (; bytes != 0; bytes -= std::min<std::uint64_t>(bytes, 4096))
      if (!take(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, 4096)))) return false;
    return true;
  }
  /// Number of `bytes` bytes at `offset` in the record that take() read.
  std::uint64_t number(std::size_t offset, std::size_t bytes) const {
    std::uint64_t value = 0;
    for (std::size_t at = bytes; at-- != 0;)
      value = value << 8 | static_cast<unsigned char>(record_[offset + at]);
    return value;
  }
  std::uint64_t position() const { return position_; }

 private:
  void refill() {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
    end_ += file_.read(buffer_.data() + end_, buffer_.size() - end_);
  }

  InputFile file_;
  std::vector<char> buffer_ = std::vector<char>(1U << 16);
  const char* record_ = nullptr;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t position_ = 0;
};

/// Reads netrace's trace files, version 1.0 (Hestness, Grot, Keckler 2010; netrace.c), uncompressed. A node
/// is a rank, a packet a message of the bytes of its type, and a cycle a nanosecond of computing.
///
/// A node sends its packets in the order of the file: it computes for the cycles since its previous packet,
/// waits for the packets that the next one depends on, and sends it. Address and kinds of the nodes are not
/// used.
class NetraceReader {
 public:
  explicit NetraceReader(const TraceFile& file) : limits_(file.limits), file_(file.path) {
    trace_.path = file.path;
  }

  Trace read() {
    header();
    while (file_.more()) packet();
    if (packets_ != expected_)
      refuse(std::to_string(packets_) + " packets", "truncated, or more packets than the header says",
             std::to_string(expected_) + " packets");
    if (!pending_.empty()) refuse_missing();
    for (Node& node : nodes_) node.graph.take(trace_);
    return std::move(trace_);
  }

 private:
  static constexpr std::size_t header_bytes = 72, packet_bytes = 21, id_bytes = 4, region_bytes = 24;
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  struct Node {
    RankGraph graph;
    std::uint64_t cycle = 0;       ///< of its previous packet
    std::uint32_t sent = nothing;  ///< the graph's number of that packet
  };
  /// A packet on which a later one depends.
  struct Arrival {
    std::uint64_t packet;
    std::uint32_t receive;
    std::uint8_t node;
  };

  /// Bytes of a packet by its type; 0: not a type.
  static std::uint32_t bytes_of(std::uint64_t type) {
    constexpr std::uint32_t address = 8, line = 72;
    constexpr std::array<std::uint32_t, 31> bytes = {
        0, address, line,    line,    line,    address, line,    0,       0,   0, 0,
        0, 0,       address, address, address, line,    0,       0,       0,   0, 0,
        0, 0,       0,       address, 0,       address, address, address, line};
    return type < bytes.size() ? bytes[type] : 0;
  }

  void header() {
    constexpr std::uint64_t magic = 0x484A5455, bzip2 = 0x685A42, one = 0x3F800000, most_notes = 8191,
                            most_regions = 100;
    const std::string accepted = "an uncompressed trace of netrace 1.0 (bzip2 -dc FILE.tra.bz2 > FILE.tra)";
    if (!file_.take(header_bytes)) refuse_header("", "no netrace file", accepted);
    if (file_.number(0, 3) == bzip2) refuse_header("bzip2", "a compressed trace", accepted);
    if (file_.number(0, 4) != magic) refuse_header("", "no netrace file", accepted);
    if (file_.number(4, 4) != one) refuse_header("", "another version of netrace", accepted);
    nodes_.resize(file_.number(38, 1));
    if (nodes_.empty()) refuse_header("0", "a trace without nodes", "1..255 nodes");
    expected_ = file_.number(48, 8);
    const std::uint64_t notes = file_.number(56, 4), regions = file_.number(60, 4);
    if (notes > most_notes) refuse_header(std::to_string(notes), "too long notes", "0..8191 bytes");
    if (regions > most_regions) refuse_header(std::to_string(regions), "too many regions", "0..100 regions");
    if (!file_.skip(notes + regions * region_bytes))
      refuse_header("", "truncated: the file ends within its header",
                    "notes and regions as the header counts them");
  }

  void packet() {
    ++packets_;
    if (!file_.take(packet_bytes)) refuse_truncated();
    const std::uint64_t cycle = file_.number(0, 8), type = file_.number(16, 1), source = file_.number(17, 1),
                        destination = file_.number(18, 1), dependencies = file_.number(20, 1);
    const auto id = static_cast<std::uint32_t>(file_.number(8, 4));
    const std::uint32_t bytes = bytes_of(type);
    if (bytes == 0)
      refuse(std::to_string(type), "not a type of a packet", "1..6, 13..16, 25, 27..30 (nt_packet_types)");
    for (const std::uint64_t node : {source, destination})
      if (node >= nodes_.size())
        refuse(std::to_string(node), "not a node", "0.." + std::to_string(nodes_.size() - 1));
    if (!seen_.insert(id).second) refuse(std::to_string(id), "a packet's number again", "each number once");
    send(cycle, bytes, static_cast<std::uint8_t>(source), static_cast<std::uint16_t>(destination), id);
    receive(bytes, static_cast<std::uint16_t>(source), static_cast<std::uint8_t>(destination), dependencies);
    if (packets_ * 4 > most_operations)
      refuse("", "the trace is too long", "at most " + std::to_string(most_operations / 4) + " packets");
  }

  void send(std::uint64_t cycle, std::uint32_t bytes, std::uint8_t source, std::uint16_t destination,
            std::uint32_t id) {
    Node& node = nodes_[source];
    if (cycle < cycle_)
      refuse(std::to_string(cycle), "a cycle before the previous packet's", "ascending cycles");
    if (cycle > limits_.rank_flops)
      refuse(std::to_string(cycle), "the node computes for too long",
             "at most cycle " + std::to_string(limits_.rank_flops) +
                 (limits_.because.empty() ? "" : " (" + limits_.because + ")"));
    cycle_ = cycle;
    TraceOp op;
    op.kind = TraceOpKind::compute;
    op.value = cycle - node.cycle;
    node.cycle = cycle;
    const std::uint32_t compute = node.graph.add(op, packets_);
    if (node.sent != nothing) node.graph.depend(compute, node.sent, true);
    op.kind = TraceOpKind::isend;
    op.value = bytes;
    op.peer = destination;
    node.sent = node.graph.add(op, packets_);
    node.graph.depend(node.sent, compute);
    wait_for_arrivals(source, id);
  }

  void wait_for_arrivals(std::uint8_t source, std::uint32_t id) {
    const auto found = pending_.find(id);
    if (found == pending_.end()) return;
    for (const Arrival& arrival : found->second) {
      if (arrival.node != source)
        refuse(std::to_string(id),
               "a packet of node " + std::to_string(source) + " that depends on packet " +
                   std::to_string(arrival.packet) + ", which node " + std::to_string(arrival.node) +
                   " receives",
               "dependencies on packets that its source receives");
      nodes_[source].graph.depend(nodes_[source].sent, arrival.receive);
    }
    pending_.erase(found);
  }

  void receive(std::uint32_t bytes, std::uint16_t source, std::uint8_t destination,
               std::uint64_t dependencies) {
    TraceOp op;
    op.kind = TraceOpKind::irecv;
    op.value = bytes;
    op.peer = source;
    const std::uint32_t number = nodes_[destination].graph.add(op, packets_);
    if (!file_.take(dependencies * id_bytes)) refuse_truncated();
    for (std::uint64_t at = 0; at < dependencies; ++at) {
      const auto later = static_cast<std::uint32_t>(file_.number(at * id_bytes, id_bytes));
      if (seen_.count(later) != 0)
        refuse(std::to_string(later), "an earlier packet, or the packet itself, that depends on this one",
               "dependencies of later packets: others make a circle");
      pending_[later].push_back({packets_, number, destination});
    }
  }

  [[noreturn]] void refuse_missing() {
    std::uint64_t first = packets_;
    std::uint32_t missing = 0;
    for (const auto& [id, arrivals] : pending_) {
      if (arrivals.front().packet > first) continue;
      first = arrivals.front().packet;
      missing = id;
    }
    packets_ = first;
    refuse(std::to_string(missing), "a packet that the file does not have",
           "dependencies of packets of the file");
  }
  [[noreturn]] void refuse_truncated() const {
    refuse("", "truncated: the file ends within a packet", std::to_string(expected_) + " packets");
  }
  [[noreturn]] void refuse_header(const std::string& value, const std::string& problem,
                                  const std::string& accepted) const {
    throw ConfigError("workload.trace", value, problem, accepted).at(trace_.path + ": header");
  }
  /// Refuses a value of the packet at hand.
  [[noreturn]] void refuse(const std::string& value, const std::string& problem,
                           const std::string& accepted) const {
    throw ConfigError("workload.trace", value, problem, accepted)
        .at(trace_.path + ": packet " + std::to_string(packets_) + " (before byte " +
            std::to_string(file_.position()) + ")");
  }

  const TraceLimits limits_;
  BinaryFile file_;
  Trace trace_;
  std::vector<Node> nodes_;
  std::uint64_t expected_ = 0, packets_ = 0, cycle_ = 0;
  std::unordered_set<std::uint32_t> seen_;                           ///< numbers of packets that were read
  std::unordered_map<std::uint32_t, std::vector<Arrival>> pending_;  ///< [number of a later packet]
};

struct Netrace {
  Trace make(const TraceFile& file) const { return NetraceReader(file).read(); }
};

}  // namespace

void add_netrace(TraceFormats& formats) {
  formats.add<Netrace>("netrace");
}

}  // namespace tsuji::workload
