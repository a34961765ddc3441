#include "fabric/packet_checker.h"

namespace tsuji::fabric {

nic::CheckResult PacketChecker::check(const Packet& packet) {
  if (packet.error_count == 0) return {};
  const FlitJudgement judgement = judge(packet);
  switch (judgement.cause) {
    case DropCause::port_parity:
      return {nic::CheckVerdict::dropped, nic::DropCause::parity};
    case DropCause::flit_lost:
      return {nic::CheckVerdict::dropped, nic::DropCause::position};
    case DropCause::double_bit:
      return {nic::CheckVerdict::dropped, nic::DropCause::uncorrectable};
    case DropCause::none:
      break;
  }
  return {judgement.verdict == FlitVerdict::corrected ? nic::CheckVerdict::corrected : nic::CheckVerdict::ok,
          {}};
}

}  // namespace tsuji::fabric
