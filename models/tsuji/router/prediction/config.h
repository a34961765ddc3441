// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/config/automatic.h"
#include "tsuji/graph/straight_ports.h"
#include "tsuji/router/prediction/predictor_kinds.h"

namespace tsuji::router {

/// Treatment of wrong flits (Tateshita 2009, 2.1 and 3.2). kill: one dies at the output's latch, where the
/// route must be known by then. hint: bits ahead of the header, from the source, hold it back. wait: the head
/// waits for its route, and then crosses without allocation. leak: it leaves, and the next router drops it;
/// flits stay in their buffer until the route is known.
enum class PredictionCheck : std::uint8_t { kill, hint, wait, leak };

/// Prediction of a virtual-channel router.
struct PredictionConfig {
  std::string kind = "none";
  PredictorKinds kinds = predictor_kinds();
  graph::TopTurn top = graph::TopTurn::next;
  config::Automatic<PredictionCheck> check{PredictionCheck::kill};
  /// Words of a flit that hits go on as they come: no deserialization, no wait for the last word, no
  /// serialization (Tateshita 2009, 3.1). Else the whole flit is in the buffer before it crosses.
  bool serial = false;

  /// Binds the keys prediction.*.
  void add_keys(config::KeyTable& keys);
  bool on() const { return kind != "none"; }
  bool passes_words() const { return on() && serial; }
  bool leaks() const { return on() && check == PredictionCheck::leak; }
  /// A route may be asked for in vain or come after its flits have left: it must be foreseen.
  bool foresees() const {
    return on() && (serial || check == PredictionCheck::hint || check == PredictionCheck::leak);
  }
};

}  // namespace tsuji::router
