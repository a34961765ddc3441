// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "tsuji/core/input_file.h"
#include "tsuji/workload/format_reader.h"
#include "tsuji/workload/rank_graph.h"
#include "tsuji/workload/trace_formats.h"

namespace tsuji::workload {
namespace {

using Json = nlohmann::json;

/// Characters of a text that count its lines.
class CountedText {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountedText(const char* at, std::uint64_t* lines) : at_(at), lines_(lines) {}
  reference operator*() const { return *at_; }
  CountedText& operator++() {
    if (*at_ == '\n') ++*lines_;
    ++at_;
    return *this;
  }
  bool operator==(const CountedText& other) const { return at_ == other.at_; }
  bool operator!=(const CountedText& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::uint64_t* lines_;
};

/// Reads Chakra execution traces in the JSON form of Chakra's feeder (a map with the list workload_graph),
/// one file for each rank. Numbers of nodes and of collectives are those of schema/protobuf/et_def.proto.
class ChakraReader final : public FormatReader {
 public:
  explicit ChakraReader(const TraceFile& file) : FormatReader(file), files_(rank_files(file.path)) {}

  Trace read() {
    trace_.paths = files_;
    for (const std::string& file : files_) {
      open(file);
      read_rank(file);
    }
    return finish();
  }

 private:
  struct Dependency {
    std::uint64_t later, earlier, line;
  };

  void read_rank(const std::string& file) {
    constexpr std::size_t most_file_bytes = std::size_t{1} << 34;
    const std::string text = read_input_file(file, key(), "a readable file", most_file_bytes);
    numbers_.clear();
    dependencies_.clear();
    lines_ = 1;
    has_graph_ = false;
    std::uint64_t begin = 1;
    std::string depth_key;
    const auto look = [&](int depth, Json::parse_event_t event, Json& parsed) {
      if (event == Json::parse_event_t::key && depth == 1) depth_key = parsed.get<std::string>();
      if (event == Json::parse_event_t::array_start && depth == 1 && depth_key == "workload_graph")
        has_graph_ = true;
      if (depth_key != "workload_graph" || depth != 2) return true;
      if (event == Json::parse_event_t::object_start) begin = lines_;
      if (event != Json::parse_event_t::object_end) return true;
      line_ = begin;
      node(parsed);
      return false;  // the file is not held as a whole
    };
    try {
      const auto whole = Json::parse(CountedText(text.data(), &lines_),
                                     CountedText(text.data() + text.size(), &lines_), look);
      static_cast<void>(whole);
    } catch (const Json::exception& error) {
      refuse_on(lines_, "", std::string("malformed JSON: ") + error.what(), "a JSON map");
    }
    if (!has_graph_) refuse_on(1, "", "no list workload_graph", "the JSON form of Chakra's feeder");
    depend();
    take(graph_);
  }

  void node(const Json& node) {
    const std::uint64_t id = unsigned_of(node, "Id", "id");
    const TraceOp op = operation(node);
    const std::uint32_t number = graph_.add(op, line_);
    if (!numbers_.emplace(id, number).second)
      refuse_on(line_, std::to_string(id), "a node's Id again", "each Id once");
    for (const char* name : {"data_deps", "ctrl_deps", "ctrlDeps"}) {
      const auto found = node.find(name);
      if (found == node.end()) continue;
      if (!found->is_array()) refuse_on(line_, name, "not a list of dependencies", "a list of Ids");
      for (const Json& one : *found) {
        if (!one.is_number_unsigned()) refuse_on(line_, one.dump(), "not a node's Id", "a whole number");
        dependencies_.push_back({id, one.get<std::uint64_t>(), line_});
      }
    }
  }

