// SPDX-License-Identifier: Apache-2.0
#include "tsuji/interconnect/socket_wave.h"

#include <systemc>

namespace tsuji::interconnect {
namespace {

/// Value of the row "command"; 0: no transaction is without an answer.
std::uint64_t shown(Command command) {
  return 1 + static_cast<std::uint64_t>(command);
}

}  // namespace

SocketWave::SocketWave(observe::Wave& wave, const std::string& kind, const std::string& name)
    : wave_(wave), path_("tlm." + name + "."), group_(kind + " " + name) {
  command_ = add("command", 2, observe::WaveFormat::decimal);
  wave.name_value(command_.signal, 0, "-");
  wave.name_value(command_.signal, shown(Command::read), "read");
  wave.name_value(command_.signal, shown(Command::write), "write");
  wave.name_value(command_.signal, shown(Command::ignore), "ignore");
  address_ = add("address", 64, observe::WaveFormat::hex);
  bytes_ = add("bytes", 32, observe::WaveFormat::decimal);
  request_ = add("request", 1, observe::WaveFormat::binary);
  response_ = add("response", 1, observe::WaveFormat::binary);
  outstanding_ = add("outstanding", 16, observe::WaveFormat::decimal);
}

SocketWave::Row SocketWave::add(const std::string& name, unsigned width_bits, observe::WaveFormat format) {
  return {wave_.add(path_ + name, width_bits, format, group_), 0};
}

void SocketWave::change(Row& row, std::uint64_t value) {
  if (row.last == value) return;
  row.last = value;
  wave_.change(row.signal, sc_core::sc_time_stamp().value(), value);
}

void SocketWave::begin(const Access& access) {
  begun_ = shown(access.command);
  change(command_, begun_);
  change(address_, access.address);
  change(bytes_, access.bytes);
}

void SocketWave::show(bool requests, bool responds, std::uint64_t outstanding) {
  change(request_, requests ? 1 : 0);
  change(response_, responds ? 1 : 0);
  change(outstanding_, outstanding);
  // By the state alone: what arrives and leaves in one cycle is told in any order.
  change(command_, outstanding == 0 ? 0 : begun_);
}

}  // namespace tsuji::interconnect
