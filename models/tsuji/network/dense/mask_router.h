// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tsuji/core/arena.h"
#include "tsuji/network/dense/packet_credits.h"
#include "tsuji/network/dense/prediction.h"
#include "tsuji/network/dense/router.h"
#include "tsuji/network/dense/times.h"
#include "tsuji/network/dense/waits.h"

namespace tsuji::network::dense {

using routing::RouteCandidate;
using routing::VcMask;

/// Routers with masks of a width.
struct RouterWidth {
  unsigned most_vcs;  ///< largest number of input virtual channels, and of output virtual channels
  RowShape row;
  /// Makes a router, which is to be built at once with the same ports and arena.
  Router* (*make)(const std::vector<PortShape>& ports, Arena& arena);
  Router::Run (*runner)(unsigned more);  ///< of routers with these additions (RouterShared::more)
};

/// Input-buffered virtual-channel router (router::VcRouter) whose state is counts and masks: stages, cycles,
/// allocators and priorities are those of router::FastVcRouter, so every flit moves in the same cycle.
///
///     row of the cycle's slot: credits, flits
///       RC   heads at the front of idle input virtual channels
///       VA   requests of the heads whose route is known
///            with prediction: heads and flits that cross without the stages below, unless these want their
///            output
///       SA   input virtual channels with an output, a flit and a credit: iSLIP with one iteration
///       ST   winners leave; the slot of the far end gets the flit, that of the near end the credit
///       VA   grants
///
/// Invariant, checked for every flit: no buffer holds more flits than it has places, no output has more
/// credits than the buffer at its far end has places, and each packet has a head in the queue of heads.
///
/// Mask: of input virtual channels, of output virtual channels and of ports: SlimBits, Bits, WideBits or
/// VastBits. The virtual channels of a port are in one word of a row, so numbers may be left out.
template <class Mask>
class MaskRouter final : public Router {
 public:
  using Word = typename MaskWords<Mask>::Word;
  static constexpr unsigned mask_bits = 8 * sizeof(Mask), words = MaskWords<Mask>::count;

  static Router* make(const std::vector<PortShape>& ports, Arena& arena);
  void build(graph::RouterId id, const std::vector<PortShape>& ports, const RouterShared& shared,
             Arena& arena, Home& home, unsigned unit, HeadQueues& queues) override;
  void predict_by(PredictionParts parts, Arena& arena) override;
  void look_up_by(std::unique_ptr<RouteLookup> hardware) override {
    times_->answers = std::make_unique<SwitchAnswers>(std::move(hardware), input_vcs_);
  }
  void connect_output(unsigned port, const Wire& wire, QueueIndex heads, unsigned first_bit) override;
  void connect_credits(unsigned port, const Wire& wire, unsigned first_bit) override;
  void join_threads(Crossings& crossings) override;
  RowPlace flits(unsigned port) const override { return place(inputs_[port].first, 0); }
  RowPlace credits(unsigned port) const override { return place(outputs_[port].first, words); }
  QueueIndex heads(unsigned port) const override { return first_queue_ + inputs_[port].first; }

  static RouterWidth width();

  std::uint64_t flits_sent(unsigned port) const override { return outputs_[port].flits; }
  router::RouterCounters counters() const override;
  const lookup::PortedTable* table() const override;
  std::uint64_t flits_to_come(unsigned port, Cycle now) const override;
  std::uint64_t flits_held() const override;
  unsigned flits_held(unsigned port, unsigned vc) const override;
  unsigned credits(unsigned port, unsigned vc) const override;
  void add_flits_held(unsigned port, unsigned* of_vcs) const override;
  void add_credits(unsigned port, unsigned* of_vcs) const override;
  void visit_packets(const std::function<void(PacketIndex)>& visit) const override;
  Cycle last_event(Cycle now) const override;
  router::VcView view(unsigned port, unsigned vc) const override;
  router::StateCycles waits_of(unsigned port, unsigned vc, Cycle end) const override;
  router::StateCycles waits(Cycle end) const override;
  std::vector<routing::RouteCandidate> candidates(unsigned port, unsigned vc) const override;
  unsigned in_vcs(unsigned port) const override { return vcs_of(inputs_[port]); }
  const router::PredictingRouter& predicting() const override { return *prediction_; }
  std::unique_ptr<WatchedRouter> watch_by(RouterWatch& watch, const RouterWatchPlan& plan) const override;

