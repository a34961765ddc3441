#include "tsuji/host/library/dma_program.h"

#include <string>

#include "tsuji/nic/parcel.h"

namespace tsuji::host {

void DmaProgram::play() {
  const HeapBlock data(runtime_.heap, config_.bytes), words(runtime_.heap, 16);
  const std::uint64_t arrived = words.address();
  runtime_.cpu.store(arrived, 0);
  enter("DMA: barrier before it");
  barrier();
  if (runtime_.rank() == config_.source) send(data.address(), words.address());
  if (runtime_.rank() == config_.destination) {
    enter("DMA: arrival");
    const std::string what = "the arrival of a DMA";
    runtime_.waiter.until([&] { return runtime_.cpu.load(arrived) != 0; }, what, arrived);
    arrival_ = runtime_.cpu.now();
    Payload(runtime_.cpu)
        .check(PayloadKey::between(config_.source, config_.destination), data.address(), config_.bytes);
  }
  // Blocks are given back everywhere at once: nobody writes into them any more.
  enter("DMA: barrier behind it");
  barrier();
}

void DmaProgram::send(std::uint64_t data, std::uint64_t words) {
  const std::uint64_t notification = words + 8;
  const Target to = Target::pe(config_.destination);
  runtime_.cpu.store(notification, 0);
  Payload(runtime_.cpu).write(PayloadKey::between(config_.source, config_.destination), data, config_.bytes);
  enter("DMA: notification");
  start_ = runtime_.cpu.now();
  runtime_.paralib.put(to, data, data, config_.bytes, notification);
  runtime_.paralib.put_word(to, words, 1);
  const std::string what = "the notification of a DMA";
  runtime_.waiter.until([&] { return runtime_.cpu.load(notification) == nic::sent_pattern; }, what,
                        notification);
  sent_ = runtime_.cpu.now();
}

}  // namespace tsuji::host
