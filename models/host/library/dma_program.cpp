#include "tsuji/host/library/dma_program.h"

#include <algorithm>
#include <string>

#include "tsuji/nic/parcel.h"

namespace tsuji::host {

void DmaProgram::play() {
  const HeapBlock data(runtime_.heap, config_.bytes), words(runtime_.heap, 16);
  const std::uint64_t arrived = words.address();
  runtime_.cpu.store(arrived, 0);
  const PayloadKey key = PayloadKey::between(config_.source, config_.destination);
  const bool puts = config_.protocol == DmaProtocol::remote_dma;
  if (!puts && runtime_.rank() == config_.source)
    Payload(runtime_.cpu).write(key, data.address(), config_.bytes);
  enter("DMA: barrier before it");
  barrier();
  if (puts && runtime_.rank() == config_.source) send(data.address(), words.address());
  if (runtime_.rank() == config_.destination) {
    puts ? await_data(arrived) : read(data.address());
    arrival_ = runtime_.cpu.now();
    Payload(runtime_.cpu).check(key, data.address(), config_.bytes);
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

void DmaProgram::await_data(std::uint64_t arrived) {
  enter("DMA: arrival");
  const std::string what = "the arrival of a DMA";
  runtime_.waiter.until([&] { return runtime_.cpu.load(arrived) != 0; }, what, arrived);
}

/// Two parcels under way, so that one's reply flows while the next one's request travels.
void DmaProgram::read(std::uint64_t data) {
  constexpr std::uint64_t largest = nic::ParcelHeader::max_data_bytes;
  enter("DMA: replies");
  const std::string what = "the reply of a remote read";
  start_ = runtime_.cpu.now();
  std::uint64_t asked = 0, parcels = 0;
  const auto await = [&](std::uint64_t parcel) {
    const auto rrid = static_cast<unsigned>(parcel % 2);
    runtime_.waiter.until([&] { return runtime_.paralib.reply(rrid).arrived; }, what,
                          runtime_.paralib.reply_address(rrid));
  };
  for (; asked < config_.bytes; ++parcels) {
    if (parcels >= 2) await(parcels - 2);
    const auto bytes = static_cast<std::uint32_t>(std::min(largest, config_.bytes - asked));
    runtime_.paralib.get(config_.source, data + asked, data + asked, bytes,
                         static_cast<unsigned>(parcels % 2));
    asked += bytes;
  }
  for (std::uint64_t parcel = parcels - std::min<std::uint64_t>(parcels, 2); parcel < parcels; ++parcel)
    await(parcel);
}

}  // namespace tsuji::host
