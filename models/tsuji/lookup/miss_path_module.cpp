// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/miss_path_module.h"

namespace tsuji::lookup {

MissPathModule::MissPathModule(sc_core::sc_module_name module_name, unsigned ports,
                               const LookupTiming& timing, Cycle chip_cycles)
    : sc_module(module_name),
      answer_valid("answer_valid", ports),
      answer_hit("answer_hit", ports),
      missed_key("missed_key", ports),
      return_valid("return_valid", ports),
      path_(timing, chip_cycles) {
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
}

void MissPathModule::on_edge() {
  requests_.clear();
  for (unsigned port = 0; port < answer_valid.size(); ++port)
    if (answer_valid[port].read() && !answer_hit[port].read())
      requests_.push_back({port, missed_key[port].read()});
  CamAnswer answer;
  answer.valid = cam_answer_valid.read();
  answer.hit = cam_answer_hit.read();
  answer.value = cam_answer_value.read();
  drive_ = path_.step(requests_, answer);
  cam_request_valid.write(drive_.cam.valid);
  if (drive_.cam.valid) {
    cam_request_operation.write(static_cast<std::uint32_t>(drive_.cam.operation));
    cam_request_index.write(drive_.cam.index);
    cam_request_key.write(drive_.cam.key);
    cam_request_value.write(drive_.cam.value);
  }
  return_valid[returned_].write(false);
  if (!drive_.returns) return;
  returned_ = drive_.port;
  return_valid[returned_].write(true);
  return_entry.write(drive_.value);
}

}  // namespace tsuji::lookup
