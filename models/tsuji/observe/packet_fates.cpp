// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/packet_fates.h"

#include "tsuji/core/error.h"

namespace tsuji::observe {

void PacketFates::add_to(Results& results, const std::string& part, const std::string& name) const {
  ResultTable& table = results.table(name, {{"fate", ""}, {"packets", "packets"}});
  table.row({"born", born});
  if (born_at_routers != 0) table.row({"born at routers", born_at_routers});
  if (replicated != 0) table.row({"replicated", replicated});
  if (merged != 0) table.row({"merged", merged});
  table.row({"delivered", delivered});
  if (born_at_routers != 0) table.row({"ended at routers", ended_at_routers});
  std::uint64_t ended = delivered + ended_at_routers;
  for (const auto& [cause, packets] : dropped) {
    table.row({"dropped: " + cause, packets});
    ended += packets;
  }
  table.row({"under way", under_way});
  const std::uint64_t all_born = born + born_at_routers, all_delivered = delivered + ended_at_routers;
  if (all_born + replicated == ended + merged + under_way) return;
  throw ModelError(part, std::to_string(all_born) + " packets were born, " + std::to_string(replicated) +
                             " replicated and " + std::to_string(merged) + " merged; " +
                             std::to_string(all_delivered) + " were delivered, " +
                             std::to_string(ended - all_delivered) + " dropped, and " +
                             std::to_string(under_way) + " are under way");
}

}  // namespace tsuji::observe
