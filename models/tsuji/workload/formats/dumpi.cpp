// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tsuji/workload/format_reader.h"
#include "tsuji/workload/trace_formats.h"

namespace tsuji::workload {
namespace {

using Kind = TraceOpKind;

/// Bytes of MPI's own datatypes on 64-bit machines.
constexpr std::array<std::pair<std::string_view, unsigned>, 24> datatypes = {
    {{"MPI_CHAR", 1},          {"MPI_SIGNED_CHAR", 1},    {"MPI_UNSIGNED_CHAR", 1},
     {"MPI_BYTE", 1},          {"MPI_PACKED", 1},         {"MPI_WCHAR", 4},
     {"MPI_SHORT", 2},         {"MPI_UNSIGNED_SHORT", 2}, {"MPI_INT", 4},
     {"MPI_UNSIGNED", 4},      {"MPI_LONG", 8},           {"MPI_UNSIGNED_LONG", 8},
     {"MPI_FLOAT", 4},         {"MPI_DOUBLE", 8},         {"MPI_LONG_DOUBLE", 16},
     {"MPI_LONG_LONG_INT", 8}, {"MPI_LONG_LONG", 8},      {"MPI_UNSIGNED_LONG_LONG", 8},
     {"MPI_FLOAT_INT", 8},     {"MPI_DOUBLE_INT", 12},    {"MPI_LONG_INT", 12},
     {"MPI_SHORT_INT", 6},     {"MPI_2INT", 8},           {"MPI_LONG_DOUBLE_INT", 20}}};

/// Calls that send no message.
constexpr std::array<std::string_view, 24> silent_calls = {
    "MPI_Init_thread", "MPI_Initialized", "MPI_Finalized",      "MPI_Comm_rank",
    "MPI_Comm_size",   "MPI_Wtime",       "MPI_Wtick",          "MPI_Pcontrol",
    "MPI_Get_count",   "MPI_Get_version", "MPI_Type_commit",    "MPI_Type_free",
    "MPI_Type_size",   "MPI_Type_extent", "MPI_Errhandler_set", "MPI_Comm_group",
    "MPI_Group_free",  "MPI_Iprobe",      "MPI_Probe",          "MPI_Get_address",
    "MPI_Op_create",   "MPI_Op_free",     "MPI_Attr_get",       "MPI_Get_processor_name"};

constexpr const char* known_calls =
    "Send, Isend and their B, R and S forms, Recv, Irecv, Sendrecv, Wait, Waitall, Waitany, Waitsome, Test, "
    "Testall, "
    "Barrier, Bcast, Reduce, Allreduce, Allgather, Alltoall, Alltoallv, of MPI_COMM_WORLD, and calls without "
    "messages";

/// Reads the text that dumpi2ascii of SST's DUMPI writes, one file for each rank. Between two calls a rank
/// computes for the difference of their wall times.
class DumpiReader final : public FormatReader {
 public:
  explicit DumpiReader(const TraceFile& file) : FormatReader(file), files_(rank_files(file.path)) {}

  Trace read() {
    trace_.paths = files_;
    for (const std::string& file : files_) {
      open(file);
      read_rank();
    }
    return finish();
  }

 private:
  struct Request {
    std::uint64_t id;
    std::uint16_t peer;
    bool receives;
    std::int32_t tag;
  };

  std::uint16_t rank() const { return static_cast<std::uint16_t>(trace_.size() - 1); }

  void read_rank() {
    trace_.ranks.emplace_back();
    trace_.lines.emplace_back();
    requests_.clear();
    call_.clear();
    begun_ = finalized_ = false;
    while (next_line()) {
      if (words_.empty()) continue;
      if (words_.size() > 3 && words_[1] == "entering" && words_[2] == "at") {
        enter();
      } else if (words_.size() > 3 && words_[1] == "returning" && words_[2] == "at") {
        leave();
      } else if (!call_.empty()) {
        parameter();
      }
    }
    if (!call_.empty()) refuse_end("truncated: the file ends within " + call_, "the call's end");
    if (!finalized_) refuse_end("truncated: the file ends before MPI_Finalize", "MPI_Finalize");
    trace_.ranks.back().shrink_to_fit();
    end_rank();
  }

