// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <fstream>

#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"
#include "tsuji/observe/wave_sink.h"

namespace tsuji::observe {
namespace {

/// Identifiers of printable characters, the shortest first.
std::string identifier(SignalId signal) {
  std::string text;
  std::uint64_t rest = static_cast<std::uint64_t>(signal) + 1;
  while (rest > 0) {
    --rest;
    text += static_cast<char>('!' + rest % 94);
    rest /= 94;
  }
  return text;
}

/// GTKWave's string extension: no white space within a value, so anything unusual is a C escape.
void append_escaped(std::string& line, std::string_view text) {
  static constexpr char octal[] = "01234567";
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (character == '\\' || character == '"' || character == '\'' || character == '?') {
      line += '\\';
      line += character;
    } else if (code > ' ' && code <= '~') {
      line += character;
    } else {
      line += '\\';
      line += octal[code >> 6];
      line += octal[code >> 3 & 7];
      line += octal[code & 7];
    }
  }
}

class VcdSink final : public WaveSink, private ScopeWalk {
 public:
  explicit VcdSink(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    if (!file_) {
      throw ConfigError("", path, std::string("the waveform cannot be written: ") + std::strerror(errno),
                        "a folder in which files can be created");
    }
  }

  void declare(const std::vector<SignalInfo>& signals) override {
    widths_.reserve(signals.size());
    for (const SignalInfo& signal : signals) {
      widths_.push_back(signal.is_text() ? 0 : signal.width_bits);
      names_.push_back(identifier(static_cast<SignalId>(names_.size())));
    }
    // No date: the same run gives the same bytes.
    file_ << "$version tsuji $end\n$timescale 1ps $end\n";
    walk(signals);
    file_ << "$enddefinitions $end\n";
  }

  void time(Picoseconds time) override {
    file_ << '#' << time << '\n';
    if (!begun_) file_ << "$dumpvars\n";
    in_dump_ = !begun_;
    begun_ = true;
    values_left_ = names_.size();
    end_dump_if_complete();
  }

  void value(SignalId signal, std::uint64_t value) override {
    line_.clear();
    const unsigned width = widths_[signal];
    if (width > 1) line_ += 'b';
    unsigned bit = width;
    // Leading zeros are the reader's to add.
    while (bit > 1 && (value >> (bit - 1) & 1U) == 0) --bit;
    while (bit-- > 0) line_ += (value >> bit & 1U) != 0 ? '1' : '0';
    if (width > 1) line_ += ' ';
    write(signal);
  }

  void text(SignalId signal, std::string_view text) override {
    line_ = "s";
    append_escaped(line_, text);
    line_ += ' ';
    write(signal);
  }

  void close() override { close_output(file_, path_); }

 private:
  void write(SignalId signal) {
    line_ += names_[signal];
    line_ += '\n';
    file_ << line_;
    if (in_dump_) {
      --values_left_;
      end_dump_if_complete();
    }
  }

  void end_dump_if_complete() {
    if (!in_dump_ || values_left_ > 0) return;
    file_ << "$end\n";
    in_dump_ = false;
  }

  void enter(const std::string& scope) override { file_ << "$scope module " << scope << " $end\n"; }
  void leave() override { file_ << "$upscope $end\n"; }
  void signal(SignalId id, const SignalInfo& info) override {
    const std::string name = info.path.substr(info.path.rfind('.') + 1);
    file_ << "$var " << (info.is_text() ? "string 1 " : "wire " + std::to_string(info.width_bits) + " ")
          << names_[id] << ' ' << name << (info.range().empty() ? "" : " " + info.range()) << " $end\n";
  }

  const std::string path_;
  std::ofstream file_;
  std::vector<unsigned> widths_;  ///< 0: text
  std::vector<std::string> names_;
  std::string line_;
  bool begun_ = false, in_dump_ = false;
  std::size_t values_left_ = 0;
};

}  // namespace

std::unique_ptr<WaveSink> open_vcd(const std::string& path) {
  return std::make_unique<VcdSink>(path);
}

}  // namespace tsuji::observe
