// SPDX-License-Identifier: Apache-2.0
#include "lookup/crc_hash_module.h"

namespace tsuji::lookup {

CrcHashModule::CrcHashModule(sc_core::sc_module_name module_name, const CrcSpec& spec)
    : sc_module(module_name), crc_(spec) {
  SC_METHOD(on_edge);
  sensitive << clock.pos();
  dont_initialize();
  SC_METHOD(on_ready);
  sensitive << out_ready << edge_;
}

void CrcHashModule::on_edge() {
  if (reset.read()) {
    valid_ = false;
    out_hash.write(0);
  } else if (!valid_ || out_ready.read()) {
    valid_ = in_valid.read();
    if (valid_) out_hash.write(crc_.of_key(in_key.read()));
  }
  out_valid.write(valid_);
  edge_.notify(sc_core::SC_ZERO_TIME);
}

void CrcHashModule::on_ready() {
  in_ready.write(!valid_ || out_ready.read());
}

}  // namespace tsuji::lookup
