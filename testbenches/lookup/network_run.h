#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

#include "tsuji/lookup/switch_lookup.h"
#include "tsuji/observe/load_measurement.h"

namespace tsuji::bench {

/// Record of a network's run, to be compared with another's: every packet's cycles, and every switch's
/// look-ups.
class NetworkRun {
 public:
  struct Packet {
    NodeId source = 0, destination = 0;
    Cycle injected = 0, head = 0, tail = 0;
  };
  struct Switch {
    std::uint64_t lookups, hits, misses;
  };
  void add(const observe::DeliveredPacket& packet);
  void add(std::uint32_t router, const lookup::LookupCounters& counters);

  const std::map<std::uint64_t, Packet>& packets() const { return packets_; }
  Switch sum() const;

  /// Lines "packet,ID,..." and "switch,ROUTER,...".
  void write(std::ostream& out) const;
  /// ConfigError of --against, with line and column, for a file that is none of write()'s.
  static NetworkRun read(const std::string& path);
  /// The earliest packet that differs, else the first switch, with both sides' numbers; empty: all are equal.
  std::string difference(const NetworkRun& before, const std::string& name) const;

 private:
  std::map<std::uint64_t, Packet> packets_;
  std::map<std::uint64_t, Switch> switches_;
};

}  // namespace tsuji::bench