  TraceOp operation(const Json& node) {
    enum NodeType : std::uint64_t { metadata = 1, computes = 4, sends = 5, receives = 6, collective = 7 };
    TraceOp op;
    op.kind = TraceOpKind::compute;
    switch (const std::uint64_t type = unsigned_of(node, "NodeType", "type"); type) {
      case metadata:
        break;
      case computes:
        op.value = duration(node);
        break;
      case sends:
      case receives:
        op.kind = type == sends ? TraceOpKind::isend : TraceOpKind::irecv;
        op.peer = static_cast<std::uint16_t>(
            bounded(node, type == sends ? "comm_dst" : "comm_src", files_.size() - 1));
        op.tag =
            static_cast<std::int32_t>(node.contains("comm_tag") ? bounded(node, "comm_tag", most_tag) : 0);
        op.value = bounded(node, "comm_size", most_bytes);
        break;
      case collective:
        collective_operation(node, op);
        break;
      default:
        refuse_on(line_, std::to_string(type), "a node type that a replay does not know",
                  "1 (metadata), 4 (computation), 5 (send), 6 (receive), 7 (collective)");
    }
    return op;
  }

  void collective_operation(const Json& node, TraceOp& op) {
    enum Type : std::uint64_t {
      all_reduce,
      reduce,
      all_gather,
      gather,
      scatter,
      broadcast,
      all_to_all,
      reduce_scatter,
      barrier = 9
    };
    const std::uint64_t type = bounded(node, "comm_type", most_tag);
    op.value = type == barrier ? 0 : bounded(node, "comm_size", most_bytes);
    switch (type) {
      case all_reduce:
        op.kind = TraceOpKind::allreduce;
        break;
      case reduce:
        op.kind = TraceOpKind::reduce;
        break;
      case broadcast:
        op.kind = TraceOpKind::bcast;
        break;
      case barrier:
        op.kind = TraceOpKind::barrier;
        break;
      case all_gather:
      case reduce_scatter:
      case all_to_all:  // an equal block for each rank
        op.kind = TraceOpKind::alltoall;
        op.value /= files_.size();
        break;
      default:
        refuse_on(line_, std::to_string(type), "a collective operation that a replay does not know",
                  "comm_type 0 (all-reduce), 1 (reduce), 2 (all-gather), 5 (broadcast), 6 (all-to-all), 7 "
                  "(reduce-scatter), 9 (barrier)");
    }
  }

  /// Microseconds in nanoseconds.
  std::uint64_t duration(const Json& node) {
    const auto found = node.find("runtime");
    if (found == node.end()) return 0;
    const double us = found->is_number() ? found->get<double>() : -1;
    if (!(us >= 0 && us < 1e15)) refuse_on(line_, found->dump(), "not a runtime", "microseconds, at least 0");
    return computed(static_cast<std::uint64_t>(us * 1000 + 0.5), "");
  }

  std::uint64_t unsigned_of(const Json& node, const char* name, const char* other) const {
    return bounded(node, node.contains(name) ? name : other, std::numeric_limits<std::uint64_t>::max());
  }
  std::uint64_t bounded(const Json& node, const char* name, std::uint64_t most) const {
    const auto found = node.find(name);
    if (found == node.end()) refuse_on(line_, "", std::string("a node without ") + name, name);
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() > most)
      refuse_on(line_, found->dump(), std::string("not a value of ") + name, "0.." + std::to_string(most));
    return found->get<std::uint64_t>();
  }

  /// Dependencies on nodes that are not in the file are those of Chakra's own filters, and hold.
  void depend() {
    for (const Dependency& one : dependencies_) {
      const auto earlier = numbers_.find(one.earlier);
      if (earlier != numbers_.end()) graph_.depend(numbers_.at(one.later), earlier->second);
    }
  }

  const std::vector<std::string> files_;
  RankGraph graph_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  ///< [Id]: the graph's number
  std::vector<Dependency> dependencies_;
  std::uint64_t lines_ = 1, line_ = 1;  ///< line at hand, and of the node at hand
  bool has_graph_ = false;
};

struct Chakra {
  Trace make(const TraceFile& file) const { return ChakraReader(file).read(); }
};

}  // namespace

void add_chakra(TraceFormats& formats) {
  formats.add<Chakra>("chakra");
}

}  // namespace tsuji::workload
