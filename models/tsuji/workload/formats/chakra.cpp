// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tsuji/core/input_file.h"
#include "tsuji/workload/format_reader.h"
#include "tsuji/workload/rank_graph.h"
#include "tsuji/workload/trace_formats.h"

namespace tsuji::workload {
namespace {

using Json = nlohmann::json;

/// Characters of a file, and the line at hand.
class CountedFile {
 public:
  CountedFile(const std::string& path, const char* key) : file_(path, key) { refill(); }
  std::uint64_t line() const { return line_; }

  class Position {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    /// The next character of the file, or without a file the end.
    explicit Position(CountedFile* file = nullptr) : file_(file) {}
    reference operator*() const { return file_->buffer_[file_->at_]; }
    Position& operator++() {
      file_->advance();
      return *this;
    }
    bool operator==(const Position& other) const { return ended() == other.ended(); }
    bool operator!=(const Position& other) const { return !(*this == other); }

   private:
    bool ended() const { return file_ == nullptr || file_->at_ == file_->end_; }
    CountedFile* file_;
  };

 private:
  void advance() {
    if (buffer_[at_] == '\n') ++line_;
    if (++at_ == end_) refill();
  }
  void refill() {
    at_ = 0;
    end_ = file_.read(buffer_.data(), buffer_.size());
  }

  InputFile file_;
  std::vector<char> buffer_ = std::vector<char>(1U << 16);
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t line_ = 1;
};

/// Member of a node that a replay reads.
enum class Field : std::uint8_t {
  id,
  type,
  runtime,
  destination,
  source,
  tag,
  bytes,
  collective,
  dependencies,
  unused
};

struct FieldName {
  std::string_view word;
  Field field;
};
constexpr std::array<FieldName, 13> field_names = {{{"Id", Field::id},
                                                    {"id", Field::id},
                                                    {"NodeType", Field::type},
                                                    {"type", Field::type},
                                                    {"runtime", Field::runtime},
                                                    {"comm_dst", Field::destination},
                                                    {"comm_src", Field::source},
                                                    {"comm_tag", Field::tag},
                                                    {"comm_size", Field::bytes},
                                                    {"comm_type", Field::collective},
                                                    {"data_deps", Field::dependencies},
                                                    {"ctrl_deps", Field::dependencies},
                                                    {"ctrlDeps", Field::dependencies}}};

/// Value of a member.
struct Value {
  enum class Kind : std::uint8_t { none, whole, real, other };
  Kind kind = Kind::none;
  std::uint64_t whole = 0;
  double real = 0;
  std::string_view other = {};  ///< description of a value that is no number

  bool is_number() const { return kind == Kind::whole || kind == Kind::real; }
  double number() const { return kind == Kind::whole ? static_cast<double>(whole) : real; }
  std::string text() const {
    return kind == Kind::whole  ? std::to_string(whole)
           : kind == Kind::real ? std::to_string(real)
                                : std::string(other);
  }
};

/// A node of the graph: an operation of a rank.
struct ChakraNode {
  std::array<Value, static_cast<std::size_t>(Field::dependencies)> values;
  std::vector<std::uint64_t> dependencies;
  std::uint64_t line = 1;

  const Value& operator[](Field field) const { return values[static_cast<std::size_t>(field)]; }
  void clear(std::uint64_t begin) {
    values = {};
    dependencies.clear();
    line = begin;
  }
};

/// Takes the nodes of the list `workload_graph` from a JSON map, one at a time. Calls `take(node)` for each,
/// and `refuse(line, value, problem, accepted)`, which does not return.
class NodeParser {
 public:
  using Take = std::function<void(const ChakraNode&)>;
  using Refuse =
      std::function<void(std::uint64_t, const std::string&, const std::string&, const std::string&)>;

  NodeParser(const CountedFile& file, Take take, Refuse refuse)
      : file_(file), take_(std::move(take)), refuse_(std::move(refuse)) {}
  bool has_graph() const { return has_graph_; }

