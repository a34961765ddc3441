// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "tsuji/lookup/ported_table.h"

namespace tsuji::lookup {

/// Input virtual channels of the router of Yoshinaga 2004, 4.1, numbered port by port: four network ports,
/// then the processor interface.
struct TableLines {
  static constexpr std::array<unsigned, 5> vcs = {4, 4, 4, 4, 2};
  static constexpr unsigned count = 18, bits = 5;
};

/// PortedTable with pins: two read ports on a table of 16 words with both columns, torus in the low half. In
/// one cycle, cancellations come first, then grants, then requests, then a table write. Outputs show the
/// beginning of a cycle.
class TablePortModule final : public sc_core::sc_module, private RouteClient {
 public:
  static constexpr unsigned read_ports = 2, address_bits = 4, word_bits = 8, words = 1U << address_bits;
  using Addresses = sc_dt::sc_bv<address_bits * TableLines::count>;

  sc_core::sc_in<bool> clock{"clock"};
  sc_core::sc_in<bool> reset{"reset"};
  sc_core::sc_in<bool> write_valid{"write_valid"};
  sc_core::sc_in<std::uint32_t> write_address{"write_address"};
  sc_core::sc_in<std::uint32_t> write_word{"write_word"};  ///< word to write; read from the next cycle on
  sc_core::sc_in<std::uint32_t> ask{"ask"};  ///< input VCs whose head arrives; never while a request is open
  sc_core::sc_in<Addresses> ask_address{"ask_address"};
  sc_core::sc_in<std::uint32_t> cancel{"cancel"};     ///< input VCs that cancel their requests
  sc_core::sc_out<std::uint32_t> granted{"granted"};  ///< input VCs granted in the previous cycle
  // A lane for each read port.
  sc_core::sc_out<std::uint32_t> answer_valid{"answer_valid"};
  sc_core::sc_out<std::uint32_t> answer_line{"answer_line"};
  sc_core::sc_out<std::uint32_t> answer_word{"answer_word"};

  /// Constructs a table with two read ports.
  TablePortModule(sc_core::sc_module_name name, const PortedTableTiming& timing);
  ~TablePortModule() override;

  SC_HAS_PROCESS(TablePortModule);

 private:
  class Words;
  struct Answer {
    Cycle at;
    std::uint32_t line, word;
  };
  void route_answer(std::uint32_t ticket, Cycle at, const routing::RouteSet& candidates) override;
  void on_edge();
  void restart();
  void take_back();
  void take_questions();
  void show();

  const PortedTableTiming timing_;
  std::unique_ptr<Words> words_;
  std::unique_ptr<PortedTable> table_;
  std::vector<Answer> answers_;  ///< answers of reads in progress
  std::uint32_t open_ = 0;       ///< input VCs that wait for their read port
  std::uint32_t granted_now_ = 0;
  Cycle now_ = 1, due_ = never;
};

}  // namespace tsuji::lookup
