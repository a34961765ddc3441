// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/switch_modules.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::lookup {
namespace {

template <class T>
using Signal = sc_core::sc_signal<T>;

constexpr unsigned resets = 2;  ///< number of reset edges

std::string numbered(const char* what, unsigned number) {
  return what + std::to_string(number);
}

}  // namespace

/// Counters of a cache in RTL, derived from its pins. A fill in the cycle of a flush counts as a new entry
/// unless it replaced another one, as the pins do not show more.
class CachePinCounters {
 public:
  explicit CachePinCounters(const CacheWires& wires) : wires_(wires) {}

  /// Samples the inputs of an edge, and the entries before it.
  void before_edge() {
    fills_ = wires_.fill_valid.read();
    flushes_ = wires_.flush.read();
    held_ = wires_.entries_held.read();
  }
  /// Samples the outputs after that edge.
  void after_edge() {
    if (wires_.answer_valid.read()) {
      ++counters_.lookups;
      ++(wires_.answer_hit.read() ? counters_.hits : counters_.misses);
    }
    if (fills_) count_fill();
    if (flushes_) {
      ++counters_.flushes;
      counters_.flushed += held_;
    }
  }
  const CacheCounters& counters() const { return counters_; }

 private:
  void count_fill() {
    const bool replaces = wires_.fill_replaced.read();
    const bool adds = !replaces && (flushes_ || wires_.entries_held.read() > held_);
    ++(adds || replaces ? counters_.fills : counters_.refills);
    if (replaces) ++counters_.evictions;
    if (adds) ++held_;
  }

  const CacheWires& wires_;
  CacheCounters counters_;
  bool fills_ = false, flushes_ = false;
  std::uint32_t held_ = 0;
};

/// An input port's modules and the wires between them.
struct SwitchModules::Port {
  Port(unsigned own_number, const Parts& parts)
      : number(own_number),
        rtl(make_rtl(parts, numbered("cache", number))),
        cache(rtl ? nullptr : make_cache(parts, numbered("cache", number))),
        module(numbered("port", number).c_str(), {parts.lookup, parts.domain.period(), cache.get()}),
        pins(wires) {
    wires.bind_shared(module);
    module.request_valid(request_valid);
    module.request_key(request_key);
    module.missed_key(missed_key);
    module.return_valid(return_valid);
    module.state(state);
  }
  std::unique_ptr<sc_core::sc_module> make_rtl(const Parts& parts, const std::string& name) {
    if (!parts.rtl.make_cache) return nullptr;
    return parts.rtl.make_cache({parts.router, number}, name.c_str(), wires);
  }
  std::unique_ptr<CacheModule> make_cache(const Parts& parts, const std::string& name) {
    auto made = std::make_unique<CacheModule>(name.c_str(), *parts.lookup.shape, parts.lookup.seed,
                                              std::uint64_t{parts.router} << 16 | number,
                                              parts.lookup.timing.cache_cycles);
    wires.bind(*made);
    return made;
  }

  const unsigned number;
  CacheWires wires;
  Signal<bool> request_valid, return_valid;
  Signal<std::uint64_t> request_key, missed_key;
  Signal<std::uint32_t> state;
  std::unique_ptr<sc_core::sc_module> rtl;  ///< replaces the cache; null: there is `cache`
  std::unique_ptr<CacheModule> cache;
  LookupPortModule module;
  CachePinCounters pins;  ///< of `rtl`
  Memory* memory = nullptr;
  unsigned lane = 0;     ///< index of the port in its memory's path
  bool awake = false;    ///< in awake_
  bool clocked = false;  ///< in this cycle
};

/// A memory with the path to it.
struct SwitchModules::Memory {
  Memory(const std::string& number, const Parts& parts, unsigned first_port, unsigned ports)
      : first(first_port),
        name("cam" + number),
        path(("path" + number).c_str(), ports, parts.lookup.timing, parts.cam.access_cycles) {
    path.clock(clock);
    path.return_entry(return_entry);
    path.cam_request_valid(wires.request_valid);
    path.cam_request_operation(wires.request_operation);
    path.cam_request_index(wires.request_index);
    path.cam_request_key(wires.request_key);
    path.cam_request_value(wires.request_value);
    path.cam_answer_valid(wires.answer_valid);
    path.cam_answer_hit(wires.answer_hit);
    path.cam_answer_value(wires.answer_value);
    if (parts.rtl.make_cam) rtl = parts.rtl.make_cam(parts.router, name.c_str(), wires);
    if (rtl) return;
    cam = std::make_unique<CamModule>(name.c_str(), parts.cam);
    wires.bind(*cam);
  }

