// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/cam_module.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::lookup {

CamModule::CamModule(sc_core::sc_module_name module_name, const CamConfig& config)
    : sc_module(module_name), state_(config) {
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
  request_ready.initialize(true);
}

void CamModule::on_edge() {
  CamRequest request;
  request.valid = request_valid.read();
  if (request.valid) {
    if (request_operation.read() > static_cast<std::uint32_t>(CamOperation::none))
      throw ModelError(name(), "there is no operation " + std::to_string(request_operation.read()));
    request.operation = static_cast<CamOperation>(request_operation.read());
    request.index = request_index.read();
    request.key = request_key.read();
    request.mask = request_mask.read();
    request.value = request_value.read();
  }
  const CamAnswer answer = reset.read() ? state_.reset() : state_.step(request);
  request_ready.write(answer.ready);
  answer_valid.write(answer.valid);
  answer_hit.write(answer.hit);
  answer_index.write(answer.index);
  answer_value.write(answer.value);
}

}  // namespace tsuji::lookup
