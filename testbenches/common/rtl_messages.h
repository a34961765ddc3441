// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Messages of RTL that Verilator has translated: its text, its failed checks and its $finish.

namespace tsuji::bench {

/// RTL that cannot continue, as signals that never settle. Thrown out of an evaluation.
class RtlAborted final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The failed checks of one instance of RTL: $error, $fatal, assertions and $stop; and $finish. All other
/// text goes to standard output.
///
/// Contract: an Evaluation is open around each call into the Verilated class. Verilator's runtime calls the
/// static functions, which write into the messages whose Evaluation was opened last in the thread.
class RtlMessages {
 public:
  class Evaluation {
   public:
    explicit Evaluation(RtlMessages& own);
    ~Evaluation();
    Evaluation(const Evaluation&) = delete;
    Evaluation& operator=(const Evaluation&) = delete;

   private:
    RtlMessages& own_;
    RtlMessages* const outer_;
  };

  bool empty() const { return failed_.empty(); }
  /// The failed checks since the last call, "FILE:LINE: TEXT" each.
  std::vector<std::string> take();

  template <class... Values>
  static int print(const char* format, Values... values) {
    const int size = std::snprintf(nullptr, 0, format, values...);
    if (size < 0) return size;
    std::string text(static_cast<std::size_t>(size) + 1, '\0');
    std::snprintf(text.data(), text.size(), format, values...);
    text.pop_back();
    show(std::move(text));
    return size;
  }
  static void show(std::string text);
  static void stop(const char* file, int line);
  static void finish(const char* file, int line);
  [[noreturn]] static void abort(const char* file, int line, const char* text);

 private:
  void flush();
  /// The check at this place has failed: the text printed last is its message, or else there is none.
  void fail(const std::string& place, const char* without_text);

  std::string held_;  ///< text printed last, which may be a check's
  std::vector<std::string> failed_;
};

}  // namespace tsuji::bench