 private:
  /// Ends of stages in a cycle: input virtual channels whose route is known, or whose output virtual channel
  /// has been allocated.
  struct Stages {
    Mask routed = 0, granted = 0;
  };
  struct Input {
    Wire credits;
    /// Round-robin pointers of SA: `served` of the input virtual channel that won last.
    std::uint16_t last = 0;
    std::uint8_t port = 0;
    std::uint8_t first = 0;
    Mask own = 0;  ///< its virtual channels
  };
  struct Output {
    Wire wire;
    std::uint16_t last = 0;  ///< round-robin pointer of SA: likewise, of all inputs
    std::uint8_t first = 0;  ///< index of its first output virtual channel
    bool to_node = false;
    std::uint64_t flits = 0;
    Mask holders = 0;  ///< input virtual channels that hold one of its virtual channels
    routing::VcMask free_vcs = 0, all_vcs = 0;
  };
  /// Place of a part of a router: distance from the router in units of `place_bytes`.
  using Place = std::uint16_t;
  static constexpr std::size_t place_bytes = 4;
  /// An input virtual channel and the packet at its front, with what its flits need in ST.
  struct alignas(sizeof(Word) == sizeof(Bits) ? 8 : 32) InputVc {
    Cycle since = 0;  ///< cycle of the last movement, or of the head's arrival at the front
    PacketIndex packet = 0;
    Count held;                ///< flits in the buffer
    std::uint16_t left = 0;    ///< flits of the packet that have not left
    std::uint16_t served = 0;  ///< its number, and its output port: Router::served()
    Place input = 0;
    Place output = 0;       ///< last one that was allocated; 0: none yet
    Place to = 0;           ///< likewise, of the virtual channel
    std::uint8_t next = 0;  ///< virtual channel that it was granted last (VA)
    std::uint8_t candidates = 0;
    Word credit_bit = 0;  ///< bit of the credits at the near end
  };
  static_assert(sizeof(InputVc) == 28 + sizeof(Word) + (sizeof(Word) == 8 ? 4 : 0));
  template <class T>
  T& part(Place place) const {
    return *reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(this) + place_bytes * place);
  }
  template <class T>
  Place place_of(const T& of) const {
    static_assert(alignof(T) % place_bytes == 0);
    return static_cast<Place>(
        (reinterpret_cast<std::uintptr_t>(&of) - reinterpret_cast<std::uintptr_t>(this)) / place_bytes);
  }
  Input& input_of(const InputVc& vc) const { return part<Input>(vc.input); }
  Output& output_of(const InputVc& vc) const { return part<Output>(vc.output); }
  OutputVc<Mask>& out_vc_of(const InputVc& vc) const { return part<OutputVc<Mask>>(vc.to); }
  Mask of_input(const InputVc& vc) const { return input_of(vc).own; }
  /// Number of virtual channels of an input.
  static unsigned vcs_of(const Input& input) { return MaskWords<Mask>::set_bits(input.own); }
  struct Request {
    std::uint8_t input_vc, port;
    routing::VcMask vcs, offers;
  };
  struct Requests {
    Request* end;
    Request list[mask_bits];
  };
  struct Choice;
  /// State for a watch, and counts of states.
  struct Watched {
    Mask heads = 0;            ///< input virtual channels whose head has an output and has not left
    Cycle* outputs = nullptr;  ///< [input VC]: cycle in which its head may first request the switch
    Cycle* credits = nullptr;  ///< [output VC]: last cycle in which its first credit came
    Waits* waits = nullptr;    ///< [input VC]; null unless RouterShared::counts_waits
  };
  /// State of a router that passes whole packets (RouterShared::passes_whole). A packet in `crossing` has won
  /// the switch; InputVc::since is the cycle of its last flit, and InputVc::left is 0. The queue, the counts
  /// and the bits of a row are those of packets.
  struct Whole {
    Mask crossing = 0;  ///< input virtual channels whose packet leaves, or has left since the last run
    // Input virtual channels that a packet of `crossing` keeps from requesting the switch.
    Mask of_held_inputs = 0;   ///< those of its input
    Mask of_held_outputs = 0;  ///< those that hold a virtual channel of its output
    Cycle first_end = never;   ///< first cycle after the last flit of one of the packets in `crossing`
    Cycle fits_at = never;     ///< first cycle in which a parked head may have its credits
    Cycle planned_at = 0;      ///< of the wake-up that the router has planned last
    PacketCredits* credits = nullptr;  ///< [output VC]
  };
  class Before;
  class Watching;
  /// Tries that fail, as ports.
  struct Failed {
    Bits lost = 0, wrong = 0;
  };
  /// Real requests of a cycle, for a router that predicts.
  struct Asked {
    Mask input_vcs;
    Bits outputs;
  };
  using PredictionTries = typename Prediction<Mask>::Tries;

