// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/lookup_port_module.h"

namespace tsuji::lookup {

LookupPortModule::LookupPortModule(sc_core::sc_module_name module_name, const Parts& parts)
    : sc_module(module_name), parts_(parts), port_(parts.lookup.timing, parts.lookup.vcs) {
  SC_METHOD(on_edge);
  sensitive << clock.neg();
  dont_initialize();
}

void LookupPortModule::on_edge() {
  LookupPort::Seen seen;
  seen.found = parts_.cache != nullptr ? parts_.cache->found() : answer_hit.read();
  seen.answered = answer_valid.read();
  seen.hit = answer_hit.read();
  if (seen.hit) seen.entry = from_wires(answer_entry.read());
  seen.returned = return_valid.read();
  if (seen.returned) seen.returned_entry = from_wires(return_entry.read());
  drive_ = port_.step(sc_core::sc_time_stamp().value() / parts_.period.ps(), seen, answers_);
  const NodeKeys& keys = parts_.lookup.keys;
  lookup_valid.write(drive_.looks);
  if (drive_.looks) {
    lookup_key.write(keys.key(drive_.destination));
    lookup_set.write(keys.set(drive_.destination));
  }
  fill_valid.write(drive_.fills);
  if (drive_.fills) {
    fill_key.write(keys.key(drive_.fill_destination));
    fill_set.write(keys.set(drive_.fill_destination));
    fill_entry.write(on_wires(drive_.fill_entry));
  }
  if (drive_.misses) missed_key.write(keys.key(drive_.missed));
  state.write(static_cast<std::uint32_t>(port_.state()));
}

}  // namespace tsuji::lookup
