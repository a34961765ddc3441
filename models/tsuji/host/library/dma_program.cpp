// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/dma_program.h"

#include <algorithm>
#include <optional>
#include <string>

#include "tsuji/nic/parcel.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {
namespace {

constexpr std::uint64_t words_of_a_transfer = 16;  // arrival and notification

}  // namespace

void DmaProgram::write(const Transfer& transfer) {
  Payload(runtime_.cpu).write(transfer.key(), transfer.source, config_.bytes);
}

void DmaProgram::check(const Transfer& transfer) {
  Payload(runtime_.cpu).check(transfer.key(), transfer.destination, config_.bytes);
}

void DmaProgram::play() {
  const std::uint64_t room = config_.bytes + std::max(config_.source_offset, config_.destination_offset);
  const HeapBlock data(runtime_.heap, room), words(runtime_.heap, 2 * words_of_a_transfer);
  const HeapBlock back(runtime_.heap, config_.returns ? room : 0);
  // A rank's data for itself come from another place than they go to.
  const std::uint64_t lines = (room + nic::line_bytes - 1) / nic::line_bytes * nic::line_bytes;
  std::optional<HeapBlock> own;
  if (config_.source == config_.destination) own.emplace(runtime_.heap, 2 * lines);
  const std::uint64_t from = own ? own->address() : data.address();
  const std::uint64_t home_again = own ? own->address() + lines : back.address();
  const Transfer there{config_.source, config_.destination, from + config_.source_offset,
                       data.address() + config_.destination_offset};
  const Transfer home{config_.destination, config_.source, back.address() + config_.destination_offset,
                      home_again + config_.source_offset};
  const std::uint64_t arrived = words.address(), returned = arrived + words_of_a_transfer;
  runtime_.cpu.store(arrived, 0);
  if (config_.returns) runtime_.cpu.store(returned, 0);
  const bool puts = config_.protocol == DmaProtocol::remote_dma;
  if (!puts && runtime_.rank() == there.from) write(there);
  enter("DMA: barrier before it");
  barrier();
  if (puts && runtime_.rank() == there.from) put(there, arrived);
  if (runtime_.rank() == there.to) {
    puts ? await_data(arrived) : read(there);
    arrival_ = runtime_.cpu.now();
    check(there);
  }
  if (config_.returns) come_back(home, returned);
  // All processes release their blocks together: no process writes into them any more.
  enter("DMA: barrier behind it");
  barrier();
}

void DmaProgram::come_back(const Transfer& home, std::uint64_t returned) {
  if (runtime_.rank() == home.from) put(home, returned);
  if (runtime_.rank() != home.to) return;
  await_data(returned);
  return_ = runtime_.cpu.now();
  check(home);
}

/// `arrived`, at the other end, is set on arrival. The notification is stored next to it.
void DmaProgram::put(const Transfer& transfer, std::uint64_t arrived) {
  const std::uint64_t notification = arrived + 8;
  const Target to = Target::pe(transfer.to);
  runtime_.cpu.store(notification, 0);
  write(transfer);
  enter("DMA: notification");
  if (start_ == never) start_ = runtime_.cpu.now();
  runtime_.paralib.put(to, transfer.source, transfer.destination, config_.bytes, notification);
  runtime_.paralib.put_word(to, arrived, 1);
  const std::string what = "the notification of a DMA";
  runtime_.waiter.until([&] { return runtime_.cpu.load(notification) == nic::sent_pattern; }, what,
                        notification);
}

void DmaProgram::await_data(std::uint64_t arrived) {
  enter("DMA: arrival");
  const std::string what = "the arrival of a DMA";
  runtime_.waiter.until([&] { return runtime_.cpu.load(arrived) != 0; }, what, arrived);
}

/// Keeps two parcels in flight, so that the reply of one is received while the request of the next is sent.
void DmaProgram::read(const Transfer& transfer) {
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
    runtime_.paralib.get(transfer.from, transfer.source + asked, transfer.destination + asked, bytes,
                         static_cast<unsigned>(parcels % 2));
    asked += bytes;
  }
  for (std::uint64_t parcel = parcels - std::min<std::uint64_t>(parcels, 2); parcel < parcels; ++parcel)
    await(parcel);
}

}  // namespace tsuji::host
