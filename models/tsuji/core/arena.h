// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace tsuji {

/// Bump allocator for objects that live as long as their machine: pieces lie one after another in the order
/// of allocation, and the arena frees all of them at once. Chunk sizes double up to the size of a large page,
/// so that a small machine stays small and a large one has fewer TLB misses.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  void* take(std::size_t bytes, std::size_t alignment);
  /// Lets the next pieces, of `bytes` bytes together with their padding, lie one after another.
  void reserve(std::size_t bytes) {
    if (bytes > left_) add_chunk(bytes);
  }
  /// Allocates `count` value-initialized objects. The arena runs no destructors.
  template <class T>
  T* array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T may well be a pointer.
    T* const first = static_cast<T*>(take(count * sizeof(T), alignof(T)));
    for (std::size_t i = 0; i < count; ++i) new (first + i) T();
    return first;
  }

 private:
  struct Chunk {
    std::byte* memory;
    std::size_t bytes, alignment;
  };
  static constexpr std::size_t cache_line = 64, least_chunk = std::size_t{1} << 14,
                               large_page = std::size_t{1} << 21;

  void add_chunk(std::size_t bytes);

  std::vector<Chunk> chunks_;
  std::byte* free_ = nullptr;
  std::size_t left_ = 0;
};

/// Deleter for an object in an arena: runs the destructor and frees no memory.
struct DestroyOnly {
  template <class T>
  void operator()(T* object) const {
    object->~T();
  }
};
template <class T>
using ArenaPtr = std::unique_ptr<T, DestroyOnly>;

template <class T, class... Arguments>
ArenaPtr<T> make_in(Arena& arena, Arguments&&... arguments) {
  return ArenaPtr<T>(new (arena.take(sizeof(T), alignof(T))) T(std::forward<Arguments>(arguments)...));
}

}  // namespace tsuji
