#include "tsuji/platform/run_log.h"

#include <ostream>

#include "tsuji/core/error.h"

namespace tsuji::platform {

void RunLog::write(std::string_view format, const std::vector<std::string>& values) {
  to_ << name_ << ": warning: ";
  for (const std::string& value : values) {
    const std::size_t place = format.find("{}");
    if (place == std::string_view::npos) throw ModelError("log", "more values than places for them");
    to_ << format.substr(0, place) << value;
    format.remove_prefix(place + 2);
  }
  to_ << format << '\n' << std::flush;
}

}  // namespace tsuji::platform