  const unsigned first;
  const std::string name;
  Signal<bool> clock;
  Signal<std::uint32_t> return_entry;
  CamWires wires;
  MissPathModule path;
  std::unique_ptr<CamModule> cam;  ///< null: rtl
  std::unique_ptr<sc_core::sc_module> rtl;
  bool running = false;  ///< in running_
  Cycle cam_edges = 0;   ///< number of edges until the memory's outputs are stable
};

SwitchModules::SwitchModules(sc_core::sc_module_name module_name, const Parts& parts)
    : sc_module(module_name),
      SwitchLookup(parts.lookup, parts.router, parts.ports),
      router_(parts.router),
      chip_cycles_(parts.cam.access_cycles),
      clock_(parts.clock) {
  for (unsigned port = 0; port < parts.ports; ++port) ports_.push_back(std::make_unique<Port>(port, parts));
  if (parts.lookup.timing.cam_is_shared()) {
    refuse_routes_that_differ();
    add_memory(parts, 0, parts.ports);
  } else {
    if (parts.rtl.make_cam)
      throw ConfigError("lookup.cam_sharing", "none", "a CAM in RTL serves a whole switch", "switch");
    for (unsigned port = 0; port < parts.ports; ++port) add_memory(parts, port, 1);
  }
  write_rows();
  clock_.add(*this, parts.domain);
}

SwitchModules::~SwitchModules() {
  // The kernel searches its list of ports from the newest on.
  while (!memories_.empty()) memories_.pop_back();
  while (!ports_.empty()) ports_.pop_back();
}

void SwitchModules::refuse_routes_that_differ() const {
  for (NodeId node = 0; node < parts_.keys.nodes(); ++node) {
    for (unsigned port = 1; port < ports_.size(); ++port) {
      if (table().entry(port, node) == table().entry(0, node)) continue;
      throw ConfigError("lookup.model", "modules",
                        "ports of switch " + std::to_string(router_) + " have different routes to node " +
                            std::to_string(node) + ", and their shared CAM has one row for it",
                        "lookup.cam_sharing none, or a routing that looks at the destination alone (tori: "
                        "routing.dateline switching)");
    }
  }
}

void SwitchModules::add_memory(const Parts& parts, unsigned first, unsigned ports) {
  const std::string number = ports == ports_.size() ? "" : std::to_string(first);
  memories_.push_back(std::make_unique<Memory>(number, parts, first, ports));
  for (unsigned lane = 0; lane < ports; ++lane) bind_port(*memories_.back(), lane, *ports_[first + lane]);
}

void SwitchModules::bind_port(Memory& memory, unsigned lane, Port& port) {
  port.memory = &memory;
  port.lane = lane;
  memory.path.answer_valid[lane](port.wires.answer_valid);
  memory.path.answer_hit[lane](port.wires.answer_hit);
  memory.path.missed_key[lane](port.missed_key);
  memory.path.return_valid[lane](port.return_valid);
  port.module.return_entry(memory.return_entry);
}

/// Writes the rows of RTL through its pins.
void SwitchModules::write_rows() {
  if (memories_.front()->rtl) return;
  for (const auto& memory : memories_)
    for (NodeId node = 0; node < parts_.keys.nodes(); ++node)
      memory->cam->write(node, parts_.keys.key(node), on_wires(table().entry(memory->first, node)));
}

bool SwitchModules::has_cache_rtl() const {
  return std::any_of(ports_.begin(), ports_.end(), [](const auto& port) { return port->rtl != nullptr; });
}

/// Number of edges for a reset, one write per row, and the latency of the path.
unsigned SwitchModules::edges_of_cam() const {
  if (!memories_.front()->rtl) return 0;
  const auto apart = static_cast<unsigned>(parts_.timing.cam_interval());
  return resets + apart * parts_.keys.nodes() + static_cast<unsigned>(parts_.timing.cam_cycles) + 2;
}

/// edges_of_cam(), or the reset of the caches and one more, after which their clocks are lowered.
unsigned SwitchModules::edges_of_load() const {
  return std::max(edges_of_cam(), has_cache_rtl() ? resets + 1 : 0);
}

