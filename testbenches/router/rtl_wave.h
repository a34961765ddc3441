// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "router/router_rtl.h"
#include "tsuji/observe/wave_file.h"

namespace tsuji::bench {

/// A port of an RTL router in a waveform. Directions without a link are not shown.
struct RtlWavePort {
  unsigned number = 0;  ///< in the network
  unsigned rtl = 0;     ///< of the RTL
  unsigned in_vcs = 0, out_vcs = 0;
};

/// Waveform of the pins of all RTL routers of a network, with a GTKWave save file whose groups are routers,
/// their ports, and the virtual channels of each port. A virtual channel has the names of the flits at its
/// pins (PACKET/FLIT) and what goes against them.
///
/// Contract: add() for all routers before the first sample(); sample() of a router after each evaluation of
/// its RTL, with a time that does not decrease; passed() after a router's cycle.
class RtlWave {
 public:
  /// Name of the flit that a port of the network shows in one direction.
  using NameFlit = std::function<std::string(unsigned port, bool out, unsigned vc)>;

  /// A router whose clock may be late.
  struct Late {
    std::function<void(Cycle now)> catch_up;  ///< runs the cycles before `now`; empty: its clock has stopped
    Cycle settle_cycles = 0;                  ///< cycles that a stopped clock runs later
  };

  /// `period` is that of the clock, whose cycle `last` is the last one shown.
  RtlWave(const observe::WaveFileConfig& file, Picoseconds period, Cycle last = never);
  /// Adds a router's pins; `rtl` is there as long as it has samples. Returns its number.
  std::size_t add(graph::RouterId id, const RouterRtl& rtl, const std::vector<RtlWavePort>& ports,
                  NameFlit name, Late late);
  void sample(std::size_t router, Cycle now, Picoseconds time);
  /// Now and then writes what no router changes any more, for which all others catch up.
  void passed(Cycle now) {
    if (now >= next_write_) write_before(now);
  }
  /// ModelError if the file could not be written to its end.
  void close() { wave_->close(); }

 private:
  static constexpr unsigned none = ~0U;
  /// A signal that shows bits of the RTL.
  struct Field {
    observe::SignalId signal;
    RtlBits bits;
    std::uint64_t value;  ///< shown
  };
  /// Credit, ready, on or off of a virtual channel.
  struct Back {
    observe::SignalId signal;
    RtlBits mask, number;  ///< a bit each, or a bit with a number
    unsigned vc;
    std::uint64_t value;
  };
  /// Flits of a direction, each in the signal of its virtual channel.
  struct Flits {
    const RtlFlitPins* pins;
    unsigned port, first_vc;
    bool out;
    std::vector<observe::SignalId> signals = {};     ///< [vc]
    unsigned shown = none;                           ///< virtual channel with a flit
    std::array<std::uint64_t, 2> payloads = {0, 0};  ///< of a head, of the flits after it
  };
  struct Router {
    NameFlit name;
    Late late;
    std::vector<Field> fields;
    std::vector<Back> backs;
    std::vector<Flits> flits;
  };
  class Adding;
  void write_before(Cycle now);
  void show_flits(const Router& router, Flits& flits, Picoseconds time);

  std::unique_ptr<observe::Wave> wave_;
  const Picoseconds period_;
  const Cycle last_;
  std::vector<Router> routers_;
  Cycle settle_cycles_ = 0, next_write_ = 0;
};

/// Writes `stem`.gtkw, a GTKWave save file of the waveform `stem` + `ending` of a router's own signals: its
/// pins, those that belong to one port in a group of that port. ModelError if it cannot be written.
void write_pin_groups(const std::string& stem, const std::string& ending, graph::RouterId id,
                      const RouterRtl& rtl, observe::WaveWindow shown);

}  // namespace tsuji::bench
