// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/interruption.h"

namespace tsuji::platform {
namespace {

/// A signal's handler has nowhere else to write to.
volatile std::sig_atomic_t received = 0;

extern "C" void tsuji_take_signal(int signal) {
  if (received != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  received = signal;
}

void install(int signal, struct sigaction& before) {
  sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action = {};
  action.sa_handler = tsuji_take_signal;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

Interruption::Interruption(mpi::Ranks* ranks) : ranks_(ranks) {
  received = 0;
  if (ranks != nullptr) ranks->watch_signals([] { return static_cast<int>(received); });
  install(SIGINT, before_int_);
  install(SIGTERM, before_term_);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
}

int Interruption::signal() const {
  return ranks_ == nullptr ? static_cast<int>(received) : ranks_->signal();
}

const char* Interruption::name() const {
  return signal() == SIGINT ? "SIGINT" : signal() == SIGTERM ? "SIGTERM" : "";
}

}  // namespace tsuji::platform
