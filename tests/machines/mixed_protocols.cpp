// SPDX-License-Identifier: Apache-2.0
#include "machines/mixed_protocols.h"

#include <cstring>
#include <numeric>
#include <stdexcept>

#include "tsuji/nic/parcel.h"

namespace tsuji::test {
namespace {

using host::HeapBlock;
using host::Target;

constexpr std::uint64_t constant_words = 256;
// Words of the cells: added to by single casts and by multicasts, swapped, compared and swapped, then a
// notification and an old value.
enum Cell : std::uint64_t { adds, multicast_adds, swaps, compares, notification, old_value, cell_words };
constexpr std::uint64_t start_of_swaps = 77;
constexpr std::int32_t tag = 5;
constexpr unsigned messages_between_drains = 40;

}  // namespace

MixedLog::MixedLog(unsigned all)
    : ranks(all),
      wanted(all, std::vector<Bytes>(all, Bytes(MixedProtocols::area_bytes))),
      found(all, std::vector<Bytes>(all)),
      added(all),
      sums(all),
      counted(all),
      counts(all) {}

std::string MixedLog::problem() const {
  if (!wrong.empty()) return wrong.front();
  for (unsigned at = 0; at < ranks; ++at) {
    for (unsigned writer = 0; writer < ranks; ++writer)
      if (found[at][writer] != wanted[at][writer])
        return "what rank " + std::to_string(writer) + " wrote at rank " + std::to_string(at);
    if (sums[at] != added[at]) return "adds at rank " + std::to_string(at);
    if (counts[at] != counted[at]) return "compare & swap at rank " + std::to_string(at);
  }
  if (swapped_out != swapped_in + ranks * start_of_swaps) return "swapped values";
  return "";
}

MixedProtocols::MixedProtocols(host::RankRuntime& runtime, std::uint64_t seed, std::uint64_t operations,
                               MixedLog& log)
    : r_(runtime),
      log_(log),
      random_(seed, runtime.rank()),
      operations_(operations),
      areas_(runtime.heap, area_bytes * log.ranks),
      source_(runtime.heap, source_bytes),
      constants_(runtime.heap, 8 * constant_words),
      cells_(runtime.heap, 8 * cell_words),
      reply_(runtime.heap, 8 * constant_words),
      messages_(runtime.heap, 8 * 128),
      token_(std::uint64_t{runtime.rank()} << 40),
      sent_to_(log.ranks),
      received_from_(log.ranks) {}

void MixedProtocols::complain(const std::string& what) {
  if (log_.wrong.size() < 8) log_.wrong.push_back("rank " + std::to_string(r_.rank()) + ": " + what);
}

void MixedProtocols::prepare() {
  for (std::uint64_t at = 0; at < area_bytes * log_.ranks; at += 8) r_.cpu.store(areas_.address() + at, 0);
  for (std::uint64_t w = 0; w < constant_words; ++w)
    r_.cpu.store(constants_.address() + 8 * w, constant(r_.rank(), w));
  for (std::uint64_t cell = 0; cell < cell_words; ++cell)
    r_.cpu.store(cells_.address() + 8 * cell, cell == swaps ? start_of_swaps : 0);
  std::vector<std::uint32_t> everybody(log_.ranks);
  std::iota(everybody.begin(), everybody.end(), 0U);
  group_ = r_.paralib.register_group(everybody);
  for (unsigned n = 0; n < 3; ++n) r_.paralib.set_address_register(n, areas_.address());
  r_.collectives.barrier();
}

void MixedProtocols::await_sent() {
  if (!unsent_) return;
  const std::uint64_t at = cells_.address() + 8 * notification;
  r_.waiter.until([&] { return r_.cpu.load(at) == nic::sent_pattern; }, "a source to be sent", at);
  unsent_ = false;
}

MixedProtocols::Place MixedProtocols::place(unsigned unit, std::uint64_t most) {
  Place place{};
  place.bytes = unit * (1 + random_.below(most / unit));
  place.source = unit * random_.below((source_bytes - place.bytes) / unit + 1);
  place.destination = unit * random_.below((area_bytes - place.bytes) / unit + 1);
  return place;
}

/// New bytes in the source, once the last put has read it.
MixedLog::Bytes MixedProtocols::fresh_source(std::uint64_t offset, std::uint64_t bytes) {
  await_sent();
  r_.cpu.store(cells_.address() + 8 * notification, 0);
  Bytes data(bytes);
  for (auto& byte : data) byte = static_cast<unsigned char>(random_.next());
  r_.cpu.store_block(source_.address() + offset, data.data(), bytes);
  unsent_ = true;
  return data;
}

void MixedProtocols::write(std::uint32_t to, std::uint64_t at, const Bytes& bytes) {
  std::memcpy(&log_.wanted[to][r_.rank()][at], bytes.data(), bytes.size());
}

void MixedProtocols::put(unsigned unit, bool by_register) {
  const Place p = place(unit, source_bytes - 8);
  const std::uint32_t to = any_rank();
  write(to, p.destination, fresh_source(p.source, p.bytes));
  const std::uint64_t source = source_.address() + p.source, sent = cells_.address() + 8 * notification;
  if (by_register)
    r_.paralib.put_to_register(Target::pe(to), static_cast<unsigned>(random_.below(3)), source,
                               area_bytes * r_.rank() + p.destination, p.bytes, sent);
  else
    r_.paralib.put(Target::pe(to), source, area_of(r_.rank()) + p.destination, p.bytes, sent);
}

void MixedProtocols::put_word() {
  const std::uint64_t at = 8 * random_.below(area_bytes / 8), value = random_.next();
  const std::uint32_t to = any_rank();
  Bytes bytes(8);
  std::memcpy(bytes.data(), &value, 8);
  write(to, at, bytes);
  r_.paralib.put_word(Target::pe(to), area_of(r_.rank()) + at, value);
}

void MixedProtocols::multicast_put() {
  const Place p = place(8, 600);
  const Bytes bytes = fresh_source(p.source, p.bytes);
  for (std::uint32_t to = 0; to < log_.ranks; ++to) write(to, p.destination, bytes);
  for (const std::uint16_t part : group_.multicast)
    r_.paralib.put(Target::group(part), source_.address() + p.source, area_of(r_.rank()) + p.destination,
                   p.bytes, part == group_.multicast.back() ? cells_.address() + 8 * notification : 0);
}

void MixedProtocols::multicast_add() {
  const std::uint64_t addend = random_.below(1000);
  for (auto& sum : log_.added) sum += addend;
  for (const std::uint16_t part : group_.multicast)
    r_.paralib.atomic_add(Target::group(part), cells_.address() + 8 * multicast_adds, addend);
}

void MixedProtocols::await_reply(unsigned rrid) {
  r_.waiter.until([&] { return r_.paralib.reply(rrid).arrived; }, "a reply", r_.paralib.reply_address(rrid));
}

void MixedProtocols::read() {
  const std::uint64_t count = 1 + random_.below(constant_words),
                      first = random_.below(constant_words - count + 1);
  const std::uint32_t from = any_rank();
  const auto rrid = static_cast<unsigned>(random_.below(64));
  r_.paralib.get(from, constants_.address() + 8 * first, reply_.address(),
                 static_cast<std::uint32_t>(8 * count), rrid);
  await_reply(rrid);
  for (std::uint64_t w = 0; w < count; ++w) {
    if (r_.cpu.load(reply_.address() + 8 * w) == constant(from, first + w)) continue;
    return complain("read a wrong word of rank " + std::to_string(from));
  }
}

void MixedProtocols::swap() {
  const std::uint64_t to = cells_.address() + 8 * old_value;
  constexpr std::uint64_t none = ~std::uint64_t{0};
  r_.cpu.store(to, none);
  r_.paralib.swap(any_rank(), cells_.address() + 8 * swaps, ++token_, to);
  r_.waiter.until([&] { return r_.cpu.load(to) != none; }, "an old value", to);
  log_.swapped_in += token_;
  log_.swapped_out += r_.cpu.load(to);
}

void MixedProtocols::compare_swap() {
  const std::uint32_t at = any_rank();
  const auto rrid = static_cast<unsigned>(random_.below(64));
  std::uint64_t guess = 0;
  for (unsigned attempt = 0; attempt < 3; ++attempt) {
    r_.paralib.compare_swap(at, cells_.address() + 8 * compares, guess, guess + 1, rrid);
    await_reply(rrid);
    const host::Paralib::Reply reply = r_.paralib.reply(rrid);
    if (reply.equal != (reply.old == guess)) complain("a comparison with another result than its values");
    if (reply.equal) {
      ++log_.counted[at];
      return;
    }
    guess = reply.old;
  }
}

/// The message's first word is its number; the rest repeats the number.
void MixedProtocols::send_message() {
  const std::uint32_t to = any_rank();
  const std::uint64_t words = 1 + random_.below(24);  // eager: its receiver comes to it at the next drain
  const std::uint64_t number = sent_to_[to]++ << 8 | r_.rank();
  await_sent();
  for (std::uint64_t w = 0; w < words; ++w) r_.cpu.store(source_.address() + 8 * w, number + w);
  r_.messages.wait(r_.messages.isend(to, tag, source_.address(), 8 * words));
}

void MixedProtocols::receive_messages(const std::vector<std::uint64_t>& counts) {
  for (std::uint32_t from = 0; from < log_.ranks; ++from) {
    for (; received_from_[from] < counts[from]; ++received_from_[from]) {
      const auto status = r_.messages.receive({from, tag, host::Context::user}, messages_.address(), 8 * 128);
      const std::uint64_t number = received_from_[from] << 8 | from;
      for (std::uint64_t w = 0; w < status.bytes / 8; ++w)
        if (r_.cpu.load(messages_.address() + 8 * w) != number + w) complain("a message out of order");
    }
  }
}

/// Receives all messages; on return all ranks are here.
void MixedProtocols::drain() {
  await_sent();
  const HeapBlock out(r_.heap, 8 * log_.ranks), in(r_.heap, 8 * log_.ranks);
  std::vector<host::Block> to, from;
  for (std::uint32_t rank = 0; rank < log_.ranks; ++rank) {
    r_.cpu.store(out.address() + 8 * rank, sent_to_[rank]);
    to.push_back({out.address() + 8 * rank, 8});
    from.push_back({in.address() + 8 * rank, 8});
  }
  r_.collectives.all_to_all(to, from);
  std::vector<std::uint64_t> counts(log_.ranks);
  for (std::uint32_t rank = 0; rank < log_.ranks; ++rank) counts[rank] = r_.cpu.load(in.address() + 8 * rank);
  receive_messages(counts);
  r_.collectives.barrier();
}

void MixedProtocols::step() {
  ++log_.operations;
  if (random_.below(8) == 0) r_.cpu.compute(random_.below(3000));
  switch (static_cast<Kind>(random_.below(static_cast<unsigned>(Kind::kinds)))) {
    case Kind::put:
      return put(8, false);
    case Kind::odd_put:
      return put(4, false);
    case Kind::register_put:
      return put(8, true);
    case Kind::word:
      return put_word();
    case Kind::multicast_put:
      return multicast_put();
    case Kind::add: {
      const std::uint64_t addend = random_.below(1000);
      const std::uint32_t to = any_rank();
      log_.added[to] += addend;
      return r_.paralib.atomic_add(Target::pe(to), cells_.address() + 8 * adds, addend);
    }
    case Kind::multicast_add:
      return multicast_add();
    case Kind::read:
      return read();
    case Kind::swap:
      return swap();
    case Kind::compare_swap:
      return compare_swap();
    default:
      return send_message();
  }
}

/// Each rank's last word to this rank arrives after all that it wrote here.
void MixedProtocols::compare() {
  for (std::uint32_t to = 0; to < log_.ranks; ++to) {
    r_.paralib.put_word(Target::pe(to), area_of(r_.rank()), ~std::uint64_t{0});
    write(to, 0, Bytes(8, 0xff));
  }
  for (std::uint32_t writer = 0; writer < log_.ranks; ++writer)
    r_.waiter.until([&] { return r_.cpu.load(area_of(writer)) == ~std::uint64_t{0}; }, "the last word",
                    area_of(writer));
  for (std::uint32_t writer = 0; writer < log_.ranks; ++writer) {
    Bytes& found = log_.found[r_.rank()][writer];
    found.resize(area_bytes);
    r_.cpu.load_block(area_of(writer), found.data(), area_bytes);
  }
  const auto cell = [&](Cell which) { return r_.cpu.load(cells_.address() + 8 * which); };
  log_.sums[r_.rank()] = cell(adds) + cell(multicast_adds);
  log_.counts[r_.rank()] = cell(compares);
  log_.swapped_out += cell(swaps);
}

void MixedProtocols::play() {
  prepare();
  for (std::uint64_t operation = 0; operation < operations_; ++operation) {
    step();
    if (operation % messages_between_drains == messages_between_drains - 1) drain();
  }
  drain();
  // An add arrives after its sender's earlier parcels to that node, but the barrier orders no parcels of
  // others.
  compare();
  r_.collectives.barrier();
}

machines::Cenju4Config mixed_nodes() {
  machines::Cenju4Config nodes = small_machine(2);
  nodes.library.credits = 2;
  return nodes;
}

nlohmann::ordered_json mixed_memory(platform::Cenju4Job& job, std::uint64_t seed) {
  constexpr unsigned operations = 60;
  MixedLog log(job.ranks());
  run_script(job, [&](host::RankRuntime& rank) { MixedProtocols(rank, seed, operations, log).play(); });
  return {{"problem", log.problem()}, {"found", log.found}, {"sums", log.sums}};
}

std::string mixed_on_stages(unsigned nodes, std::uint64_t seed) {
  machines::Cenju4Config config = mixed_nodes();
  config.network.topology.nodes = nodes;
  config.resolve();
  config.validate();
  machines::Cenju4Machine machine("machine", config);
  platform::Cenju4Job job(machine);
  return nlohmann::ordered_json{{"memory", mixed_memory(job, seed)}}.dump();
}

nlohmann::ordered_json parsed(const std::string& text) {
  if (text.empty() || text[0] != '{') throw std::runtime_error(text);
  return nlohmann::ordered_json::parse(text);
}

}  // namespace tsuji::test
