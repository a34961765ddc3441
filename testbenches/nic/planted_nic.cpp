// SPDX-License-Identifier: Apache-2.0
#include "Vany_group.h"
#include "Vcheck_bits.h"
#include "Vcut_at_byte.h"
#include "Vdouble_error.h"
#include "Veven_column.h"
#include "Vfirst_words.h"
#include "Vhalf_word.h"
#include "Vlast_position.h"
#include "Vline_again.h"
#include "Vline_kept.h"
#include "Vlost_flit.h"
#include "Vmessage_cut.h"
#include "Vno_shift.h"
#include "Vold_corrections.h"
#include "Vport_parity.h"
#include "Vverdict_gap.h"
#include "Vwhole_offset.h"
#include "Vword_late.h"
#include "Vzero_words.h"
#include "common/bench_main.h"
#include "nic/devices.h"

using namespace tsuji::bench;

namespace {

/// Devices of nic_bench, each with a bug in its twin (CMakeLists.txt).
std::vector<Device> devices() {
  return {
      planted(rows::packet_builder<Vcut_at_byte>(), "cut_at_byte",
              "a page of the source ends in bytes, not in doublewords"),
      planted(rows::packet_builder<Vmessage_cut>(), "message_cut",
              "a message is cut at line borders of its destination field"),
      planted(rows::packet_builder<Vline_again>(), "line_again",
              "a line counts as read by the packet before, whatever that packet was"),
      planted(rows::packet_builder<Vline_kept>(), "line_kept",
              "a line is kept though source and destination differ by a word"),
      planted(rows::packet_builder<Vno_shift>(), "no_shift", "an odd word is not shifted"),
      planted(rows::packet_builder<Vhalf_word>(), "half_word", "the half word after a packet's end is sent"),
      planted(rows::packet_builder_short<Vword_late>(), "word_late",
              "a word that comes in the cycle of its flit is missed"),
      planted(rows::packet_builder<Vfirst_words>(), "first_words",
              "doublewords before a packet's first one are sent"),
      planted(rows::packet_builder<Vwhole_offset>(), "whole_offset",
              "a refused reply has the offset of the data that it lacks"),
      planted(rows::packet_builder<Veven_column>(), "even_column",
              "a column of the check matrix has an even number of ones"),
      planted(rows::packet_judge<Vlast_position>(), "last_position",
              "the position of the last flit is not checked"),
      planted(rows::packet_judge<Vlost_flit>(), "lost_flit", "a lost flit is not noticed"),
      planted(rows::packet_judge<Vport_parity>(), "port_parity", "a port flit with wrong parity is accepted"),
      planted(rows::packet_judge<Vdouble_error>(), "double_error", "double errors are accepted"),
      planted(rows::packet_judge<Vcheck_bits>(), "check_bits",
              "a single error in the check bits counts as two"),
      planted(rows::packet_judge<Vzero_words>(), "zero_words", "words that fill the header are not checked"),
      planted(rows::packet_judge<Vany_group>(), "any_group", "a multicast's group is not checked"),
      planted(rows::packet_judge<Vold_corrections>(), "old_corrections",
              "corrections of the packet before are counted"),
      planted(rows::packet_judge<Vverdict_gap>(), "verdict_gap",
              "a verdict that comes as another one is taken is lost"),
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