  void add_table(const std::vector<PortShape>& ports);
  static Run runner(unsigned more);
  /// RouterShared::own_more(); routers of wider masks pass no whole packets.
  static constexpr unsigned own_more(unsigned more) {
    return RouterShared::own_more(sizeof(Mask) <= sizeof(Bits) ? more
                                                               : more & ~unsigned{RouterShared::whole});
  }
  template <unsigned... more>
  static const Run* runners(std::integer_sequence<unsigned, more...> values);
  template <unsigned more>
  static void run_all(Router* const* routers, Bits units, const Moment& at, Work& work);
  /// RC comes after the requests of VA, so its heads are pending at once.
  static constexpr bool routes_last(unsigned more) {
    return (more & RouterShared::plain) != 0 && (more & RouterShared::predicts_too) == 0;
  }
  template <unsigned more>
  Cycle rc_cycles() const {
    return (more & RouterShared::plain) != 0 ? 1 : shared_->rc_cycles;
  }
  template <unsigned more>
  Reallocation reallocation() const {
    constexpr bool released = (more & RouterShared::plain) != 0 && (more & RouterShared::whole) == 0;
    return released ? Reallocation::released : shared_->reallocation;
  }
  template <unsigned more>
  bool step(const Moment& at, Work& work);
  template <unsigned more>
  void take_arrivals(Word* row, Mask flits, Mask credits, Cycle now, Work& work);
  template <unsigned more>
  void start_heads(Mask credits, const Moment& at, PredictionTries* tries);
  template <unsigned more>
  Mask asking_vcs(Cycle now);
  template <unsigned more>
  void cross(Mask asking, const Moment& at);
  void count_arrivals(Mask flits, Cycle now);
  void add_waits(unsigned number, Cycle end, router::StateCycles& cycles) const;
  void add_waits(unsigned first, unsigned vcs, Cycle end, router::StateCycles& cycles) const;
  Waits::Stages stages_cycles() const { return {shared_->rc_cycles, shared_->va_cycles}; }
  void show_heads(Mask leaving, const Moment& at);
  // Whole packets.
  void take_packet_credits(Mask credits, Cycle now);
  void end_packets(Cycle now);
  void end_packet(unsigned number);
  Mask asking_packets() const { return active_ & ~(whole_->of_held_inputs | whole_->of_held_outputs); }
  void hold_whole(unsigned number, unsigned out);
  routing::VcMask fitting(const InputVc& vc, const Output& output, routing::VcMask vcs, Cycle now) const;
  void leave_whole(InputVc& vc, Mask number, Output& output, const Moment& at);
  void await_credits(unsigned number, Cycle now);
  template <unsigned more>
  bool goes_on(const Moment& at);
  unsigned whole_credits(unsigned out, Cycle now) const;
  void note_credit(unsigned out, Cycle now);
  template <unsigned more>
  void take_credits(Mask credits, Cycle now);
  void take_flits(Mask flits, Cycle now);
  void end_stages(Stages& stages, Work& work);
  /// `credits`: arrive in this cycle. `tries`: of a router that predicts.
  template <unsigned more>
  void compute_route(unsigned number, Mask credits, const Moment& at, PredictionTries* tries);
  void keep_routes(unsigned number, const routing::RouteSet& routes, Cycle now);
  template <unsigned more>
  void await_route(unsigned number, const Moment& at);
  routing::RouteQuery query_of(unsigned number, const Packet& packet) const;
  routing::Decision decide(const routing::RouteQuery& query, Mask credits, Cycle now);
  template <unsigned more>
  void request_vcs(Requests& requests, Cycle now);
  template <unsigned more>
  bool request(unsigned number, Requests& requests, Cycle now);
  bool choose(unsigned number, Requests& requests, Cycle now);
  template <unsigned more>
  Mask select(Mask ready, const Moment& at);
  Mask arbitrate(Mask asking, const Output& output) const;
  template <unsigned more>
  void traverse(Mask granted, const Moment& at);
  /// By SA.
  template <unsigned more>
  void depart(InputVc& vc, Mask number, Output& output, const Moment& at);
  template <bool by_switch, unsigned more>
  void leave(InputVc& vc, Mask number, Output& output, const Moment& at, Cycle lead_cycles);
  /// Number, at its output, of the virtual channel that an input virtual channel holds.
  template <unsigned more>
  unsigned held_vc(const InputVc& vc, const Output& output) const {
    // A prediction allocates without VA.
    if ((more & RouterShared::predicts_too) == 0) return vc.next;
    return static_cast<unsigned>(&out_vc_of(vc) - out_) - output.first;
  }
  /// `of_port`: number of the output virtual channel at its output.
  void release(OutputVc<Mask>& to, Mask number, Output& output, unsigned of_port);
  template <unsigned more>
  void allocate_vcs(Requests& requests, const Moment& at, Work& work);
  template <unsigned more>
  void allocate_port(Requests& requests, unsigned port, const Moment& at, Work& work);
  template <unsigned more>
  void grant(const Request& request, unsigned vc, const Moment& at, Work& work);
  unsigned hold(unsigned number, unsigned port, unsigned vc);
  /// Calls visit(packet, flits) for the packets that InputVc::held counts, and for `arriving` others on the
  /// wires. Of a router that passes whole packets.
  template <class Visit>
  void visit_held(unsigned number, unsigned arriving, const Visit& visit) const;
  // Heads that wait too long or make too many hops.
  void watch_head(unsigned number, Packet& packet, Cycle now);
  void report_hops(unsigned number, Packet& packet, Cycle now);
  void begin_times(const Moment& at);
  void end_times(const Moment& at);
  void act_first(const Moment& at);
  void act_last(const Moment& at);
  bool head_waits(unsigned number);
  void report_late_heads(Cycle now);
  void recover_late_heads(Cycle now);
  bool waits_for_node(unsigned number) const;
  void forget(unsigned number, Cycle now);
  void read_table(const Moment& at);
  void take_answers(Cycle now);
  Cycle ask_hardware(unsigned number, const routing::RouteQuery& query, const Moment& at);
  void ask_switch(unsigned number, const routing::RouteQuery& query, const Moment& at);
  void await_answer(Cycle ready, const Moment& at);
  void begin_answers(const Moment& at);
  void tell_times(unsigned number, HeadStages& stages);
  bool ask_table(unsigned number, const routing::RouteQuery& query, routing::RouteSet& routes, Cycle now);
  void check_recovery(unsigned number, unsigned port, unsigned of_port, Cycle now) const;
  /// Input virtual channels whose head has not been allocated an output virtual channel.
  Mask without_output() const { return routing_ | routed_ | pending_ | parked_; }
  // Prediction.
  bool quiet(unsigned port) const { return (inputs_[port].own & (flits_ | ~idle_)) == 0; }
  void learn(Mask routed);
  template <unsigned more>
  bool predict(unsigned number, const Packet& packet, const routing::RouteSet& routes, Cycle now,
               PredictionTries& tries);
  template <unsigned more>
  unsigned usable_vc(unsigned port, const Output& output, unsigned flits, Cycle now) const;
  bool is_right(unsigned number, const PredictionTry& one) const;
  template <unsigned more>
  Mask settle(PredictionTries& tries, Requests& requests, const Moment& at);
  Asked asked_of(Mask input_vcs, const Requests& requests) const;
  void ask_of_rivals(Asked asked, Cycle now);
  Mask lost_vcs(Asked asked, Cycle now) const;
  Failed failed_tries(const PredictionTries& tries, bool first, Cycle now) const;
  template <unsigned more>
  Mask hold_back(Mask lost, Failed failed, PredictionTries& tries, Requests& requests, const Moment& at);
  template <unsigned more>
  void drop(Failed failed, PredictionTries& tries, const Moment& at);
  void go_by_switch(Mask input_vcs);
  template <unsigned more>
  void cross_predicted(const PredictionTry& one, const Moment& at);
  void show_crossing(const PredictionTry& one, const Moment& at);
  /// Input virtual channels with an output, a flit and a credit.
  Mask ready() const { return active_ & flits_ & credit_; }
  unsigned next_vc(const Request& request, unsigned vcs) const;
  routing::RouteCandidate* candidates_of(unsigned number) const {
    return reinterpret_cast<routing::RouteCandidate*>(reinterpret_cast<std::uintptr_t>(candidates_) +
                                                      std::size_t{number} * candidate_bytes_);
  }
  static constexpr Mask vc_bit(unsigned number) { return Mask{1} << number; }
  static RowPlace place(unsigned number, unsigned first_word) {
    return {first_word + number / 64, number % 64};
  }
  static std::uint16_t served(unsigned input_vc, unsigned port) {
    return static_cast<std::uint16_t>(input_vc | port << 8);
  }
  static unsigned vc_of(std::uint16_t served) { return served & 255U; }
  static unsigned port_of(std::uint16_t served) { return served >> 8U; }
  HeadQueue& heads_of(unsigned number) const { return shared_->queues[first_queue_ + number]; }
  /// Flits or credits on the way to a virtual channel. `first_word`: of the row.
  unsigned under_way(unsigned number, unsigned first_word) const {
    const RowPlace at = place(number, first_word);
    return home_->count(home_->row_place(unit_) + at.word, at.first_bit);
  }
  /// Adds under_way() of a port's virtual channels.
  void add_under_way(unsigned number, unsigned first_word, unsigned vcs, unsigned* of_vcs) const {
    const RowPlace at = place(number, first_word);
    home_->add_counts(home_->row_place(unit_) + at.word, at.first_bit, vcs, of_vcs);
  }
  /// Number of flits, or of packets (RouterShared::passes_whole), on the wires to the router.
  unsigned arriving() const {
    unsigned flits = 0;
    for (unsigned word = 0; word < words; ++word) flits += home_->count_all(home_->row_place(unit_) + word);
    return flits;
  }
  [[noreturn]] void fail(Cycle now, const std::string& what) const;
  [[noreturn]] void fail(Cycle now, PacketIndex packet, const std::string& what) const;

