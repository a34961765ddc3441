// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "support/catch.h"
#include "tsuji/link/packet_link.h"

namespace tsuji::traffic::test {

/// A network interface's two channels as the bridge sees them, driven by the test.
class Interface final : public PacketInIf, public PacketOutIf {
 public:
  struct Sent {
    Cycle cycle;
    PacketTransfer transfer;
  };
  // The interface's outgoing channel, whose receiver is the bridge.
  bool receive(Cycle now, PacketTransfer& transfer, Cycle& arrival) override {
    if (coming.empty() || coming.front().cycle > now) return false;
    arrival = coming.front().cycle;
    transfer = std::move(coming.front().transfer);
    coming.erase(coming.begin());
    return true;
  }
  void release(unsigned fifo, Cycle at) override {
    CHECK(fifo == 0);
    released.push_back(at);
  }
  void bind_receiver(Clocked&, unsigned, unsigned, Cycle) override {}
  // The interface's incoming channel.
  void send(Cycle now, PacketTransfer&& transfer) override { sent.push_back({now, std::move(transfer)}); }
  std::uint32_t room(Cycle now) const override { return now >= room_from ? 1 : 0; }
  Cycle room_at(unsigned) const override { return room_known ? room_from : never; }
  void watch_room(std::uint32_t fifos) override { watched = fifos; }
  void bind_sender(Clocked&) override {}

  std::vector<Sent> coming, sent;
  std::vector<Cycle> released;
  Cycle room_from = 0;
  bool room_known = true;
  std::uint32_t watched = 0;
};

}  // namespace tsuji::traffic::test