void SwitchModules::load(unsigned edge) {
  load_edge_ = edge;
  if (edge < edges_of_cam()) load_cam(edge);
  for (const auto& port : ports_) {
    if (!port->rtl) continue;
    port->wires.clock.write(false);
    port->wires.reset.write(edge < resets);
  }
}

void SwitchModules::load_cam(unsigned edge) {
  Memory& memory = *memories_.front();
  memory.clock.write(false);
  memory.wires.clock.write(false);
  memory.wires.reset.write(edge < resets);
  for (NodeId node = 0; node < parts_.keys.nodes() && edge == resets; ++node)
    memory.path.path().write(node, parts_.keys.key(node), on_wires(table().entry(0, node)), true);
  if (edge + 1 == edges_of_cam()) memory.path.path().forget_counts();
}

void SwitchModules::rise_to_load() {
  if (load_edge_ < edges_of_cam()) {
    memories_.front()->clock.write(true);
    memories_.front()->wires.clock.write(true);
  }
  for (const auto& port : ports_)
    if (port->rtl && load_edge_ < resets) port->wires.clock.write(true);
}

Cycle SwitchModules::request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                             routing::RouteSet&) {
  Port& port = *ports_[query.in_port];
  port.module.port().ask(now, query, ticket);
  wake(port);
  clock_.wake(now);
  return never;
}

void SwitchModules::wake(Port& port) {
  if (!port.awake) awake_.push_back(&port);
  port.awake = true;
}

void SwitchModules::cancel(Cycle, std::uint32_t ticket) {
  for (Port* const port : awake_) port->module.port().cancel(ticket);
}

void SwitchModules::flush(Cycle now) {
  for (const auto& port : ports_) {
    port->module.port().flush();
    wake(*port);
  }
  clock_.wake_from(now);
}

/// Sends the row over the path of misses if ports share the memory. Copies are written without an access,
/// since a memory that is free of contention delays no read.
void SwitchModules::write_row(Cycle now, NodeId destination) {
  const std::uint64_t key = parts_.keys.key(destination);
  if (!parts_.timing.cam_is_shared()) {
    for (const auto& memory : memories_)
      memory->cam->write(destination, key, on_wires(table().entry(memory->first, destination)));
    ++copied_;
    return;
  }
  Memory& memory = *memories_.front();
  memory.path.path().write(destination, key, on_wires(table().entry(0, destination)), clock_.is_over(now));
  start(memory);
  clock_.wake_from(now);
}

void SwitchModules::start(Memory& memory) {
  if (!memory.running) running_.push_back(&memory);
  memory.running = true;
}

void SwitchModules::warm(unsigned port, NodeId destination) {
  if (ports_[port]->rtl)
    throw ConfigError("lookup.warm", "all", "caches in RTL are empty at the start of the run", "none");
  ports_[port]->cache->warm(parts_.keys.key(destination), parts_.keys.set(destination),
                            table().entry(port, destination));
}

/// Returns true if the port needs the edge of this cycle, or gets an answer of the memory by it.
bool SwitchModules::active(const Port& port, Cycle cycle) {
  return port.module.port().works_in(cycle) || port.memory->path.path().returns_next() == port.lane;
}

void SwitchModules::present(Cycle cycle) {
  for (Memory* const memory : running_) {
    // high since the last load edge
    memory->clock.write(false);
    memory->wires.clock.write(false);
  }
  for (Port* const port : awake_) {
    port->clocked = active(*port, cycle);
    if (!port->clocked) continue;
    const routing::RouteQuery* const hashed = port->module.port().hashed_in(cycle);
    port->request_valid.write(hashed != nullptr);
    if (hashed != nullptr) port->request_key.write(parts_.keys.key(hashed->destination.node()));
    port->wires.flush.write(port->module.port().flushes());
  }
}

void SwitchModules::rise(Cycle) {
  for (Port* const port : awake_)
    if (port->rtl && port->clocked) port->pins.before_edge();
  write_clocks(true);
  rose_ = true;
}

void SwitchModules::write_clocks(bool high) {
  for (Memory* const memory : running_) {
    memory->clock.write(high);
    if (memory->cam_edges > 0) memory->wires.clock.write(high);
  }
  for (Port* const port : awake_)
    if (port->clocked) port->wires.clock.write(high);
}

bool SwitchModules::select(Cycle) {
  if (!rose_) return false;
  rose_ = false;
  write_clocks(false);
  return true;
}