  /// "walltime 1296777956.737669000,": nanoseconds.
  std::uint64_t wall_time() {
    const bool is_time = words_.size() > 4 && words_[3] == "walltime" && words_[4].back() == ',';
    const std::string_view text = is_time ? words_[4].substr(0, words_[4].size() - 1) : words_[0];
    const std::size_t point = text.find('.');
    if (!is_time || point == std::string_view::npos || text.size() - point != 10)
      refuse(text, "not a time", "walltime SECONDS.NANOSECONDS,");
    return number(text.substr(0, point), 0, most_seconds, "a number of seconds") * 1'000'000'000 +
           number(text.substr(point + 1), 0, 999'999'999, "a number of nanoseconds");
  }

  void enter() {
    if (!call_.empty()) refuse(words_[0], "a call within " + call_, "the end of " + call_ + " first");
    if (finalized_) refuse(words_[0], "a call after MPI_Finalize", "MPI_Finalize as the last call");
    const std::uint64_t now = wall_time();
    call_ = words_[0];
    line_ = line_number();
    parameters_.clear();
    if (!begun_) return;
    if (now < returned_) refuse(words_[4], "the time runs backwards", "times in ascending order");
    TraceOp op;
    op.kind = Kind::compute;
    op.value = computed(now - returned_, words_[4]);
    if (op.value != 0) add(op);
  }

  /// "MPI_Comm comm=2 (MPI_COMM_WORLD)", "int sendcounts[4]=[1, 2, 3, 4]"
  void parameter() {
    const std::size_t equals = text_.find('=');
    if (equals == std::string_view::npos) return;
    std::string_view name = text_.substr(0, equals);
    if (const std::size_t bracket = name.find('['); bracket != std::string_view::npos)
      name = name.substr(0, bracket);
    if (const std::size_t blank = name.find_last_of(' '); blank != std::string_view::npos)
      name = name.substr(blank + 1);
    std::string_view value = text_.substr(equals + 1);
    if (!value.empty() && value.back() == '\r') value.remove_suffix(1);
    parameters_[std::string(name)] = {std::string(value), line_number()};
  }

  void leave() {
    if (words_[0] != call_) refuse(words_[0], "the end of another call than " + call_, call_ + " returning");
    returned_ = wall_time();
    play();
    call_.clear();
  }

  void play() {
    const std::string name = call_.substr(0, 4) == "MPI_" ? call_.substr(4) : call_;
    if (name == "Init" || name == "Init_thread") {
      begun_ = true;
      add(TraceOp{});
    } else if (name == "Finalize") {
      finalized_ = true;
      if (!requests_.empty()) wait_for(ids(requests_));
      TraceOp op;
      op.kind = Kind::finalize;
      add(op);
    } else if (std::find(silent_calls.begin(), silent_calls.end(), call_) == silent_calls.end()) {
      communicate(name);
    }
  }

  void communicate(const std::string& name) {
    const std::array<std::string_view, 4> sends = {"Send", "Bsend", "Ssend", "Rsend"},
                                          isends = {"Isend", "Ibsend", "Issend", "Irsend"};
    if (std::find(sends.begin(), sends.end(), name) != sends.end()) return message(Kind::send, "dest", "");
    if (std::find(isends.begin(), isends.end(), name) != isends.end())
      return message(Kind::isend, "dest", "");
    if (name == "Recv") return message(Kind::recv, "source", "");
    if (name == "Irecv") return message(Kind::irecv, "source", "");
    if (name == "Sendrecv") return exchange();
    if (name == "Wait") return wait_for(list("request"));
    if (name == "Waitall") return wait_for(list("requests"));
    if (name == "Waitany" || name == "Waitsome") return wait_for_some(name == "Waitany");
    if (name == "Test" || name == "Testall") {
      if (integer("flag") != 0) wait_for(list(name == "Test" ? "request" : "requests"));
      return;
    }
    collective(name);
  }

  void collective(const std::string& name) {
    TraceOp op;
    if (name == "Barrier") {
      op.kind = Kind::barrier;
    } else if (name == "Bcast" || name == "Reduce") {
      op.kind = name == "Bcast" ? Kind::bcast : Kind::reduce;
      op.value = bytes("count", "datatype");
      op.peer = peer("root");
    } else if (name == "Allreduce") {
      op.kind = Kind::allreduce;
      op.value = bytes("count", "datatype");
    } else if (name == "Alltoall" || name == "Allgather") {  // equal blocks to all in both
      op.kind = Kind::alltoall;
      op.value = bytes("sendcount", "sendtype");
    } else if (name == "Alltoallv") {
      op.kind = Kind::alltoallv;
      op.value = trace_.counts.size();
      counts("sendcounts", "sendtype");
      counts("recvcounts", "recvtype");
    } else {
      refuse_call("a call that a replay does not know", known_calls);
    }
    check_world();
    add(op);
  }

