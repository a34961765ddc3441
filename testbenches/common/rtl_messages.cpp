// SPDX-License-Identifier: Apache-2.0
#include "common/rtl_messages.h"

#include <cstdio>
#include <utility>

namespace tsuji::bench {
namespace {

/// Verilator's runtime calls functions, not objects.
RtlMessages*& listener() {
  static thread_local RtlMessages* messages = nullptr;
  return messages;
}

std::string place_of(const char* file, int line) {
  return std::string(file) + ":" + std::to_string(line) + ": ";
}

void write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace

RtlMessages::Evaluation::Evaluation(RtlMessages& own) : own_(own), outer_(std::exchange(listener(), &own)) {}

RtlMessages::Evaluation::~Evaluation() {
  own_.flush();
  listener() = outer_;
}

std::vector<std::string> RtlMessages::take() {
  return std::exchange(failed_, {});
}

void RtlMessages::flush() {
  if (!held_.empty()) write(std::exchange(held_, {}));
}

void RtlMessages::show(std::string text) {
  if (listener() == nullptr) return write(text);
  listener()->flush();
  listener()->held_ = std::move(text);
}

void RtlMessages::fail(const std::string& place, const char* without_text) {
  // Verilator prints "[TIME] %Error: FILE:LINE: TEXT" and stops then, FILE without its folder. Text of the
  // statements before may come with it.
  const std::string named = place.substr(place.rfind('/') + 1);
  const std::size_t at = held_.rfind(named), level = held_.rfind('%', at), start = held_.rfind('[', level);
  std::string text = place + without_text;
  if (at != std::string::npos && level != std::string::npos && start != std::string::npos) {
    text = place + held_.substr(at + named.size());
    held_.resize(start);
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  failed_.push_back(std::move(text));
}

void RtlMessages::stop(const char* file, int line) {
  if (listener() == nullptr) throw RtlAborted(place_of(file, line) + "$stop");
  listener()->fail(place_of(file, line), "$stop");
}

void RtlMessages::finish(const char* file, int line) {
  if (listener() == nullptr) throw RtlAborted(place_of(file, line) + "$finish");
  listener()->failed_.push_back(place_of(file, line) + "$finish");
}

void RtlMessages::abort(const char* file, int line, const char* text) {
  throw RtlAborted(place_of(file, line) + text);
}

}  // namespace tsuji::bench
