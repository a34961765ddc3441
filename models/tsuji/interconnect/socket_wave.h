// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/interconnect/access.h"
#include "tsuji/observe/wave.h"

namespace tsuji::interconnect {

/// Rows of a socket in a waveform, at the kernel's time: the transaction that it has begun last, the phases
/// of the base protocol, and the number of transactions without an answer. Only changes are written.
class SocketWave {
 public:
  /// Adds the rows "tlm.NAME.*" under the heading "KIND NAME".
  SocketWave(observe::Wave& wave, const std::string& kind, const std::string& name);
  /// Shows a transaction that begins.
  void begin(const Access& access);
  /// Shows the state of the socket: a request that has begun and is not ended, a response that has begun and
  /// is not ended, transactions without an answer.
  void show(bool requests, bool responds, std::uint64_t outstanding);

 private:
  struct Row {
    observe::SignalId signal = 0;
    std::uint64_t last = 0;
  };
  Row add(const std::string& name, unsigned width_bits, observe::WaveFormat format);
  void change(Row& row, std::uint64_t value);

  observe::Wave& wave_;
  const std::string path_, group_;
  std::uint64_t begun_ = 0;  ///< value of the row "command" for the transaction that has begun last
  Row command_, address_, bytes_, request_, response_, outstanding_;
};

}  // namespace tsuji::interconnect
