// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/host/cpu.h"
#include "tsuji/host/library/collectives.h"
#include "tsuji/host/library/heap.h"
#include "tsuji/host/library/os_services.h"
#include "tsuji/host/library/paralib.h"
#include "tsuji/host/library/point_to_point.h"
#include "tsuji/host/library/send_slots.h"
#include "tsuji/host/library/software_times.h"
#include "tsuji/host/library/task_layout.h"
#include "tsuji/host/library/waiter.h"

namespace tsuji::host {

/// The message library of one task: all layers on one processor. It exists for the whole run, because its
/// counters mirror those of the network interface; programs run on it one after the other.
struct RankRuntime {
  RankRuntime(Cpu& processor, const TaskLayout& task_layout, const LibraryConfig& library_config,
              const SoftwareCycles& software, OsServices& os)
      : cpu(processor),
        layout(task_layout),
        config(library_config),
        times(software),
        heap(layout.heap, layout.heap_bytes),
        paralib(cpu, layout, times, os),
        slots(cpu, layout, times, config.send_slots),
        waiter(cpu),
        messages(cpu, layout, config, times, paralib, heap, slots, waiter),
        collectives(cpu, layout, config, times, paralib, messages, heap, slots, waiter) {}
  RankRuntime(const RankRuntime&) = delete;
  RankRuntime& operator=(const RankRuntime&) = delete;

  std::uint32_t rank() const { return layout.pe; }
  std::uint32_t ranks() const { return layout.pes; }

  Cpu& cpu;
  const TaskLayout layout;
  const LibraryConfig config;
  const SoftwareCycles times;
  Heap heap;
  Paralib paralib;
  SendSlots slots;
  Waiter waiter;
  PointToPoint messages;
  Collectives collectives;
};

}  // namespace tsuji::host
