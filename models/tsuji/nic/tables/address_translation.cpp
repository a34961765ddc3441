// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/tables/address_translation.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>

namespace tsuji::nic {

const Tlb::Page* Tlb::find(unsigned cid, std::uint64_t page) {
  for (Entry& entry : entries_) {
    if (!entry.valid || entry.cid != cid || entry.page != page) continue;
    entry.used = ++uses_;
    return &entry.value;
  }
  return nullptr;
}

bool Tlb::holds(unsigned cid, std::uint64_t page, bool writable) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.valid && entry.cid == cid && entry.page == page && (entry.value.writable || !writable);
  });
}

void Tlb::insert(unsigned cid, std::uint64_t page, const Page& value) {
  // Empty entries have never been used, so they are taken first.
  auto victim = std::min_element(entries_.begin(), entries_.end(),
                                 [](const Entry& a, const Entry& b) { return a.used < b.used; });
  victim->valid = true;
  victim->cid = cid;
  victim->page = page;
  victim->used = ++uses_;
  victim->value = value;
}

void Tlb::flush() {
  for (Entry& entry : entries_) entry = {};
}

void AddressTranslation::flush() {
  tlb_.flush();
  keep_ = false;
}

AddressTranslation::Status AddressTranslation::begin(std::uint64_t segment_table, unsigned cid,
                                                     std::uint64_t logical, bool for_write) {
  segment_table_ = segment_table;
  cid_ = cid;
  logical_ = logical;
  for_write_ = for_write;
  if (const Tlb::Page* page = tlb_.find(cid, logical / page_bytes)) {
    ++counters_.hits;
    return finish(*page);
  }
  ++counters_.misses;
  keep_ = true;
  segment_ = 0;
  ask_segment();
  return Status::reading;
}

AddressTranslation::Status AddressTranslation::finish(const Tlb::Page& page) {
  if (for_write_ && !page.writable) return refuse(Violation::read_only);
  physical_ = page.physical + logical_ % page_bytes;
  return Status::done;
}

AddressTranslation::Status AddressTranslation::refuse(Violation fault) {
  fault_ = fault;
  return Status::fault;
}

void AddressTranslation::ask(std::uint64_t address, unsigned bytes) {
  entry_address_ = address;
  wanted_ = bytes;
  filled_ = 0;
  read_ = {address, std::min<unsigned>(bytes, line_bytes - static_cast<unsigned>(address % line_bytes))};
}

void AddressTranslation::ask_segment() {
  ask(segment_table_ + (std::uint64_t{cid_} * segments_per_cid + segment_) * SegmentEntry::bytes,
      SegmentEntry::bytes);
}

AddressTranslation::Status AddressTranslation::feed(const unsigned char* data) {
  std::memcpy(entry_ + filled_, data, read_.bytes);
  filled_ += read_.bytes;
  if (filled_ < wanted_) {  // a segment entry across a line border takes two reads
    read_ = {entry_address_ + filled_, wanted_ - filled_};
    return Status::reading;
  }
  if (segment_ < segments_per_cid) return segment_read();
  std::uint64_t word = 0;
  std::memcpy(&word, entry_, sizeof word);
  const PageEntry entry = PageEntry::decode(word);
  if (!entry.valid) return refuse(Violation::page);
  const Tlb::Page page{entry.physical, entry.writable};
  if (keep_) tlb_.insert(cid_, logical_ / page_bytes, page);
  return finish(page);
}

AddressTranslation::Status AddressTranslation::segment_read() {
  std::array<std::uint64_t, 3> words{};
  std::memcpy(words.data(), entry_, sizeof entry_);
  const SegmentEntry segment = SegmentEntry::decode(words);
  const std::uint64_t page = logical_ / page_bytes;
  if (segment.valid && page >= segment.lowest_page && page <= segment.highest_page) {
    segment_ = segments_per_cid;
    ask(segment.page_table + (page - segment.lowest_page) * PageEntry::bytes, PageEntry::bytes);
    return Status::reading;
  }
  if (++segment_ == segments_per_cid) return refuse(Violation::segment);
  ask_segment();
  return Status::reading;
}

std::string AddressTranslation::fault() const {
  std::ostringstream text;
  text << "logical address 0x" << std::hex << logical_ << std::dec << " of cid " << cid_;
  if (fault_ == Violation::segment) text << " is not mapped: no segment holds its page";
  if (fault_ == Violation::page) text << " is not mapped: its page entry is invalid";
  if (fault_ == Violation::read_only) text << " is to be written, but its page is read only";
  return text.str();
}

}  // namespace tsuji::nic
