// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/run_log.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::observe {
namespace {

constexpr std::size_t cycle_width = 9, level_width = 5, module_width = 12, packet_width = 8;

std::string left(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 0, ' ');
}

}  // namespace

bool RunLog::Line::operator<(const Line& other) const {
  return std::tie(cycle, module, has_packet, packet, event.rank, text) <
         std::tie(other.cycle, other.module, other.has_packet, other.packet, other.event.rank, other.text);
}

RunLog::RunLog(RunLogConfig config, std::unique_ptr<LogSink> sink)
    : config_(std::move(config)), sink_(std::move(sink)) {}

RunLog::Module RunLog::add(const std::string& name) {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) return known->second;
  const auto has = [&](const LogModules& modules) { return modules.has(name); };
  if (!config_.modules.empty() && std::none_of(config_.modules.begin(), config_.modules.end(), has))
    throw ModelError("log", "there is no declared module '" + name + "', so --log cannot name it");
  modules_.push_back(name);
  const Module module{static_cast<std::uint32_t>(modules_.size() - 1), config_.selection.level_of(name)};
  by_name_.emplace(name, module);
  return module;
}

void RunLog::write(const Module& module, LogLevel level, Cycle cycle, const LogEvent& event,
                   std::optional<PacketId> packet, const std::string& text) {
  if (!module.logs(level) || cycle < config_.first_cycle || cycle > config_.last_cycle) return;
  held_.push_back({cycle, module.number, level, packet.has_value(), packet.value_or(0), event, text});
}

void RunLog::end_packet(PacketId packet, Cycle last) {
  const auto is_void = [&](const Line& line) {
    return line.has_packet && line.packet == packet && line.cycle > last;
  };
  held_.erase(std::remove_if(held_.begin(), held_.end(), is_void), held_.end());
}

void RunLog::advance(Cycle now) {
  if (now > 0) write_before(now - 1);
}

void RunLog::close(Cycle last) {
  write_before(last + 1);
  sink_->close();
}

void RunLog::write_before(Cycle cycle) {
  const auto later =
      std::partition(held_.begin(), held_.end(), [cycle](const Line& line) { return line.cycle < cycle; });
  std::sort(held_.begin(), later);
  for (auto line = held_.begin(); line != later; ++line)
    sink_->line(line->level, config_.format == LogFormat::json ? json_of(*line) : text_of(*line));
  any_ = any_ || later != held_.begin();
  held_.erase(held_.begin(), later);
}

std::string RunLog::text_of(const Line& line) const {
  const std::string cycle = std::to_string(line.cycle);
  const std::string packet = line.has_packet ? packet_name(line.packet) : "-";
  return std::string(cycle.size() < cycle_width ? cycle_width - cycle.size() : 0, ' ') + cycle + "  " +
         left(name_of(line.level), level_width) + "  " + left(modules_[line.module], module_width) + "  " +
         left(packet, packet_width) + "  " + line.text;
}

std::string RunLog::json_of(const Line& line) const {
  nlohmann::ordered_json document;
  document["cycle"] = line.cycle;
  document["level"] = name_of(line.level);
  document["module"] = modules_[line.module];
  if (line.has_packet)
    document["packet"] = packet_name(line.packet);
  else
    document["packet"] = nullptr;
  document["event"] = line.event.name;
  document["text"] = line.text;
  return document.dump();
}

}  // namespace tsuji::observe
