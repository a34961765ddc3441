// SPDX-License-Identifier: Apache-2.0
#include "common/pin_bench.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>

#include "tsuji/core/error.h"

namespace tsuji::bench {
namespace {

const sc_core::sc_time half_cycle(500, sc_core::SC_PS);

std::string hex(std::uint64_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

void check_alike(const PinList& a, const PinList& b) {
  const auto same = [](const Pin& x, const Pin& y) {
    return x.name == y.name && x.width_bits == y.width_bits && x.lanes == y.lanes && x.input == y.input;
  };
  if (!std::equal(a.pins().begin(), a.pins().end(), b.pins().begin(), b.pins().end(), same))
    throw ModelError("bench", "the pins of " + a.side() + " and " + b.side() + " are not the same");
}

}  // namespace

PinBench::PinBench(sc_core::sc_module_name module_name, const PinBenchConfig& config,
                   sc_core::sc_signal<bool>& clock, std::vector<Dut*> sides, Stimulus& stimulus, Drive& drive,
                   std::vector<std::unique_ptr<Scoreboard>> scoreboards)
    : sc_module(module_name),
      config_(config),
      clock_(clock),
      sides_(std::move(sides)),
      stimulus_(stimulus),
      drive_(drive),
      scoreboards_(std::move(scoreboards)),
      outputs_(sides_.size(), std::vector<std::uint64_t>(sides_[0]->pins.output_lanes())),
      before_(outputs_[0].size()),
      changes_(outputs_[0].size()),
      busy_(outputs_[0].size()),
      kept_(config.kept + config.kept_after + 1,
            PinRow(sides_[0]->pins.input_lanes() + sides_.size() * outputs_[0].size())) {
  if (sides_.size() == 2) check_alike(sides_[0]->pins, sides_[1]->pins);
  if (!config_.wave.empty())
    wave_ = std::make_unique<PinWave>(config_.wave, pin_lists(), PinView{config_.wave_from});
  if (!config_.record.empty())
    record_file_ = std::make_unique<PinRecord>(config_.record, sides_.back()->pins.pins());
  SC_METHOD(on_half);
}

std::vector<const PinList*> PinBench::pin_lists() const {
  std::vector<const PinList*> lists;
  for (const Dut* const side : sides_) lists.push_back(&side->pins);
  return lists;
}

void PinBench::run() {
  sc_core::sc_start();
  if (wave_) wave_->close(std::min(cycle_, config_.wave_to));
  if (record_file_) record_file_->close();
  if (difference_) write_difference();
}

void PinBench::on_half() {
  high_ = !high_;
  if (high_)
    middle();
  else
    begin_cycle();
  const bool over =
      cycle_ == config_.cycles || (difference_ && cycle_ > difference_->cycle + config_.kept_after);
  if (!over) next_trigger(half_cycle);  // else nothing is left to do, and the simulation ends
}

void PinBench::begin_cycle() {
  clock_.write(false);
  sides_[0]->pins.read_outputs(drive_.outputs());
  stimulus_.drive(cycle_, drive_);
  for (Dut* const side : sides_) side->pins.write_inputs(drive_.inputs());
}

void PinBench::middle() {
  for (std::size_t side = 0; side < sides_.size(); ++side) sides_[side]->pins.read_outputs(outputs_[side]);
  look();
  record();
  if (!difference_) {
    std::vector<std::string> lines;
    if (sides_.size() == 2 && outputs_[0] != outputs_[1]) compare(lines);
    if (!scoreboards_.empty()) judge(lines);
    if (!lines.empty() && cycle_ >= config_.compared_from)
      difference_ = Difference{cycle_, std::move(lines), lanes_that_differ()};
  }
  clock_.write(true);
  ++cycle_;
}

void PinBench::look() {
  const std::vector<std::uint64_t>& now = outputs_[0];
  for (std::size_t i = 0; i < now.size(); ++i) {
    digest_ = (digest_ ^ now[i]) * 0x100000001b3;
    changes_[i] += cycle_ != 0 && now[i] != before_[i] ? 1 : 0;
    busy_[i] += now[i] != 0 ? 1 : 0;
  }
  before_ = now;
}

void PinBench::record() {
  PinRow& row = kept_[cycle_ % kept_.size()];
  auto end = std::copy(drive_.inputs().begin(), drive_.inputs().end(), row.begin());
  for (const auto& outputs : outputs_) end = std::copy(outputs.begin(), outputs.end(), end);
  if (record_file_) record_file_->row(drive_.inputs(), outputs_.back());
  if (wave_ && cycle_ >= config_.wave_from && cycle_ <= config_.wave_to) wave_->row(cycle_, row);
}

std::string PinBench::lane_name(const Pin& pin, unsigned lane) const {
  return pin.lanes == 1 ? pin.name : pin.name + "[" + std::to_string(lane) + "]";
}

void PinBench::judge(std::vector<std::string>& lines) {
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    std::vector<std::string> broken;
    scoreboards_[side]->judge(cycle_, Sample(drive_.inputs(), outputs_[side]), broken);
    for (const std::string& sentence : broken)
      lines.push_back("cycle " + std::to_string(cycle_) + ": " + sides_[side]->pins.side() + ": " + sentence);
  }
}

void PinBench::compare(std::vector<std::string>& lines) const {
  for (const Pin& pin : sides_[0]->pins.pins()) {
    for (unsigned lane = 0; !pin.input && lane < pin.lanes; ++lane) {
      const std::uint64_t a = outputs_[0][pin.at + lane], b = outputs_[1][pin.at + lane];
      if (a == b) continue;
      lines.push_back("cycle " + std::to_string(cycle_) + ": " + lane_name(pin, lane) + ": " +
                      sides_[0]->pins.side() + " " + hex(a) + ", " + sides_[1]->pins.side() + " " + hex(b));
    }
  }
}

std::vector<std::size_t> PinBench::lanes_that_differ() const {
  std::vector<std::size_t> lanes;
  for (std::size_t lane = 0; sides_.size() == 2 && lane < outputs_[0].size(); ++lane)
    if (outputs_[0][lane] != outputs_[1][lane]) lanes.push_back(lane);
  return lanes;
}

void PinBench::write_difference() const {
  const Cycle first = cycle_ > kept_.size() ? cycle_ - kept_.size() : 0;
  PinWave wave(config_.difference_wave, pin_lists(), {first, difference_->cycle, difference_->lanes});
  for (Cycle cycle = first; cycle < cycle_; ++cycle) wave.row(cycle, kept_[cycle % kept_.size()]);
  wave.close(cycle_);
}

void PinBench::print_activity(std::ostream& out) const {
  out << std::left << std::setw(24) << "output" << std::right << std::setw(12) << "changes" << std::setw(14)
      << "cycles not 0" << '\n';
  for (const Pin& pin : sides_[0]->pins.pins()) {
    for (unsigned lane = 0; !pin.input && lane < pin.lanes; ++lane)
      out << std::left << std::setw(24) << lane_name(pin, lane) << std::right << std::setw(12)
          << changes_[pin.at + lane] << std::setw(14) << busy_[pin.at + lane] << '\n';
  }
}

std::vector<std::string> PinBench::idle_outputs() const {
  std::vector<std::string> idle;
  for (const Pin& pin : sides_[0]->pins.pins())
    for (unsigned lane = 0; !pin.input && lane < pin.lanes; ++lane)
      if (changes_[pin.at + lane] == 0) idle.push_back(lane_name(pin, lane));
  return idle;
}

}  // namespace tsuji::bench
