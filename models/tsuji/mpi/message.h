// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <type_traits>

#include "tsuji/core/error.h"
#include "tsuji/mpi/transport.h"

namespace tsuji::mpi {

/// Appends the bytes of a value. All ranks run one executable, so its layout is that of the receiver.
template <class T>
void put(Bytes& to, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  to.append(&value, sizeof(T));
}

/// Appends a text with its length.
inline void put_text(Bytes& to, const std::string& text) {
  put(to, text.size());
  to.append(text.data(), text.size());
}

/// Reads the values of a message in their order. ModelError for more than it has.
class Reader {
 public:
  explicit Reader(const Bytes& message) : at_(message.data()), end_(message.data() + message.size()) {}

  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(static_cast<void*>(&value), take(sizeof(T)), sizeof(T));
    return value;
  }
  std::string get_text() {
    const auto size = get<std::size_t>();
    return std::string(reinterpret_cast<const char*>(take(size)), size);
  }
  bool at_end() const { return at_ == end_; }

 private:
  [[gnu::always_inline]] const std::byte* take(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) < bytes) refuse();
    const std::byte* const taken = at_;
    at_ += bytes;
    return taken;
  }

  [[noreturn, gnu::cold, gnu::noinline]] static void refuse() {
    throw ModelError("ranks", "a message of another rank is shorter than its content");
  }

  const std::byte* at_;
  const std::byte* end_;
};

}  // namespace tsuji::mpi
