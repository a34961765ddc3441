#include "tsuji/crosspoint/crosspoint_switch.h"

namespace tsuji::crosspoint {
namespace {

std::variant<CrosspointState, FlitCrosspoint> make_state(const CrosspointConfig& config,
                                                         const graph::SwitchRoute& route, const char* name) {
  if (config.mode == SwitchMode::flit_by_flit) return FlitCrosspoint(config, route, name);
  return CrosspointState(config, route, name);
}

}  // namespace

CrosspointSwitch::CrosspointSwitch(sc_core::sc_module_name module_name, ClockDomain& domain,
                                   const CrosspointConfig& config, graph::SwitchRoute route)
    : sc_module(module_name),
      Clocked(domain),
      in("in", config.ports),
      out("out", config.ports),
      config_(config),
      route_(std::move(route)),
      state_(make_state(config, route_, name())),
      wires_(VirtualWires{*this, {}, {}}) {}

void CrosspointSwitch::end_of_elaboration() {
  DirectWires direct{*this, {}, {}};
  VirtualWires general{*this, {}, {}};
  bool all_direct = true;
  const Cycle lag = std::visit([](const auto& state) { return state.least_delay(); }, state_);
  for (unsigned port = 0; port < config_.ports; ++port) {
    PacketInIf* input = in[port].operator->();
    PacketOutIf* output = out[port].operator->();
    input->bind_receiver(*this, config_.ports, config_.fifo_packets, lag);
    output->bind_sender(*this);
    general.in.push_back(input);
    general.out.push_back(output);
    direct.in.push_back(dynamic_cast<PacketLink*>(input));
    direct.out.push_back(dynamic_cast<PacketLink*>(output));
    all_direct = all_direct && direct.in.back() != nullptr && direct.out.back() != nullptr;
  }
  if (all_direct) {
    wires_.emplace<DirectWires>(std::move(direct));
  } else {
    wires_.emplace<VirtualWires>(std::move(general));
  }
}

template <class In, class Out>
void CrosspointSwitch::Wires<In, Out>::wait_room(unsigned output, Cycle now, std::uint32_t fifos) {
  // A wire whose rise is known already gets its wake-up here; one that nobody has promised yet is watched.
  Cycle earliest = never;
  for (std::uint32_t left = fifos; left != 0; left &= left - 1) {
    const Cycle at = out[output]->room_at(static_cast<unsigned>(__builtin_ctz(left)));
    if (at > now && at < earliest) earliest = at;
  }
  if (earliest != never) owner.wake_at(earliest);
  out[output]->watch_room(fifos);
}

void CrosspointSwitch::step(Cycle now) {
  CrosspointState* const state = std::get_if<CrosspointState>(&state_);
  DirectWires* const direct = std::get_if<DirectWires>(&wires_);
  const Cycle next =
      state != nullptr && direct != nullptr  // by far the most frequent pair, without a table of calls
          ? state->step(now, *direct)
          : std::visit([now](auto& any_state, auto& wires) { return any_state.step(now, wires); }, state_,
                       wires_);
  if (next != never) wake_at(next);
}

const SwitchCounters& CrosspointSwitch::counters() const {
  return std::visit([](const auto& state) -> const SwitchCounters& { return state.counters(); }, state_);
}

unsigned CrosspointSwitch::held(unsigned input, unsigned output) const {
  return std::visit([=](const auto& state) { return state.held(input, output); }, state_);
}

const PacketTransfer* CrosspointSwitch::head(unsigned input, unsigned output) const {
  return std::visit([=](const auto& state) { return state.head(input, output); }, state_);
}

}  // namespace tsuji::crosspoint
