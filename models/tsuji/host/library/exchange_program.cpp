// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/exchange_program.h"

#include <functional>
#include <numeric>
#include <vector>

#include "tsuji/nic/parcel.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {
namespace {

/// Every block begins on a separate cache line.
std::uint64_t stride(std::uint64_t bytes) {
  return (bytes + nic::line_bytes - 1) / nic::line_bytes * nic::line_bytes;
}

}  // namespace

std::uint64_t ExchangeProgram::block(std::uint32_t source) const {
  return in_ + source * stride(config_.bytes);
}

NumberedBlock ExchangeProgram::contents(std::uint32_t source) const {
  NumberedBlock contents;
  contents.key.source = source;
  contents.bytes = config_.bytes;
  return contents;
}

void ExchangeProgram::put(Target to, std::uint64_t notification) {
  runtime_.paralib.put(to, out_, block(runtime_.rank()), config_.bytes, notification);
}

void ExchangeProgram::send(const GroupHandle& group) {
  const std::uint32_t ranks = runtime_.ranks();
  switch (config_.method) {
    case ExchangeMethod::multicast:
      for (const std::uint16_t part : group.multicast)
        put(Target::group(part), part == group.multicast.back() ? sent_ : 0);
      break;
    case ExchangeMethod::to_one:
      put(Target::pe(0), sent_);
      break;
    case ExchangeMethod::in_order:
    case ExchangeMethod::staggered: {
      const std::uint32_t first = config_.method == ExchangeMethod::in_order ? 0 : runtime_.rank() + 1;
      for (std::uint32_t k = 0; k < targets(); ++k)
        put(Target::pe((first + k) % ranks), k == targets() - 1 ? sent_ : 0);
      break;
    }
  }
}

void ExchangeProgram::await(std::uint64_t number) {
  Cpu& cpu = runtime_.cpu;
  for (std::uint32_t k = 0; k < blocks(); ++k) {
    // In the order in which a staggered exchange sends them to this rank.
    const std::uint32_t source = (runtime_.rank() + runtime_.ranks() - 1 - k) % runtime_.ranks();
    const std::uint64_t word = contents(source).last_word(block(source));
    const auto arrived = [&] { return cpu.load(word) == number; };
    runtime_.waiter.until(std::cref(arrived), waits_for_block_, word);  // a reference: nothing to allocate
    cpu.compute(runtime_.times.paralib_receive);
  }
  runtime_.waiter.until([&] { return cpu.load(sent_) == nic::sent_pattern; }, waits_for_sending_, sent_);
}

void ExchangeProgram::play() {
  const std::uint32_t ranks = runtime_.ranks();
  const HeapBlock out(runtime_.heap, config_.bytes), in(runtime_.heap, ranks * stride(config_.bytes)),
      sent(runtime_.heap, 8);
  out_ = out.address();
  in_ = in.address();
  sent_ = sent.address();
  for (std::uint32_t source = 0; source < ranks; ++source)
    if (sends_here(source)) runtime_.cpu.store(contents(source).last_word(block(source)), 0);
  std::vector<std::uint32_t> everybody(ranks);
  std::iota(everybody.begin(), everybody.end(), 0U);
  const bool by_group = config_.method == ExchangeMethod::multicast;
  enter("exchange: registering the group");
  const GroupHandle group = by_group ? runtime_.paralib.register_group(everybody) : GroupHandle();
  play_rounds(
      config_.rounds,
      [&](std::uint64_t number) {
        contents(runtime_.rank()).write(runtime_.cpu, out_, number);
        runtime_.cpu.store(sent_, 0);
      },
      [&](std::uint64_t number) {
        send(group);
        await(number);
      },
      [&](std::uint64_t number) {
        if (!receives()) return;
        for (std::uint32_t source = 0; source < ranks; ++source)
          if (sends_here(source)) contents(source).check(runtime_.cpu, block(source), number);
      });
  if (by_group) runtime_.paralib.release_group(everybody, group);
}

}  // namespace tsuji::host
