// SPDX-License-Identifier: Apache-2.0
#include "tsuji/config/renames.h"
#include "tsuji/pins/device_kinds.h"

namespace tsuji::pins {

void read_source(config::KeyTable& keys, const DeviceSource& source) {
  keys.renamed(config::library_renames());
  if (source.is_file) {
    config::read_yaml_file(keys, source.yaml);
  } else {
    config::read_yaml_text(keys, source.yaml, "text");
  }
  keys.settle_defaults();
  keys.refuse_idle();
}

}  // namespace tsuji::pins
