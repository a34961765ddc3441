// SPDX-License-Identifier: Apache-2.0
#include "Vatomic_early.h"
#include "Vbody_overtakes.h"
#include "Vcounted_once.h"
#include "Vcredit_lost.h"
#include "Verror_is_blocked.h"
#include "Vfirst_in_turn.h"
#include "Vhop_early.h"
#include "Viterations_move.h"
#include "Vlate_answer.h"
#include "Vleft_is_blocked.h"
#include "Vlost_keeps_turn.h"
#include "Vno_overflow.h"
#include "Vnowhere_taken.h"
#include "Voutput_kept.h"
#include "Vpacket_mixed.h"
#include "Vranks_equal.h"
#include "Vrecovers_twice.h"
#include "Vtime_goes_on.h"
#include "Vunclean_ahead.h"
#include "common/bench_main.h"
#include "router/devices.h"

using namespace tsuji::bench;

namespace {

/// More of them, for the long tests.
std::vector<Device> devices() {
  return {
      planted(rows::router_matrix<Vcredit_lost>(), "credit_lost",
              "a credit in the cycle in which a flit leaves is lost"),
      planted(rows::router_matrix<Vno_overflow>(), "no_overflow", "a flit for a full buffer is no error"),
      planted(rows::router_matrix<Vnowhere_taken>(), "nowhere_taken",
              "a row that leads to no port is taken for one that leads to the port of its low bits"),
      planted(rows::router_matrix<Vbody_overtakes>(), "body_overtakes",
              "a flit that comes is in front of the only one in the buffer"),
      planted(rows::router_separable<Vatomic_early>(), "atomic_early",
              "a virtual channel is taken when nobody holds it"),
      planted(rows::router_separable<Vpacket_mixed>(), "packet_mixed",
              "a tail leaves its virtual channel held"),
      planted(rows::router_separable<Vlost_keeps_turn>(), "lost_keeps_turn",
              "an input's pick moves its pointer, granted or not"),
      planted(rows::router_iterations<Viterations_move>(), "iterations_move",
              "the second iteration moves pointers, too"),
      planted(rows::router_adaptive<Vfirst_in_turn>(), "first_in_turn",
              "of equally many credits the first candidate's count"),
      planted(rows::router_choice<Vranks_equal>(), "ranks_equal", "candidates of all ranks are equal"),
      planted(rows::router_adaptive<Vcounted_once>(), "counted_once",
              "heads that get virtual channels in one cycle count once"),
      planted(rows::router_timeout<Vtime_goes_on>(), "time_goes_on", "a head that leaves keeps its time"),
      planted(rows::router_timeout<Vleft_is_blocked>(), "left_is_blocked",
              "a head that leaves when its time is over is reported"),
      planted(rows::router_timeout<Verror_is_blocked>(), "error_is_blocked",
              "a head is reported in the cycle of an error"),
      planted(rows::router_detour<Voutput_kept>(), "output_kept",
              "a head that begins recovery keeps its output"),
      planted(rows::router_detour<Vlate_answer>(), "late_answer",
              "an answer to a question of before reaches a head in recovery"),
      planted(rows::router_detour<Vhop_early>(), "hop_early", "the last hop that is allowed is too many"),
      planted(rows::router_detour<Vrecovers_twice>(), "recovers_twice", "a head in recovery times out"),
      planted(rows::router_detour_nf<Vunclean_ahead>(), "unclean_ahead",
              "a head on a negative-first channel gets adaptive ones before a detour"),
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
