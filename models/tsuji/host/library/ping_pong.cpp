// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/ping_pong.h"

#include <string>

namespace tsuji::host {

NumberedBlock PingPong::contents(std::uint32_t from, std::uint32_t to) const {
  return {PayloadKey::between(from, to), config_.bytes};
}

/// The application's work before a send, which takes no time. The message before has arrived, as its answer
/// is here.
void PingPong::prepare(std::uint64_t round) {
  if (config_.data == MessageData::clean && round > 1) return;
  contents(runtime_.rank(), peer()).write(runtime_.cpu, out_[block_of(round)], number_of(round));
}

void PingPong::send(std::uint64_t round) {
  const Target to = Target::pe(peer());
  const std::uint64_t out = out_[block_of(round)];
  prepare(round);
  if (config_.system_call) runtime_.cpu.system_call([&] { runtime_.cpu.flush(out, config_.bytes); });
  if (config_.layer == Layer::mpi) {
    runtime_.messages.send(peer(), 0, out, config_.bytes);
  } else if (config_.bytes == 8) {
    runtime_.paralib.put_word(to, in_, number_of(round));
  } else {
    runtime_.paralib.put(to, out, in_, config_.bytes);
  }
}

void PingPong::receive(std::uint64_t round) {
  if (config_.layer == Layer::mpi) {
    runtime_.messages.receive({peer(), 0, Context::user}, in_, config_.bytes);
    return;
  }
  const std::uint64_t last_word = contents(peer(), runtime_.rank()).last_word(in_);
  const std::string what = "a put";
  runtime_.waiter.until([&] { return runtime_.cpu.load(last_word) == number_of(round); }, what, last_word);
  runtime_.cpu.compute(runtime_.times.paralib_receive);
}

void PingPong::play() {
  const bool clean = config_.data == MessageData::clean;
  const std::uint64_t room = config_.bytes + config_.source_offset;
  const HeapBlock out(runtime_.heap, room), other(runtime_.heap, clean ? room : 8),
      in(runtime_.heap, config_.bytes);
  out_[0] = out.address() + config_.source_offset;
  out_[1] = other.address() + config_.source_offset;
  in_ = in.address();
  runtime_.cpu.store(in_ + config_.bytes - 8, 0);
  const bool first = runtime_.rank() == config_.first;
  const std::uint64_t unmeasured = clean ? 2 : 1, rounds = plays() ? unmeasured + config_.rounds : 0;
  enter("ping-pong");
  barrier();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    if (round == unmeasured) start_ = runtime_.cpu.now();
    if (first) send(round);
    receive(round);
    if (!first) send(round);
  }
  end_ = runtime_.cpu.now();
  if (rounds > 0) contents(peer(), runtime_.rank()).check(runtime_.cpu, in_, number_of(rounds - 1));
  barrier();
}

}  // namespace tsuji::host
