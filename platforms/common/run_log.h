#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tsuji::platform {

/// Warnings of a run, each a line "NAME: warning: TEXT" on a stream that outlives this object.
class RunLog {
 public:
  RunLog(std::string name, std::ostream& to) : name_(std::move(name)), to_(to) {}

  /// TEXT is `format` with the values, texts and integers, in the places of its {}.
  template <class... Values>
  void warn(std::string_view format, const Values&... values) {
    write(format, {text_of(values)...});
  }

 private:
  static std::string text_of(const std::string& text) { return text; }
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  static std::string text_of(Integer number) {
    return std::to_string(number);
  }
  void write(std::string_view format, const std::vector<std::string>& values);

  const std::string name_;
  std::ostream& to_;
};

}  // namespace tsuji::platform
