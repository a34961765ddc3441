// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/pins/device.h"

namespace tsuji::pins {

/// Keys of a device: YAML text, or the path of a file.
struct DeviceSource {
  std::string yaml;
  bool is_file = false;
};

/// A kind of device.
struct DeviceKind {
  std::string name;
  /// Throws ConfigError with line and column for keys that the kind refuses.
  std::function<std::unique_ptr<Device>(const DeviceSource& source)> make;
};
using DeviceKinds = std::vector<DeviceKind>;

/// Returns the kinds that CMakeLists.txt lists.
DeviceKinds device_kinds();

/// Reads `source` into the keys; a text's name in messages is `text`.
void read_source(config::KeyTable& keys, const DeviceSource& source);

/// A kind whose Config has add_keys(), resolve() and validate(), and whose D is made of it.
template <class Config, class D>
DeviceKind device_kind(const char* name) {
  return {name, [](const DeviceSource& source) {
            Config config;
            config::KeyTable keys;
            config.add_keys(keys);
            read_source(keys, source);
            std::unique_ptr<Device> made;
            keys.check([&] {
              config.resolve();
              config.validate();
              made = std::make_unique<D>(config);
            });
            return made;
          }};
}

}  // namespace tsuji::pins
