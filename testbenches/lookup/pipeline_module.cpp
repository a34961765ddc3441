// SPDX-License-Identifier: Apache-2.0
#include "lookup/pipeline_module.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/core/random.h"

namespace tsuji::lookup {

/// A network whose tables are empty until a switch changes its own.
class PipelineModule::NoRoutes final : public routing::Routing, public routing::TableImage {
 public:
  void route(const routing::RouteQuery&, routing::RouteSet& candidates) const override { candidates.clear(); }
  routing::VcMask injection_vcs(End, End) const override { return 0; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return 1; }
  const routing::TableImage* table_image() const override { return this; }
  routing::TableForm table_form() const override { return routing::TableForm::port_and_vcs; }
  routing::RouteCandidate table_entry(graph::RouterId router, std::uint32_t in_port,
                                      NodeId destination) const override {
    return only_candidate(*this, router, in_port, destination);
  }
};

namespace {

LookupTiming timing(const PipelineConfig& config) {
  LookupTiming times;
  times.cam_cycles = config.cam_cycles;
  return times;
}

}  // namespace

std::vector<std::uint64_t> PipelineConfig::keys() const {
  std::vector<std::uint64_t> all;
  for (unsigned family = 0; family < families; ++family) {
    const std::uint64_t first = CounterRandom(seed, family).bits(0);
    all.push_back(first);
    for (unsigned bit = 0; bit < 64; ++bit) all.push_back(first ^ std::uint64_t{1} << bit);
  }
  return all;
}

PipelineModule::PipelineModule(sc_core::sc_module_name module_name, const PipelineConfig& config)
    : sc_module(module_name),
      config_(config),
      routing_(std::make_unique<NoRoutes>()),
      keys_(config.keys()),
      shape_(config.cache),
      parts_{*routing_, keys_, &shape_, timing(config), vcs, 1} {
  keys_.remember_sets(KeyHash(config.hash), shape_.sets());
  for (NodeId node = 0; node < keys_.nodes(); ++node) nodes_[keys_.key(node)] = node;
  restart();
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
  SC_METHOD(on_select);
  sensitive << table_valid << answer_select << edge_;
}

PipelineModule::~PipelineModule() = default;

void PipelineModule::restart() {
  lookup_ = std::make_unique<CachedLookup>(parts_, 0, ports);
  rows_.assign(config_.rows, {});
  for (auto& port : queues_)
    for (auto& queue : port) queue.clear();
}

const PipelineModule::Answer* PipelineModule::front(unsigned port, unsigned vc) const {
  const std::deque<Answer>& queue = queues_[port][vc];
  return queue.empty() || queue.front().at > now_ ? nullptr : &queue.front();
}

void PipelineModule::on_edge() {
  if (reset.read())
    restart();
  else
    step();
  ++now_;
  std::uint32_t valid = 0;
  for (unsigned port = 0; port < ports; ++port)
    for (unsigned vc = 0; vc < vcs; ++vc)
      valid |= (front(port, vc) != nullptr ? 1U : 0U) << (port * vcs + vc);
  answer_valid.write(valid);
  edge_.notify(sc_core::SC_ZERO_TIME);
}

/// Outputs that follow from inputs within a cycle.
void PipelineModule::on_select() {
  std::uint32_t ready = 0, tickets = 0;
  sc_dt::sc_bv<32 * ports> entries;
  for (unsigned port = 0; port < ports; ++port) {
    for (unsigned vc = 0; vc < vcs; ++vc)
      ready |= (!table_valid.read() && queues_[port][vc].size() < config_.depth ? 1U : 0U)
               << (port * vcs + vc);
    if (const Answer* const answer = front(port, answer_select.read() >> 2 * port & 3)) {
      tickets |= answer->ticket << 8 * port;
      entries.set_word(static_cast<int>(port), answer->entry);
    }
  }
  request_ready.write(ready);
  answer_ticket.write(tickets);
  answer_entry.write(entries);
}

/// The edge at the end of cycle `now_`: first the queues' state of this cycle, then requests, then changes.
void PipelineModule::step() {
  for (unsigned port = 0; port < ports; ++port) {
    const unsigned vc = request_vc.read() >> 2 * port & 3;
    const bool room = queues_[port][vc].size() < config_.depth;
    take(port);
    if ((request_valid.read() >> port & 1) != 0 && room && !table_valid.read()) ask(port);
  }
  if (table_valid.read())
    change_table();
  else if (flush.read())
    lookup_->flush(now_);
}

void PipelineModule::take(unsigned port) {
  const unsigned vc = answer_select.read() >> 2 * port & 3;
  if ((answer_take.read() >> port & 1) != 0 && front(port, vc) != nullptr) queues_[port][vc].pop_front();
}

void PipelineModule::ask(unsigned port) {
  const std::uint64_t key = std::uint64_t{request_key.read().get_word(static_cast<int>(2 * port + 1))} << 32 |
                            request_key.read().get_word(static_cast<int>(2 * port));
  routing::RouteQuery query;
  query.in_port = port;
  query.in_vc = request_vc.read() >> 2 * port & 3;
  query.destination = node_of(key);
  const std::uint32_t ticket = request_ticket.read() >> 8 * port & 0xff;
  routing::RouteSet candidates;
  const Cycle at = lookup_->request(now_, query, ticket, candidates);
  const std::uint32_t entry =
      candidates.size() == 0 ? 0 : std::uint32_t{candidates[0].vcs} << 16 | candidates[0].port;
  queues_[port][query.in_vc].push_back({at, ticket, entry});
}

void PipelineModule::change_table() {
  Row& row = rows_.at(table_row.read());
  const std::optional<NodeId> before = row.node;
  row = {};
  if (!table_erase.read()) row = {node_of(table_key.read()), table_entry.read()};
  if (before) update_route(*before);
  if (row.node) update_route(*row.node);
  lookup_->flush(now_);  // also where a row stays empty
}

/// The lowest row that holds a node's key has its route.
void PipelineModule::update_route(NodeId node) {
  const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& one) { return one.node == node; });
  if (row == rows_.end())
    lookup_->restore_route(now_, node);
  else
    lookup_->change_route(
        now_, node, {static_cast<std::uint16_t>(row->entry), static_cast<std::uint16_t>(row->entry >> 16)});
}

NodeId PipelineModule::node_of(std::uint64_t key) const {
  const auto node = nodes_.find(key);
  if (node == nodes_.end()) throw ModelError(name(), now_, "", "a key that no node has");
  return node->second;
}

}  // namespace tsuji::lookup
