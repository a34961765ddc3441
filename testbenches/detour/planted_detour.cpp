// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "common/bench_main.h"
#include "detour/devices.h"

using namespace tsuji;
using namespace tsuji::bench;

namespace {

/// Devices of detour_bench, each with an error at its pins, in its times or in the words that it is given:
/// the scoreboard names it.
using Inputs = std::function<void(const Drive& pins, std::vector<std::uint64_t>& row)>;

/// The device sees other inputs than the bench gives.
Device misled(Device row, const char* name, const char* bug, const Inputs& alter) {
  row.model = [make = row.model, alter](sc_core::sc_signal<bool>& clock) {
    std::unique_ptr<Dut> dut = make(clock);
    dut->pins.plant(
        [alter, pins = Drive(dut->pins)](std::vector<std::uint64_t>& inputs) { alter(pins, inputs); }, {});
    return dut;
  };
  return planted(std::move(row), name, bug);
}

/// An input is always 0, or another value.
Device stuck(Device row, const char* name, const char* bug, const char* pin, unsigned lanes,
             std::uint64_t value = 0) {
  return misled(std::move(row), name, bug, [=](const Drive& pins, std::vector<std::uint64_t>& inputs) {
    for (unsigned lane = 0; lane < lanes; ++lane) inputs[pins.input(pin) + lane] = value;
  });
}

/// A device that leads heads of one kind of channel onto the other.
Device other_channels(const char* name, const char* bug, const char* from, const char* to) {
  Device row = rows::decision<NoTwin>();
  row.model = [make = row.model, from, to](sc_core::sc_signal<bool>& clock) {
    std::unique_ptr<Dut> dut = make(clock);
    const Drive pins(dut->pins);
    dut->pins.plant({},
                    [from = pins.output(from), to = pins.output(to)](std::vector<std::uint64_t>& outputs) {
                      outputs[to] |= std::exchange(outputs[from], 0);
                    });
    return dut;
  };
  return planted(row, name, bug);
}

/// Words that the driver has from the models' tables are altered before anybody sees them.
class OtherWords final : public Stimulus {
 public:
  using Alter = std::function<void(Cycle cycle, Drive& pins)>;
  OtherWords(std::unique_ptr<Stimulus> inner, Alter alter)
      : inner_(std::move(inner)), alter_(std::move(alter)) {}
  void drive(Cycle cycle, Drive& pins) override {
    inner_->drive(cycle, pins);
    alter_(cycle, pins);
  }

 private:
  const std::unique_ptr<Stimulus> inner_;
  const Alter alter_;
};

Device other_words(const char* name, const char* bug, const OtherWords::Alter& alter) {
  Device row = rows::decision<NoTwin>();
  row.stimulus = [make = row.stimulus, alter](const Drive& pins, std::uint64_t seed) {
    return std::make_unique<OtherWords>(make(pins, seed), alter);
  };
  return planted(row, name, bug);
}

/// The bit of port 2 of one router's word for one destination.
void flip_bit(const char* word, Drive& pins) {
  const std::size_t here = pins.input("here"), destination = pins.input("destination"),
                    bits = pins.input(word);
  const bool is_row = pins.get(destination) == 3 && pins.get(destination, 1) == 2;
  if (is_row && pins.get(here) == 5 && pins.get(pins.input("in_region")) != 0)
    pins.set(bits, pins.get(bits) ^ 4U);
}

/// Heads that came down on a UD channel have an up/down word that leads up.
class UpAfterDown {
 public:
  void operator()(Cycle cycle, Drive& pins) const {
    if (pins.get(pins.input("on_ud")) == 0) return;
    const FaultScenes::Scene& scene = scenes_->scene(scenes_->number_at(cycle));
    const SearchedTables tables(scenes_->topology(), scene.faults, scene.region_distance);
    const auto in_port = static_cast<unsigned>(pins.get(pins.input("in_port")));
    const std::size_t at = pins.input("here");
    const auto here = static_cast<unsigned>(pins.get(at, 1) * 10 + pins.get(at));
    if (tables.leads_up(tables.next(here, in_port), here)) return;
    for (unsigned port = 0; port < SearchedTables::ports; ++port)
      if (const unsigned next = tables.next(here, port);
          port != in_port && next != graph::none && tables.leads_up(here, next))
        pins.set(pins.input("up_down_word"), 1U << port);
  }

 private:
  std::shared_ptr<const FaultScenes> scenes_ = std::make_shared<FaultScenes>(routing::DecisionConfig());
};

/// The device has one timing, the scoreboard another one.
Device other_times(const char* name, const char* bug, const lookup::PortedTableTiming& device_has,
                   const lookup::PortedTableTiming& rules_have) {
  return judged<TablePortJudge>(table_port_device<NoTwin>(name, bug, device_has), rules_have);
}

Device swapped_lines() {
  return misled(rows::table_port<NoTwin>(), "other_group", "line 1 counts as line 2, of the other group",
                [](const Drive& pins, std::vector<std::uint64_t>& inputs) {
                  for (const char* const pin : {"ask", "ask_address", "cancel"})
                    std::swap(inputs[pins.input(pin) + 1], inputs[pins.input(pin) + 2]);
                });
}

Device wrong_word() {
  return misled(rows::table_port<NoTwin>(), "stored_bit", "row 5 keeps a bit that was not written",
                [](const Drive& pins, std::vector<std::uint64_t>& inputs) {
                  if (inputs[pins.input("write_address")] == 5) inputs[pins.input("write_word")] ^= 0x10;
                });
}

std::vector<Device> devices() {
  constexpr unsigned inputs = router::BlockTimerModule::inputs;
  return {
      other_words("torus_bit", "a wrong bit in a torus word",
                  [](Cycle, Drive& pins) { flip_bit("torus_word", pins); }),
      other_words("up_down_bit", "a wrong bit in an up/down word",
                  [](Cycle, Drive& pins) { flip_bit("up_down_word", pins); }),
      other_words("up_after_down", "up/down words lead up after down", UpAfterDown()),
      other_channels("ud_to_fa", "heads in recovery get FA channels", "ud", "fa"),
      other_channels("fa_to_ud", "heads that are not in recovery get UD channels", "fa", "ud"),
      stuck(rows::decision<NoTwin>(), "way_back", "the port of arrival is not known", "in_port", 1, 4),
      stuck(rows::decision<NoTwin>(), "no_region", "fault regions are not known", "in_region", 1),
      stuck(rows::decision<NoTwin>(), "no_recovery", "recovery is not known", "in_recovery", 1),
      wrong_word(),
      swapped_lines(),
      other_times("busy_port", "a busy port takes a read in every cycle", {2, 3, 2, true}, {2, 3, 2, false}),
      other_times("short_decode", "address decode takes a cycle less", {1, 5, 2, true}, {2, 5, 2, true}),
      other_times("slow_table", "a read takes a cycle more", {1, 6, 2, true}, {1, 5, 2, true}),
      stuck(rows::block_timer<NoTwin>(), "timed_ejection", "heads that wait for their node are timed",
            "to_node", inputs),
      stuck(rows::block_timer<NoTwin>(), "timed_ud", "heads on UD channels are timed", "in_recovery", inputs),
      stuck(rows::block_timer<NoTwin>(), "left_head", "heads that have left are timed", "leave", inputs),
      judged<BlockTimerJudge>(block_timer_device<NoTwin>("late_timer", "timers run a cycle longer", 129),
                              128),
  };
}

}  // namespace

int sc_main(int argc, char** argv) {
  return bench_main(argc, argv, devices());
}
