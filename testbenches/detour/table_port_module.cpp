// SPDX-License-Identifier: Apache-2.0
#include "detour/table_port_module.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::lookup {
namespace {

struct Place {
  unsigned port, vc;
};

Place place_of(unsigned line) {
  unsigned port = 0;
  for (; line >= TableLines::vcs[port]; ++port) line -= TableLines::vcs[port];
  return {port, line};
}

/// Read port that answers an input VC: the one of the group with its half of the port's channels.
unsigned bus_of(unsigned line) {
  const Place place = place_of(line);
  return 2 * place.vc < TableLines::vcs[place.port] ? 0 : 1;
}

}  // namespace

/// A table as a routing: candidates are the bits of a word.
class TablePortModule::Words final : public routing::Routing, public routing::TableReads {
 public:
  void write(unsigned address, unsigned word) { words_[address] = word; }
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    candidates.clear();
    for (unsigned bit = 0; bit < word_bits; ++bit)
      if ((words_[query.destination.node()] >> bit & 1U) != 0) candidates.add(bit, 1);
  }
  routing::VcMask injection_vcs(End, End) const override { return 1; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return word_bits; }
  const routing::TableReads* table_reads() const override { return this; }
  bool reads_table(const routing::RouteQuery&) const override { return true; }

 private:
  std::array<unsigned, words> words_ = {};
};

TablePortModule::TablePortModule(sc_core::sc_module_name module_name, const PortedTableTiming& timing)
    : sc_module(module_name), timing_(timing) {
  restart();
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
}

TablePortModule::~TablePortModule() = default;

void TablePortModule::restart() {
  words_ = std::make_unique<Words>();
  table_ = std::make_unique<PortedTable>(
      *words_, timing_, std::vector<unsigned>(TableLines::vcs.begin(), TableLines::vcs.end()));
  table_->bind_client(*this);
  answers_.clear();
  open_ = 0;
  due_ = never;
}

void TablePortModule::on_edge() {
  granted_now_ = 0;
  if (reset.read()) {
    restart();
  } else {
    take_back();
    // In the cycles in which it says that it has something to do, and in no others.
    if (due_ <= now_) table_->run(now_);
    take_questions();
    due_ = table_->next_run(now_);
    if (write_valid.read()) words_->write(write_address.read(), write_word.read());
  }
  ++now_;
  show();
}

void TablePortModule::take_back() {
  const std::uint32_t lines = cancel.read();
  for (unsigned line = 0; line < TableLines::count; ++line)
    if ((lines & open_) >> line & 1U) table_->cancel(now_, line);
  open_ &= ~lines;
  answers_.erase(std::remove_if(answers_.begin(), answers_.end(),
                                [&](const Answer& answer) { return (lines >> answer.line & 1U) != 0; }),
                 answers_.end());
}

void TablePortModule::take_questions() {
  routing::RouteSet unused;
  for (unsigned line = 0; line < TableLines::count; ++line) {
    if ((ask.read() >> line & 1U) == 0) continue;
    if ((open_ >> line & 1U) != 0)
      throw ModelError(name(), now_, "", "line " + std::to_string(line) + " asks twice");
    const Place place = place_of(line);
    routing::RouteQuery query;
    query.in_port = place.port;
    query.in_vc = place.vc;
    const int low = static_cast<int>(line * address_bits);
    query.destination = ask_address.read().range(low + static_cast<int>(address_bits) - 1, low).to_uint();
    if (table_->request(now_, query, line, unused) != never)
      throw ModelError(name(), now_, "", "a question for the table is answered without a read");
    open_ |= 1U << line;
  }
}

void TablePortModule::route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& candidates) {
  std::uint32_t word = 0;
  for (const routing::RouteCandidate& candidate : candidates) word |= 1U << candidate.port;
  answers_.push_back({at, ticket, word});
  open_ &= ~(1U << ticket);
  granted_now_ |= 1U << ticket;
}

void TablePortModule::show() {
  std::uint32_t valid = 0, lines = 0, found = 0;
  for (const Answer& answer : answers_) {
    if (answer.at != now_) continue;
    const unsigned bus = bus_of(answer.line);
    if ((valid >> bus & 1U) != 0)
      throw ModelError(name(), now_, "", "two answers on read port " + std::to_string(bus));
    valid |= 1U << bus;
    lines |= answer.line << TableLines::bits * bus;
    found |= answer.word << word_bits * bus;
  }
  answers_.erase(std::remove_if(answers_.begin(), answers_.end(),
                                [this](const Answer& answer) { return answer.at <= now_; }),
                 answers_.end());
  granted.write(granted_now_);
  answer_valid.write(valid);
  answer_line.write(lines);
  answer_word.write(found);
}

}  // namespace tsuji::lookup
