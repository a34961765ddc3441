// SPDX-License-Identifier: Apache-2.0
#include "Vatomic_early.h"
#include "Vbody_overtakes.h"
#include "Vconnected_too_soon.h"
#include "Vcounted_once.h"
#include "Vcredit_lost.h"
#include "Vequal_ranks.h"
#include "Verror_is_blocked.h"
#include "Vescape_split.h"
#include "Vfirst_in_turn.h"
#include "Vfirst_vc.h"
#include "Vhop_early.h"
#include "Viterations_move.h"
#include "Vlate_answer.h"
#include "Vlearned_again.h"
#include "Vleft_is_blocked.h"
#include "Vlost_is_silent.h"
#include "Vlost_keeps_turn.h"
#include "Vno_overflow.h"
#include "Vnowhere_taken.h"
#include "Voutput_kept.h"
#include "Vovertakes.h"
#include "Vown_request.h"
#include "Vpacket_mixed.h"
#include "Vranks_equal.h"
#include "Vrecovers_twice.h"
#include "Vrequest_ignored.h"
#include "Vroute_goes_on.h"
#include "Vsecond_first.h"
#include "Vtail_holds_on.h"
#include "Vtime_goes_on.h"
#include "Vtwo_are_one.h"
#include "Vunclean_ahead.h"
#include "Vways_back.h"
#include "Vwrong_holds_on.h"
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
      planted(rows::router_straight<Vrequest_ignored>(), "request_ignored",
              "a flit crosses to an output that is requested"),
      planted(rows::router_straight<Vconnected_too_soon>(), "connected_too_soon",
              "an output is held again in the cycle after a request"),
      planted(rows::router_straight<Vwrong_holds_on>(), "wrong_holds_on",
              "a head that does not hit leaves its output held"),
      planted(rows::router_straight<Vtail_holds_on>(), "tail_holds_on",
              "a tail that crosses by prediction leaves its output held"),
      planted(rows::router_straight<Vown_request>(), "own_request",
              "a request of the input's own leaves the output held"),
      planted(rows::router_straight<Vfirst_vc>(), "first_vc",
              "a head that hits takes the lowest virtual channel"),
      planted(rows::router_latest<Vovertakes>(), "overtakes",
              "a head that hits overtakes a flit of its virtual channel"),
      planted(rows::router_up<Vlost_is_silent>(), "lost_is_silent",
              "a flit that loses its output does not request it"),
      planted(rows::router_up<Vroute_goes_on>(), "route_goes_on",
              "a packet that has hit waits for its route"),
      planted(rows::router_latest<Vtwo_are_one>(), "two_are_one",
              "two heads that start in a cycle count as one"),
      planted(rows::router_latest<Vlearned_again>(), "learned_again",
              "a predictor learns in each cycle in which a head waits"),
      planted(rows::router_dm_order<Vways_back>(), "ways_back",
              "dimension order has the class of the opposite path"),
      planted(rows::router_dm_order<Vsecond_first>(), "second_first", "the second dimension comes first"),
      planted(rows::router_duato<Vescape_split>(), "escape_split",
              "an escape channel of a long ring has no class"),
      planted(rows::router_duato<Vequal_ranks>(), "equal_ranks",
              "an escape channel is as good as an adaptive one"),
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