  void counts(const char* name, const char* type) {
    const std::vector<std::uint64_t> all = list(name);
    if (all.size() != files_.size())
      refuse_value(name, "not a count for each rank", std::to_string(files_.size()) + " counts");
    if (all.size() > most_counts - trace_.counts.size())
      refuse_call("too many alltoallv", "at most " + std::to_string(most_counts) + " counts in a trace");
    const std::uint64_t size = type_bytes(type);
    for (const std::uint64_t count : all) {
      if (count * size > most_bytes)
        refuse_value(name, "too many bytes", "0.." + std::to_string(most_bytes) + " bytes for each rank");
      trace_.counts.push_back(static_cast<std::uint32_t>(count * size));
    }
  }

  /// A message, unless its peer is MPI_PROC_NULL. `prefix`: of the parameters, "send" or "recv" in a
  /// Sendrecv.
  void message(Kind kind, const char* peer_name, const std::string& prefix) {
    check_world();
    TraceOp op;
    op.kind = kind;
    if (text_of(peer_name) == "-1" || text_of(peer_name).substr(0, 3) == "-1 ")
      refuse_value(peer_name, "a receive from any rank",
                   "the rank: a replay matches each receive with its send");
    op.peer = peer(peer_name);
    const std::string tag = prefix + "tag";
    op.tag = static_cast<std::int32_t>(integer(tag.c_str(), most_tag));
    op.value = bytes((prefix + "count").c_str(), prefix.empty() ? "datatype" : (prefix + "type").c_str());
    add(op);
    if (kind != Kind::isend && kind != Kind::irecv) return;
    const std::uint64_t id = prefix.empty() ? list("request").at(0) : exchange_id;
    requests_.push_back({id, op.peer, kind == Kind::irecv, op.tag});
  }

  void exchange() {
    message(Kind::irecv, "source", "recv");
    message(Kind::isend, "dest", "send");
    wait_for({exchange_id, exchange_id});
  }

  static std::vector<std::uint64_t> ids(const std::vector<Request>& requests) {
    std::vector<std::uint64_t> result;
    for (const Request& one : requests) result.push_back(one.id);
    return result;
  }

  void wait_for_some(bool one) {
    const std::vector<std::uint64_t> all = list("requests");
    const std::vector<std::uint64_t> done =
        one ? std::vector<std::uint64_t>{integer("index")} : list("indices");
    std::vector<std::uint64_t> ended;
    for (const std::uint64_t index : done) {
      if (index >= all.size())
        refuse_value(one ? "index" : "indices", "not a request's index", "an index below count");
      ended.push_back(all[index]);
    }
    wait_for(ended);
  }

  /// Waits for requests, each with the older ones of its peer, tag and direction: `wait` means the oldest. A
  /// number without a request is one that is over (MPI_REQUEST_NULL).
  void wait_for(const std::vector<std::uint64_t>& wanted) {
    std::vector<bool> ends(requests_.size());
    for (const std::uint64_t id : wanted) {
      std::size_t at = 0;
      while (at < requests_.size() && (requests_[at].id != id || ends[at])) ++at;
      for (std::size_t older = 0; older <= at && at < requests_.size(); ++older)
        if (is_alike(requests_[older], requests_[at])) ends[older] = true;
    }
    const auto count = static_cast<std::size_t>(std::count(ends.begin(), ends.end(), true));
    if (count > 1 && count == requests_.size()) {
      TraceOp op;
      op.kind = Kind::waitall;
      op.value = count;
      add(op);
      requests_.clear();
      return;
    }
    std::vector<Request> left;
    for (std::size_t at = 0; at < requests_.size(); ++at) {
      if (ends[at]) {
        wait(requests_[at]);
      } else {
        left.push_back(requests_[at]);
      }
    }
    requests_.swap(left);
  }

  bool is_alike(const Request& a, const Request& b) const {
    return a.peer == b.peer && a.tag == b.tag && (a.receives == b.receives || a.peer == rank());
  }

