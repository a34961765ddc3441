// SPDX-License-Identifier: Apache-2.0
#include "router/rtl_wave.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tsuji/observe/gtkw.h"

namespace tsuji::bench {
namespace {

/// Cycles whose changes wait in memory, at most.
constexpr Cycle write_interval = 1000;

/// Name of the wires that go against a router's flits.
std::string back_name(const RtlDescription& about) {
  if (about.flow == RtlFlow::credits) return "credit";
  if (about.flow == RtlFlow::valid_ready) return "ready";
  return about.off_is_high ? "off" : "on";
}

/// The fields of a port of the RTL that have bits.
std::vector<const RtlBits*> fields_of(const RtlPortPins& port) {
  std::vector<const RtlBits*> fields = {&port.in_credit, &port.in_credit_vc, &port.out_credit,
                                        &port.out_credit_vc};
  for (const RtlFlitPins* pins : {&port.in, &port.out})
    for (const RtlBits* bits :
         {&pins->valid, &pins->vc, &pins->head, &pins->tail, &pins->kind, &pins->destination,
          &pins->coordinates[0], &pins->coordinates[1], &pins->coordinates[2], &pins->output,
          &pins->output_vcs, &pins->length, &pins->payload, &pins->body_payload})
      fields.push_back(bits);
  fields.erase(std::remove_if(fields.begin(), fields.end(), [](const RtlBits* bits) { return !*bits; }),
               fields.end());
  return fields;
}

/// Ports of the RTL that have a field in this pin.
std::set<std::size_t> ports_at(const RtlPin& pin, const RouterRtl& rtl) {
  std::set<std::size_t> found;
  for (std::size_t port = 0; port < rtl.ports.size(); ++port)
    for (const RtlBits* bits : fields_of(rtl.ports[port]))
      if (bits->bytes >= pin.bytes && bits->bytes < pin.bytes + pin.storage_bytes())
        found.insert(port % rtl.port_count());
  return found;
}

}  // namespace

/// Adds the signals of one router.
class RtlWave::Adding {
 public:
  Adding(observe::Wave& wave, graph::RouterId id, const RouterRtl& rtl, Router& router)
      : wave_(wave),
        rtl_(rtl),
        router_(router),
        group_("router " + std::to_string(id)),
        path_("r" + std::to_string(id)) {}

  void add_own() {
    field(path_ + ".clock", rtl_.clock, group_);
    field(path_ + ".reset", rtl_.reset, group_);
    for (std::size_t i = 0; i < rtl_.errors.size(); ++i)
      field(path_ + ".error" + (i == 0 ? "" : std::to_string(i)), rtl_.errors[i].second, group_);
  }

  void add_port(const RtlWavePort& port) {
    const std::string path = path_ + ".port" + std::to_string(port.number);
    std::string group = group_ + ", port " + std::to_string(port.number);
    if (port.rtl < rtl_.about.port_names.size()) group += " (" + rtl_.about.port_names[port.rtl] + ")";
    const std::vector<RtlChannel> one = {{"", 0, rtl_.about.vcs}};
    std::size_t of_rtl = port.rtl;
    for (const RtlChannel& channel : rtl_.about.channels.empty() ? one : rtl_.about.channels) {
      const RtlPortPins& pins = rtl_.ports[of_rtl];
      of_rtl += rtl_.port_count();
      const std::string fields = path + (channel.name.empty() ? "" : "." + channel.name);
      const auto of_channel = [&](unsigned all) {
        return std::min(all, channel.first_vc + channel.vcs) - std::min(all, channel.first_vc);
      };
      const unsigned in_vcs = of_channel(port.in_vcs), out_vcs = of_channel(port.out_vcs);
      if (in_vcs != 0) add_flit(fields + ".in", pins.in, group);
      if (out_vcs != 0) add_flit(fields + ".out", pins.out, group);
      if (in_vcs != 0) add_vcs(path, group, pins, {&pins.in, port.number, channel.first_vc, false}, in_vcs);
      if (out_vcs != 0) add_vcs(path, group, pins, {&pins.out, port.number, channel.first_vc, true}, out_vcs);
    }
  }

 private:
  void field(const std::string& path, const RtlBits& bits, const std::string& group) {
    if (!bits) return;
    const auto format = bits.width == 1 ? observe::WaveFormat::binary : observe::WaveFormat::hex;
    router_.fields.push_back({wave_.add(path, bits.width, format, group), bits, 0});
  }

  void add_flit(const std::string& path, const RtlFlitPins& pins, const std::string& group) {
    const std::pair<const char*, const RtlBits*> fields[] = {{".valid", &pins.valid},
                                                             {".vc", &pins.vc},
                                                             {".head", &pins.head},
                                                             {".tail", &pins.tail},
                                                             {".kind", &pins.kind},
                                                             {".destination", &pins.destination},
                                                             {".x", &pins.coordinates[0]},
                                                             {".y", &pins.coordinates[1]},
                                                             {".z", &pins.coordinates[2]},
                                                             {".recovery", &pins.recovery},
                                                             {".hops", &pins.hops},
                                                             {".output", &pins.output},
                                                             {".output_vcs", &pins.output_vcs},
                                                             {".length", &pins.length},
                                                             {".payload", &pins.payload},
                                                             {".body_payload", &pins.body_payload}};
    for (const auto& [name, bits] : fields) field(path + name, *bits, group);
  }

