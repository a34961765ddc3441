// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/nic/nic_counters.h"
#include "tsuji/nic/nic_events.h"
#include "tsuji/nic/tables.h"

namespace tsuji::nic {

/// A small, fully associative TLB with least-recently-used replacement (the paper gives the number of
/// entries, 4, and no policy).
class Tlb {
 public:
  struct Page {
    std::uint64_t physical = 0;
    bool writable = false;
  };

  explicit Tlb(unsigned entries) : entries_(entries) {}
  /// The page's entry, which becomes the most recently used; null on a miss.
  const Page* find(unsigned cid, std::uint64_t page);
  bool holds(unsigned cid, std::uint64_t page, bool writable) const;
  void insert(unsigned cid, std::uint64_t page, const Page& value);
  void flush();

 private:
  struct Entry {
    bool valid = false;
    unsigned cid = 0;
    std::uint64_t page = 0;
    std::uint64_t used = 0;
    Page value;
  };
  std::vector<Entry> entries_;
  std::uint64_t uses_ = 0;
};

/// Translates logical addresses to physical ones by the TLB and a walk through the tables (section 5.2). It
/// has neither time nor transactions; the module provides both.
///
/// Contract: begin(); while the status requests a read, the module reads the words of next_read() and passes
/// them to feed(); the status `done` or `fault` ends the translation.
///
/// A walk reads the segment entries of the cid one by one until one holds the page, then the page's entry.
class AddressTranslation {
 public:
  std::string stands_for() const { return "address translation with its TLB (Kanoh 2000, section 5.2)"; }
  enum class Status : std::uint8_t { done, reading, fault };
  struct Read {
    std::uint64_t address = 0;
    unsigned bytes = 0;  ///< length of the access in bytes, within one line
  };

  AddressTranslation(unsigned tlb_entries, TranslationCounters& counters)
      : tlb_(tlb_entries), counters_(counters) {}

  /// True if begin() would return `done` immediately.
  bool knows(unsigned cid, std::uint64_t logical, bool for_write) const {
    return tlb_.holds(cid, logical / page_bytes, for_write);
  }
  /// Starts a translation; returns `done` immediately on a hit.
  Status begin(std::uint64_t segment_table, unsigned cid, std::uint64_t logical, bool for_write);
  const Read& next_read() const { return read_; }
  /// Passes the little-endian words that next_read() requested.
  Status feed(const unsigned char* data);
  std::uint64_t physical() const { return physical_; }
  /// Cause after the status `fault`: `segment`, `page` or `read_only`.
  Violation violation() const { return fault_; }
  /// Text of the cause after the status `fault`.
  std::string fault() const;
  /// The address that begin() was called with.
  std::uint64_t logical() const { return logical_; }
  /// Removes all pages; a walk in progress continues, but its result is not stored.
  void flush();

 private:
  Status refuse(Violation fault);
  Status finish(const Tlb::Page& page);
  void ask(std::uint64_t address, unsigned bytes);
  void ask_segment();
  Status segment_read();

  Tlb tlb_;
  TranslationCounters& counters_;
  std::uint64_t segment_table_ = 0;
  unsigned cid_ = 0;
  std::uint64_t logical_ = 0;
  bool for_write_ = false;
  bool keep_ = true;
  Violation fault_ = Violation::none;
  std::uint64_t physical_ = 0;
  unsigned segment_ = 0;  ///< segments_per_cid: the page entry is being read
  unsigned filled_ = 0;   ///< bytes of the entry that are there
  unsigned wanted_ = 0;
  std::uint64_t entry_address_ = 0;
  Read read_;
  alignas(8) unsigned char entry_[SegmentEntry::bytes] = {};
};

}  // namespace tsuji::nic