  // The interface of nlohmann's sax_parse().
  bool null() { return other("null"); }
  bool boolean(bool value) { return other(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) {
    return set({Value::Kind::real, 0, static_cast<double>(value), {}});
  }
  bool number_unsigned(std::uint64_t value) { return set({Value::Kind::whole, value, 0, {}}); }
  bool number_float(double value, const std::string&) { return set({Value::Kind::real, 0, value, {}}); }
  bool string(std::string&) { return other("a text"); }
  bool binary(std::vector<std::uint8_t>&) { return other("binary data"); }
  bool start_object(std::size_t) {
    if (++depth_ != node_depth || !in_graph_) return open(false);
    node_.clear(file_.line());
    field_ = Field::unused;
    return true;
  }
  bool key(std::string& word) {
    if (depth_ == 1) in_graph_ = false, graph_next_ = word == "workload_graph";
    if (depth_ == node_depth && in_graph_) field_ = field_of(word);
    return true;
  }
  bool end_object() {
    if (depth_-- == node_depth && in_graph_) take_(node_);
    return true;
  }
  bool start_array(std::size_t) {
    if (++depth_ == 2 && graph_next_) has_graph_ = in_graph_ = true;
    return open(true);
  }
  bool end_array() {
    if (depth_-- == 2) in_graph_ = false;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) {
    refuse_(file_.line(), "", std::string("malformed JSON: ") + error.what(), "a JSON map");
    return false;
  }

 private:
  static constexpr unsigned node_depth = 3;  // map, list, node

  static Field field_of(std::string_view word) {
    for (const FieldName& name : field_names)
      if (name.word == word) return name.field;
    return Field::unused;
  }
  /// A list or a map begins; its values have the depth at hand.
  bool open(bool list) {
    if (!in_graph_ || depth_ < node_depth) return true;
    if (depth_ == node_depth) refuse_(file_.line(), "a list", "not a node", "a map");
    if (field_ == Field::dependencies && (!list || depth_ != node_depth + 1))
      refuse_(node_.line, list ? "a list" : "a map", "not a list of dependencies", "a list of Ids");
    if (field_ != Field::unused && field_ != Field::dependencies && depth_ == node_depth + 1)
      node_.values[static_cast<std::size_t>(field_)] = {Value::Kind::other, 0, 0, "a list or a map"};
    return true;
  }
  bool other(std::string_view text) { return set({Value::Kind::other, 0, 0, text}); }
  bool set(const Value& value) {
    if (!in_graph_ || depth_ < node_depth) {
      if (in_graph_) refuse_(file_.line(), value.text(), "not a node", "a map");
      return true;
    }
    if (field_ == Field::dependencies) return add_dependency(value);
    if (depth_ == node_depth && field_ != Field::unused)
      node_.values[static_cast<std::size_t>(field_)] = value;
    return true;
  }
  bool add_dependency(const Value& value) {
    if (depth_ == node_depth)
      refuse_(node_.line, value.text(), "not a list of dependencies", "a list of Ids");
    if (value.kind != Value::Kind::whole)
      refuse_(node_.line, value.text(), "not a node's Id", "a whole number");
    node_.dependencies.push_back(value.whole);
    return true;
  }

  const CountedFile& file_;
  const Take take_;
  const Refuse refuse_;
  ChakraNode node_;
  Field field_ = Field::unused;
  unsigned depth_ = 0;
  bool graph_next_ = false, in_graph_ = false, has_graph_ = false;
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
  /// A dependency on a node that the file has later, or not at all.
  struct Dependency {
    std::uint32_t later;
    std::uint64_t earlier;
  };

  void read_rank(const std::string& path) {
    numbers_.clear();
    dependencies_.clear();
    CountedFile file(path, key());
    NodeParser parser(
        file, [this](const ChakraNode& one) { node(one); },
        [this](std::uint64_t line, const std::string& value, const std::string& problem,
               const std::string& accepted) { refuse_on(line, value, problem, accepted); });
    Json::sax_parse(CountedFile::Position(&file), CountedFile::Position(), &parser);
    if (!parser.has_graph()) refuse_on(1, "", "no list workload_graph", "the JSON form of Chakra's feeder");
    depend();
    take(graph_);
  }

  void node(const ChakraNode& node) {
    line_ = node.line;
    const std::uint64_t id = bounded(node, Field::id, "id", std::numeric_limits<std::uint64_t>::max());
    const std::uint32_t number = graph_.add(operation(node), line_);
    if (!numbers_.emplace(id, number).second)
      refuse_on(line_, std::to_string(id), "a node's Id again", "each Id once");
    for (const std::uint64_t earlier : node.dependencies) {
      const auto found = numbers_.find(earlier);
      if (found != numbers_.end()) {
        graph_.depend(number, found->second);
      } else {
        dependencies_.push_back({number, earlier});
      }
    }
  }

  TraceOp operation(const ChakraNode& node) {
    enum NodeType : std::uint64_t { metadata = 1, computes = 4, sends = 5, receives = 6, collective = 7 };
    TraceOp op;
    op.kind = TraceOpKind::compute;
    switch (const std::uint64_t type = bounded(node, Field::type, "type", most_tag); type) {
      case metadata:
        break;
      case computes:
        op.value = duration(node);
        break;
      case sends:
      case receives:
        op.kind = type == sends ? TraceOpKind::isend : TraceOpKind::irecv;
        op.peer = static_cast<std::uint16_t>(
            type == sends ? bounded(node, Field::destination, "comm_dst", files_.size() - 1)
                          : bounded(node, Field::source, "comm_src", files_.size() - 1));
        if (node[Field::tag].kind != Value::Kind::none)
          op.tag = static_cast<std::int32_t>(bounded(node, Field::tag, "comm_tag", most_tag));
        op.value = bounded(node, Field::bytes, "comm_size", most_bytes);
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

  void collective_operation(const ChakraNode& node, TraceOp& op) {
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
    const std::uint64_t type = bounded(node, Field::collective, "comm_type", most_tag);
    op.value = type == barrier ? 0 : bounded(node, Field::bytes, "comm_size", most_bytes);
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
  std::uint64_t duration(const ChakraNode& node) {
    const Value& runtime = node[Field::runtime];
    if (runtime.kind == Value::Kind::none) return 0;
    const double us = runtime.is_number() ? runtime.number() : -1;
    if (!(us >= 0 && us < 1e15))
      refuse_on(line_, runtime.text(), "not a runtime", "microseconds, at least 0");
    return computed(static_cast<std::uint64_t>(us * 1000 + 0.5), "");
  }

  std::uint64_t bounded(const ChakraNode& node, Field field, const char* name, std::uint64_t most) const {
    const Value& value = node[field];
    if (value.kind == Value::Kind::none) refuse_on(line_, "", std::string("a node without ") + name, name);
    if (value.kind != Value::Kind::whole || value.whole > most)
      refuse_on(line_, value.text(), std::string("not a value of ") + name, "0.." + std::to_string(most));
    return value.whole;
  }

  /// Dependencies on nodes that are not in the file are those of Chakra's own filters, and hold.
  void depend() {
    for (const Dependency& one : dependencies_) {
      const auto earlier = numbers_.find(one.earlier);
      if (earlier != numbers_.end()) graph_.depend(one.later, earlier->second);
    }
  }

  const std::vector<std::string> files_;
  RankGraph graph_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  ///< [Id]: the graph's number
  std::vector<Dependency> dependencies_;
  std::uint64_t line_ = 1;  ///< of the node at hand
};

struct Chakra {
  Trace make(const TraceFile& file) const { return ChakraReader(file).read(); }
};

}  // namespace

void add_chakra(TraceFormats& formats) {
  formats.add<Chakra>("chakra");
}

}  // namespace tsuji::workload