  void wait(const Request& request) {
    TraceOp op;
    op.kind = Kind::wait;
    op.peer = request.peer;
    op.tag = request.tag;
    op.receives = request.receives || request.peer == rank();
    add(op);
  }

  void add(const TraceOp& op) {
    count_operation();
    trace_.lines.back().add(trace_.ranks.back().size(), line_);
    trace_.ranks.back().push_back(op);
  }

  // Parameters of the call at hand.

  struct Parameter {
    std::string text;
    std::uint64_t line;
  };
  const Parameter& find(const char* name) const {
    const auto found = parameters_.find(name);
    if (found == parameters_.end()) refuse_call(std::string("no parameter ") + name, "its line");
    return found->second;
  }
  const std::string& text_of(const char* name) const { return find(name).text; }
  [[noreturn]] void refuse_value(const char* name, const std::string& problem,
                                 const std::string& accepted) const {
    refuse_on(find(name).line, std::string(name) + "=" + find(name).text, problem, accepted);
  }
  [[noreturn]] void refuse_call(const std::string& problem, const std::string& accepted) const {
    refuse_on(line_, call_, problem, accepted);
  }

  std::uint64_t integer(const char* name, std::uint64_t most = most_bytes) const {
    const std::string& text = text_of(name);
    const std::string_view digits = std::string_view(text).substr(0, text.find(' '));
    std::uint64_t value = 0;
    if (!is_number(digits, most, value))
      refuse_value(name, "not a number in its range", "0.." + std::to_string(most));
    return value;
  }
  std::uint16_t peer(const char* name) const {
    return static_cast<std::uint16_t>(integer(name, files_.size() - 1));
  }
  std::uint64_t type_bytes(const char* name) const {
    const std::string& text = text_of(name);
    const std::size_t open = text.find('('), close = text.find(')');
    if (open != std::string::npos && close != std::string::npos)
      for (const auto& [type, size] : datatypes)
        if (text.compare(open + 1, close - open - 1, type) == 0) return size;
    refuse_value(name, "a datatype whose size is not in the text", "MPI's own datatypes");
  }
  std::uint64_t bytes(const char* count, const char* type) const {
    const std::uint64_t size = integer(count) * type_bytes(type);
    if (size > most_bytes)
      refuse_value(count, "too many bytes", "0.." + std::to_string(most_bytes) + " bytes");
    return size;
  }
  /// "[1, 2, 3]"; "[{...}]" and <IGNORED> are no lists.
  std::vector<std::uint64_t> list(const char* name) const {
    const std::string& text = text_of(name);
    std::vector<std::uint64_t> values;
    const bool is_list = text.size() >= 2 && text.front() == '[' && text.back() == ']';
    std::size_t at = 1;
    while (is_list && at < text.size() - 1) {
      const std::size_t end = std::min(text.find(',', at), text.size() - 1);
      std::uint64_t value = 0;
      if (!is_number(std::string_view(text).substr(at, end - at), most_bytes, value)) break;
      values.push_back(value);
      at = end + 2;
    }
    if (!is_list || at < text.size() - 1) refuse_value(name, "not a list of numbers", "[1, 2, 3]");
    if (values.empty()) refuse_value(name, "an empty list", "[1, 2, 3]");
    return values;
  }
  void check_world() const {
    if (text_of("comm").find("(MPI_COMM_WORLD)") == std::string::npos)
      refuse_value("comm", "a communicator other than MPI_COMM_WORLD", "MPI_COMM_WORLD");
  }

  static constexpr std::uint64_t most_seconds = 9'000'000'000, exchange_id = ~std::uint64_t{0};

  const std::vector<std::string> files_;
  std::string call_;        ///< the call at hand; empty: none
  std::uint64_t line_ = 0;  ///< of its begin
  std::map<std::string, Parameter> parameters_;
  std::vector<Request> requests_;
  bool begun_ = false, finalized_ = false;
  std::uint64_t returned_ = 0;  ///< nanosecond in which the last call returned
};

struct Dumpi {
  Trace make(const TraceFile& file) const { return DumpiReader(file).read(); }
};

}  // namespace

void add_dumpi(TraceFormats& formats) {
  formats.add<Dumpi>("dumpi");
}

}  // namespace tsuji::workload