void SwitchModules::hand_over(Cycle next) {
  if (watch_) watch_(next);
  const auto still =
      std::remove_if(running_.begin(), running_.end(), [this](Memory* memory) { return sleeps(*memory); });
  running_.erase(still, running_.end());
  // An answer may cause a new request.
  for (std::size_t port = 0; port < awake_.size(); ++port)
    if (awake_[port]->clocked) take_from(*awake_[port], next);
  const auto slept = std::remove_if(awake_.begin(), awake_.end(), [](Port* port) {
    port->awake = port->module.port().busy();
    return !port->awake;
  });
  awake_.erase(slept, awake_.end());
}

bool SwitchModules::sleeps(Memory& memory) const {
  if (memory.path.drive().cam.valid)
    memory.cam_edges = chip_cycles_ + 1;
  else if (memory.cam_edges > 0)
    --memory.cam_edges;
  memory.running = memory.path.path().busy();
  return !memory.running;
}

/// Hit or miss of the look-up at the last edge; RTL answers at once.
bool SwitchModules::found(const Port& port) {
  return port.cache ? port.cache->found() : port.wires.answer_hit.read();
}

/// Reports a port's look-up and answers, and passes a miss to its memory.
void SwitchModules::take_from(Port& port, Cycle next) {
  const LookupPort::Drive& drive = port.module.drive();
  if (port.rtl) port.pins.after_edge();
  if (drive.read) tell(port.number, drive.read_destination, found(port), next - 1);
  if (drive.misses) start(*port.memory);
  for (const LookupPort::Answer& answer : port.module.answers()) {
    routing::RouteSet candidates;
    give(answer.query, answer.entry, candidates);
    client_->route_answer(answer.ticket, next, candidates);
  }
  port.module.clear_answers();
}

std::vector<SwitchModules::Wire> SwitchModules::wires() const {
  std::vector<Wire> wires;
  const auto add = [&](const std::string& module, const char* pin, const auto& signal,
                       unsigned bits) -> Wire& {
    wires.push_back(
        {module + "." + pin, bits, [&signal] { return static_cast<std::uint64_t>(signal.read()); }});
    return wires.back();
  };
  for (const auto& port : ports_) {
    const std::string module = numbered("port", port->number), cache = numbered("cache", port->number);
    const CacheWires& pins = port->wires;
    add(module, "request_valid", port->request_valid, 1).before_edge = true;
    add(module, "request_key", port->request_key, 64).before_edge = true;
    add(module, "state", port->state, 2).names = {"idle", "hash", "read", "memory"};
    add(cache, "lookup_valid", pins.lookup_valid, 1);
    add(cache, "lookup_key", pins.lookup_key, 64);
    add(cache, "lookup_set", pins.lookup_set, 32);
    add(cache, "answer_valid", pins.answer_valid, 1);
    add(cache, "answer_hit", pins.answer_hit, 1);
    add(cache, "answer_entry", pins.answer_entry, 32);
    add(cache, "fill_valid", pins.fill_valid, 1);
    add(cache, "fill_key", pins.fill_key, 64);
    add(cache, "flush", pins.flush, 1).before_edge = true;
    add(cache, "entries_held", pins.entries_held, 32);
    add(module, "return_valid", port->return_valid, 1);
  }
  for (const auto& memory : memories_) {
    const std::string& cam = memory->name;
    const CamWires& pins = memory->wires;
    add(cam, "request_valid", pins.request_valid, 1);
    add(cam, "request_operation", pins.request_operation, 2).names = {"search", "insert", "erase", "none"};
    add(cam, "request_index", pins.request_index, 32);
    add(cam, "request_key", pins.request_key, 64);
    add(cam, "answer_valid", pins.answer_valid, 1);
    add(cam, "answer_hit", pins.answer_hit, 1);
    add(cam, "answer_index", pins.answer_index, 32);
    add(cam, "answer_value", pins.answer_value, 32);
  }
  return wires;
}

LookupCounters SwitchModules::counters() const {
  LookupCounters counters;
  for (const auto& port : ports_) {
    counters.cache += port->cache ? port->cache->counters() : port->pins.counters();
    port->module.port().add_to(counters);
  }
  for (const auto& memory : memories_) memory->path.path().add_to(counters);
  counters.cam_accesses += copied_;
  counters.cam_busy_cycles += copied_;
  counters.cam_writes += copied_;
  return counters;
}

}  // namespace tsuji::lookup
