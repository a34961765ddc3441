#include "tsuji/host/library/ping_pong.h"

#include <string>

namespace tsuji::host {

void PingPong::send(std::uint64_t number) {
  const Target to = Target::pe(peer());
  const std::uint64_t last_word = config_.bytes - 8;
  if (config_.system_call) runtime_.cpu.system_call([] {});
  if (config_.layer == Layer::mpi) {
    runtime_.messages.send(peer(), 0, out_, config_.bytes);
  } else if (config_.bytes == 8) {
    runtime_.paralib.put_word(to, in_, number);
  } else {
    runtime_.cpu.store(out_ + last_word, number);
    runtime_.paralib.put(to, out_, in_, config_.bytes);
  }
}

void PingPong::receive(std::uint64_t number) {
  if (config_.layer == Layer::mpi) {
    runtime_.messages.receive({peer(), 0, Context::user}, in_, config_.bytes);
    return;
  }
  // Words of a put are written in order: the last one tells of all.
  const std::uint64_t last_word = in_ + config_.bytes - 8;
  const std::string what = "a put";
  runtime_.waiter.until([&] { return runtime_.cpu.load(last_word) == number; }, what, last_word);
  runtime_.cpu.compute(runtime_.times.paralib_receive);
}

void PingPong::play() {
  const HeapBlock out(runtime_.heap, config_.bytes), in(runtime_.heap, config_.bytes);
  out_ = out.address();
  in_ = in.address();
  runtime_.cpu.store(in_ + config_.bytes - 8, 0);
  const bool first = runtime_.rank() == config_.first;
  enter("ping-pong");
  barrier();
  for (std::uint64_t round = 0; (first || runtime_.rank() == config_.second) && round <= config_.rounds;
       ++round) {
    if (round == 1) start_ = runtime_.cpu.now();
    if (first) send(round + 1);
    receive(round + 1);
    if (!first) send(round + 1);
  }
  end_ = runtime_.cpu.now();
  barrier();
}

}  // namespace tsuji::host
