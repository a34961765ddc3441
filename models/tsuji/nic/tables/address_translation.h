// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/nic/nic_counters.h"
#include "tsuji/nic/nic_events.h"
#include "tsuji/nic/tables.h"

namespace tsuji::nic {

/// A few page translations, fully associative; the least recently used one is replaced (the paper gives the
/// number of entries, 4, and no policy).
class Tlb {
 public:
  struct Page {
    std::uint64_t physical = 0;
    bool writable = false;
  };

  explicit Tlb(unsigned entries) : entries_(entries) {}
  /// Null on a miss; a hit becomes the most recently used.
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

/// A logical address to a physical one: the TLB and the walk through the tables behind it (5.2). Tells which
/// words of memory it needs next and is fed with them; time and transactions are the module's.
///
/// A walk reads the segment entries of the cid one by one until one holds the page, then the page's entry.
class AddressTranslation {
 public:
  std::string stands_for() const { return "address translation with its TLB (Kanoh 2000, section 5.2)"; }
  enum class Status : std::uint8_t { done, reading, fault };
  struct Read {
    std::uint64_t address = 0;
    unsigned bytes = 0;  ///< within one line
  };

  AddressTranslation(unsigned tlb_entries, TranslationCounters& counters)
      : tlb_(tlb_entries), counters_(counters) {}

  /// begin() would be `done` at once.
  bool knows(unsigned cid, std::uint64_t logical, bool for_write) const {
    return tlb_.holds(cid, logical / page_bytes, for_write);
  }
  /// Starts; `done` at once on a hit.
  Status begin(std::uint64_t segment_table, unsigned cid, std::uint64_t logical, bool for_write);
  const Read& next_read() const { return read_; }
  /// The little-endian words that next_read() asked for.
  Status feed(const unsigned char* data);
  std::uint64_t physical() const { return physical_; }
  /// The cause, after `fault`: `segment`, `page` or `read_only`.
  Violation violation() const { return fault_; }
  /// The same in words.
  std::string fault() const;
  /// What `begin` was asked for.
  std::uint64_t logical() const { return logical_; }
  /// Forgets all pages; a walk under way goes on, and its result is not kept.
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
