// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/compact_search_module.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::lookup {

CompactSearchModule::CompactSearchModule(sc_core::sc_module_name module_name,
                                         const CompactSearchConfig& config)
    : sc_module(module_name),
      nearest_valid("nearest_valid", config.per_cycle),
      nearest_row("nearest_row", config.per_cycle),
      nearest_distance("nearest_distance", config.per_cycle),
      state_(config) {
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
  request_ready.initialize(true);
}

CompactSearchRequest CompactSearchModule::read_request() const {
  CompactSearchRequest request;
  request.valid = request_valid.read();
  if (!request.valid) return request;
  if (request_operation.read() > static_cast<std::uint32_t>(CamOperation::none))
    throw ModelError(name(), "there is no operation " + std::to_string(request_operation.read()));
  request.operation = static_cast<CamOperation>(request_operation.read());
  request.row = request_row.read();
  request.place = {request_x.read(), request_y.read()};
  request.port = request_port.read();
  return request;
}

void CompactSearchModule::on_edge() {
  const CompactSearchAnswer answer = reset.read() ? state_.reset() : state_.step(read_request());
  request_ready.write(answer.ready);
  answer_valid.write(answer.valid);
  answer_hit.write(answer.hit);
  answer_row.write(answer.row);
  answer_port.write(answer.port);
  show_search();
}

void CompactSearchModule::show_search() {
  comparing_row.write(state_.comparing_row());
  choosing.write(state_.choosing());
  std::size_t comparator = 0;
  for (const CompactSearchState::Nearest& nearest : state_.nearest()) {
    nearest_valid[comparator].write(nearest.valid);
    nearest_row[comparator].write(nearest.row);
    nearest_distance[comparator++].write(nearest.distance);
  }
}

}  // namespace tsuji::lookup