  void add_vcs(const std::string& port, const std::string& of_port, const RtlPortPins& pins, Flits flits,
               unsigned vcs) {
    for (unsigned vc = 0; vc < vcs; ++vc) {
      const std::string number = std::to_string(flits.first_vc + vc);
      const std::string group = of_port + ", virtual channel " + number;
      const std::string path = port + ".vc" + number + (flits.out ? ".out_" : ".in_");
      flits.signals.push_back(wave_.add(path + "flit", 1, observe::WaveFormat::text, group));
      Back back{wave_.add(path + back_name(rtl_.about), 1, observe::WaveFormat::binary, group),
                flits.out ? pins.out_credit : pins.in_credit,
                flits.out ? pins.out_credit_vc : pins.in_credit_vc, vc, 0};
      router_.backs.push_back(back);
    }
    router_.flits.push_back(std::move(flits));
  }

  observe::Wave& wave_;
  const RouterRtl& rtl_;
  Router& router_;
  const std::string group_, path_;
};

RtlWave::RtlWave(const observe::WaveFileConfig& file, Picoseconds period, Cycle last)
    : wave_(observe::open_wave_file(file)), period_(period), last_(last) {}

std::size_t RtlWave::add(graph::RouterId id, const RouterRtl& rtl, const std::vector<RtlWavePort>& ports,
                         NameFlit name, Late late) {
  Router& router = routers_.emplace_back();
  router.name = std::move(name);
  settle_cycles_ = std::max(settle_cycles_, late.settle_cycles);
  router.late = std::move(late);
  Adding adding(*wave_, id, rtl, router);
  adding.add_own();
  for (const RtlWavePort& port : ports) adding.add_port(port);
  return routers_.size() - 1;
}

void RtlWave::write_before(Cycle now) {
  next_write_ = now + write_interval;
  if (now > last_) return;
  for (const Router& router : routers_)
    if (router.late.catch_up) router.late.catch_up(now);
  wave_->advance((now - std::min(now, settle_cycles_)) * period_);
}

void RtlWave::sample(std::size_t number, Cycle now, Picoseconds time) {
  if (now > last_) return;
  Router& router = routers_[number];
  for (Field& field : router.fields) {
    const std::uint64_t value = field.bits.read();
    if (value == field.value) continue;
    wave_->change(field.signal, time, field.value = value);
  }
  for (Back& back : router.backs) {
    const std::uint64_t value = back.number ? (back.mask.read() != 0 && back.number.read() == back.vc ? 1 : 0)
                                            : back.mask.read_mask() >> back.vc & 1;
    if (value == back.value) continue;
    wave_->change(back.signal, time, back.value = value);
  }
  for (Flits& flits : router.flits) show_flits(router, flits, time);
}

/// The name of a flit is looked up when it comes to the pins: later its packet may be gone.
void RtlWave::show_flits(const Router& router, Flits& flits, Picoseconds time) {
  const RtlFlitPins& pins = *flits.pins;
  const unsigned channel = pins.valid.read() != 0 ? pins.channel() : none;
  const unsigned vc = channel < flits.signals.size() ? channel : none;
  const std::array<std::uint64_t, 2> payloads = {pins.payload.read(), pins.body_payload.read()};
  if (vc == flits.shown && (vc == none || payloads == flits.payloads)) return;
  if (flits.shown != none && flits.shown != vc) wave_->change(flits.signals[flits.shown], time, "");
  flits.shown = vc;
  flits.payloads = payloads;
  if (vc != none)
    wave_->change(flits.signals[vc], time, router.name(flits.port, flits.out, flits.first_vc + vc));
}

void write_pin_groups(const std::string& stem, const std::string& ending, graph::RouterId id,
                      const RouterRtl& rtl, observe::WaveWindow shown) {
  const std::string group = "router " + std::to_string(id);
  std::vector<std::vector<observe::SignalInfo>> groups(rtl.port_count() + 1);  // of the router, of its ports
  for (const RtlPin& pin : rtl.pins) {
    const std::set<std::size_t> ports = ports_at(pin, rtl);
    const std::size_t place = ports.size() == 1 ? *ports.begin() + 1 : 0;
    observe::SignalInfo& signal = groups[place].emplace_back();
    // The range is a part of the name, as bits may count up; so the signal itself has one bit.
    signal.path = "r" + std::to_string(id) + "." + pin.name + pin.range;
    signal.format = pin.width_bits == 1 ? observe::WaveFormat::binary : observe::WaveFormat::hex;
    signal.group = place == 0 ? group : group + ", " + rtl.about.port_names.at(place - 1);
  }
  std::vector<observe::SignalInfo> signals;
  for (const auto& one : groups) signals.insert(signals.end(), one.begin(), one.end());
  observe::write_gtkw(stem, ending, signals, shown, shown.from);
}

}  // namespace tsuji::bench
