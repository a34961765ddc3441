// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/packet_checker.h"

#include <cstring>

namespace tsuji::machines {

PacketRef repaired_packet(PacketPool& pool, const Packet& packet, const std::uint64_t* words) {
  PacketRef ref = pool.clone(packet);
  Packet& repaired = ref.edit();
  repaired.spelling.error_count = 0;
  if (packet.kind != PacketKind::single_cast) repaired.map = *words++;
  for (std::uint64_t& header : repaired.header) header = *words++;
  std::memcpy(repaired.payload.data(), words, packet.payload_bytes);
  return ref;
}

nic::CheckResult PacketChecker::check(const Packet& packet) {
  using nic::CheckVerdict;
  if (packet.spelling.error_count == 0) return {};
  const FlitJudgement judgement = judge(packet);
  switch (judgement.cause) {
    case FlitDropCause::port_parity:
      return {CheckVerdict::dropped, nic::ReceiverDropCause::parity, {}};
    case FlitDropCause::flit_lost:
      return {CheckVerdict::dropped, nic::ReceiverDropCause::position, {}};
    case FlitDropCause::double_bit:
      return {CheckVerdict::dropped, nic::ReceiverDropCause::uncorrectable, {}};
    case FlitDropCause::none:
      break;
  }
  const bool corrected = judgement.verdict == FlitVerdict::corrected;
  return {corrected ? CheckVerdict::corrected : CheckVerdict::ok,
          {},
          repaired_packet(pool_, packet, judgement.words.data())};
}

}  // namespace tsuji::machines
