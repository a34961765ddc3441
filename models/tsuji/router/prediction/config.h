// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/config/automatic.h"
#include "tsuji/graph/straight_ports.h"
#include "tsuji/router/prediction/predictor_kinds.h"

namespace tsuji::router {

/// Treatment of wrong flits (Tateshita 2009, 2.1 and 3.2). kill: a wrong flit is discarded at the output's
/// latch; the route must be known by then. hint: hint bits from the source, ahead of the header, stop a wrong
/// flit. wait: the head waits for its route and then crosses without allocation. leak: a wrong flit leaves,
/// and the next router drops it; flits remain in their buffer until the route is known.
enum class PredictionCheck : std::uint8_t { kill, hint, wait, leak };

/// Prediction in a virtual-channel router.
struct PredictionConfig {
  std::string kind = "none";
  PredictorKinds kinds = predictor_kinds();
  graph::TopTurn top = graph::TopTurn::next;
  config::Automatic<PredictionCheck> check{PredictionCheck::kill};
  /// Words of a flit that hits pass as they arrive: no deserialization, no wait for the last word, no
  /// serialization (Tateshita 2009, 3.1). Otherwise the whole flit is buffered before it crosses.
  bool serial = false;

  /// Adds the keys prediction.*.
  void add_keys(config::KeyTable& keys);
  bool on() const { return kind != "none"; }
  bool passes_words() const { return on() && serial; }
  bool leaks() const { return on() && check == PredictionCheck::leak; }
  /// Returns true if flits may leave before their route is known, so that the model must compute it in
  /// advance.
  bool foresees() const {
    return on() && (serial || check == PredictionCheck::hint || check == PredictionCheck::leak);
  }
};

}  // namespace tsuji::router
