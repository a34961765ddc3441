// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/nic/tables.h"

namespace tsuji::host {

/// Placement of a segment's pages in physical memory.
enum class PagePlacement : std::uint8_t { contiguous, scattered };

/// A task's view of its node's memory: a few segments of logical pages, each mapped onto a block of physical
/// pages, in order or scattered. Scattering is a fixed permutation of the block in which (from five pages on)
/// no two logically adjacent pages are physically adjacent. Needs no storage per page.
class AddressSpace {
 public:
  struct Segment {
    std::uint64_t lowest_page = 0;  ///< First logical page number.
    std::uint64_t pages = 0;
    std::uint64_t physical_page = 0;  ///< First physical page of the block.
    bool writable = true;             ///< Writable by the processor.
    /// Logical page i is at physical page physical_page + i x stride modulo pages.
    std::uint64_t stride = 1;
    std::uint64_t physical_of(std::uint64_t index) const { return physical_page + index * stride % pages; }
  };
  struct Translation {
    bool mapped = false;
    bool writable = false;
    std::uint64_t physical = 0;
  };

  /// Maps `pages` logical pages from `lowest_page` on. Throws ConfigError if they overlap an existing
  /// segment.
  const Segment& map(std::uint64_t lowest_page, std::uint64_t pages, std::uint64_t physical_page,
                     bool writable, PagePlacement placement);

  Translation translate(std::uint64_t logical) const {
    const std::uint64_t page = logical / nic::page_bytes;
    for (const Segment& segment : segments_) {
      // Wraps to a large number for pages below the segment.
      const std::uint64_t index = page - segment.lowest_page;
      if (index >= segment.pages) continue;
      return {true, segment.writable,
              segment.physical_of(index) * nic::page_bytes + logical % nic::page_bytes};
    }
    return {};
  }
  const std::vector<Segment>& segments() const { return segments_; }

 private:
  std::vector<Segment> segments_;
};

}  // namespace tsuji::host
