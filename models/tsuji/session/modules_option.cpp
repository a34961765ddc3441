// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/modules_option.h"

#include <ostream>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/instruments/module_list.h"

namespace tsuji::session {

using platform::RunOptions;

platform::PlatformOption modules_option(BuildMachine build) {
  using Detail = instruments::ModuleList::Detail;
  platform::PlatformOption option;
  option.name = "--list-modules";
  option.value_name = "[all]";
  option.meaning =
      "print the modules of the machine, their parts and the hardware that each models, and stop; equal "
      "modules share one line; all: one line for each module";
  option.builds = true;
  option.print = [name = option.name, build = std::move(build)](
                     const std::string& word, const RunOptions& options, std::ostream& out) {
    if (!word.empty() && word != "all")
      throw ConfigError(name, word, "unknown word", "all, or none for a line for like modules");
    build(options,
          [&] { out << instruments::ModuleList().text(word.empty() ? Detail::folded : Detail::all); });
    return 0;
  };
  return option;
}

}  // namespace tsuji::session