  std::uint8_t input_vcs_ = 0, output_vcs_ = 0, port_count_ = 0;
  Word* row_ = nullptr;  ///< in slot 0
  // Masks of input virtual channels.
  Mask flits_ = 0;   ///< with a flit in the buffer
  Mask credit_ = 0;  ///< whose output virtual channel has a credit
  Mask active_ = 0;  ///< that request the switch: an output virtual channel has been allocated
  Mask idle_ = 0;    ///< without a packet at the front
  /// Whose head requests an output virtual channel in the next cycle.
  Mask pending_ = 0;
  Mask parked_ = 0;   ///< whose head waits until an output virtual channel may be available
  Mask routing_ = 0;  ///< in route computation of another length than one cycle
  /// Whose route computation ends with this cycle. They are pending, too, in a cycle of RouterShared::plain
  /// without prediction.
  Mask routed_ = 0;
  /// Input virtual channels whose packet may have several candidates, where decisions read waiting flits.
  Mask choosing_ = 0;

  Stages* stages_ = nullptr;  ///< [slot]; null: RC and VA take one cycle each
  InputVc* vcs_ = nullptr;
  OutputVc<Mask>* out_ = nullptr;
  Input* inputs_ = nullptr;
  Output* outputs_ = nullptr;
  const RouterShared* shared_ = nullptr;
  Watched* watched_ = nullptr;  ///< null unless RouterShared::may_be_watched or counts_waits
  Whole* whole_ = nullptr;      ///< null unless RouterShared::passes_whole
  routing::RouteCandidate* candidates_ = nullptr;  ///< [input VC][max_candidates]
  std::uint8_t* served_ = nullptr;                 ///< [output VC]: input VC of the last grant (VA)
  ArenaPtr<Prediction<Mask>> prediction_;          ///< null unless RouterShared::predicts
  ArenaPtr<Times<Mask>> times_;                    ///< null unless RouterShared::timed
  unsigned turn_ = 0;                              ///< position of the round-robin selection
  std::uint32_t decided_ = 0;                      ///< number of decisions, modulo 2^32
  std::uint32_t max_candidates_ = 1;               ///< RouterShared::max_candidates
  std::uint32_t candidate_bytes_ = 0;              ///< size of the candidates of an input VC
  std::uint32_t one_ = 1;                          ///< Buffers::one
  QueueIndex first_queue_ = 0;                     ///< of input virtual channel 0
};

const RouterWidth& slim_routers();    ///< of SlimBits
const RouterWidth& narrow_routers();  ///< of Bits
const RouterWidth& wide_routers();    ///< of WideBits
const RouterWidth& vast_routers();    ///< of VastBits

}  // namespace tsuji::network::dense
