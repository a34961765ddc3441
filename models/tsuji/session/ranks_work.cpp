// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/ranks_work.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/platform/network_slices.h"

namespace tsuji::session {

void RanksWork::construct(network::LoadedNetwork::Parts parts) {
  parts.make_source = [this](NodeId node) { return source(node); };
  parts.sources_have_channels = parts.ports_wake_each_other = plan_.rails.count() > 1;
  const network::LoadedNetwork::OnDelivered record = std::move(parts.on_delivered);
  if (!record) parts.deliveries_lookahead_cycles = never;  // deliveries only enter sums
  parts.on_delivered = [this, record](const observe::DeliveredPacket& packet) {
    // Excludes control messages of routers, which are not the application's.
    if (packet.arrival == PacketArrival::first && !packet.source.is_router())
      metrics_.record_delivery(packet.tail_cycle - packet.created, packet.flits, packet.hops);
    last_delivery_ = std::max(last_delivery_, packet.tail_cycle);
    if (record) record(packet);
  };
  reconfigures_ = parts.fault_reaction != nullptr;
  loaded_.emplace(parts);
  if (parts.ranks != nullptr) divide(*parts.ranks, [this](NodeId node) { return loaded_->has(node); });
}

void RanksWork::play(const std::function<void(Cycle now)>& advance, observe::Results& results) {
  constexpr Cycle slice_cycles = 10'000;
  platform::NetworkSlices slices(*loaded_, options_, results, advance);
  slices.end_with_work(
      [this] { return !reconfigures_ && finished() && loaded_->accounts().packets_not_ended() == 0; },
      [this] {
        const Cycle last = std::max(last_cycle(), last_delivery_);
        return loaded_->ranks() == nullptr ? last : loaded_->ranks()->greatest(last);
      });
  try {
    for (Cycle next = 0; next != never && !ends_at(loaded_->now()); next = loaded_->next_activity()) {
      slices.run_to(std::max(next, loaded_->now() + slice_cycles));
      options_.progress->update(progress());
    }
    check();
  } catch (const platform::Interrupted&) {
  }
}

observe::NetworkMetrics RanksWork::metrics(const observe::Results& results) {
  end_cycle_ = results.partial() ? loaded_->now() : last_cycle();
  metrics_.flits_offered =
      loaded_->retry() == nullptr ? loaded_->accounts().flits_sent() : loaded_->retry()->messages_flits();
  loaded_->accounts().add_counters(metrics_);
  return metrics_;
}

void RanksWork::check() const {
  loaded_->check_conservation();
  if (finished()) return check_finished();
  std::string report = wait_report();
  const std::uint64_t dropped = loaded_->supervisor().packets_dropped();
  if (dropped != 0 && loaded_->retry() == nullptr)
    report += std::to_string(dropped) + " packets were dropped, and with them their messages\n";
  if (dropped == 0 && !lost_messages())
    report +=
        "no message is lost: the trace keeps its ranks waiting by the order of their operations; a send of "
        "more than nic.eager_bytes waits for its receive\n";
  throw ModelError("trace", loaded_->now(), "", report);
}

}  // namespace tsuji::session
