// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/nic/tables.h"

namespace tsuji::host {

/// How the pages of a segment lie in physical memory.
enum class PagePlacement : std::uint8_t { contiguous, scattered };

/// A task's view of its node's memory: up to a few runs of logical pages, each mapped onto a block of
/// physical pages in order or scattered. Scattering is a fixed permutation of the block in which (from five
/// pages on) no two pages that follow each other logically follow each other physically. Costs no storage a
/// page.
class AddressSpace {
 public:
  struct Segment {
    std::uint64_t lowest_page = 0;  ///< logical page number
    std::uint64_t pages = 0;
    std::uint64_t physical_page = 0;  ///< first page of the block
    bool writable = true;             ///< by the processor
    std::uint64_t stride = 1;         ///< logical page i lies at physical page i x stride modulo pages
    std::uint64_t physical_of(std::uint64_t index) const { return physical_page + index * stride % pages; }
  };
  struct Translation {
    bool mapped = false;
    bool writable = false;
    std::uint64_t physical = 0;
  };

  /// Maps `pages` logical pages from `lowest_page` on. ConfigError if they overlap a segment that exists.
  const Segment& map(std::uint64_t lowest_page, std::uint64_t pages, std::uint64_t physical_page,
                     bool writable, PagePlacement placement);

  Translation translate(std::uint64_t logical) const {
    const std::uint64_t page = logical / nic::page_bytes;
    for (const Segment& segment : segments_) {
      const std::uint64_t index = page - segment.lowest_page;  // wraps to something large below the segment
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
