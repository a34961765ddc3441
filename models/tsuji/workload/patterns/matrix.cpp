// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/workload/pattern_kinds.h"
#include "tsuji/workload/traffic_matrix.h"

namespace tsuji::workload {
namespace {

/// Destinations and shares of load from a file. A source's part of the whole traffic is the sum of its rates;
/// the configured load is the mean over all living nodes. Probabilities (rows that sum to 1) so give every
/// node the configured load.
class MatrixPattern final : public Pattern {
 public:
  explicit MatrixPattern(TrafficMatrix matrix) : matrix_(std::move(matrix)) {}

  double share(NodeId source) const override { return matrix_.share(source); }
  bool reaches(NodeId source) const override { return matrix_.reaches(source); }
  NodeId destination(NodeId source, CounterRandom& random) const override {
    return matrix_.destination(source, random.unit());
  }
  double probability(NodeId source, NodeId destination) const override {
    return matrix_.probability(source, destination);
  }

 private:
  const TrafficMatrix matrix_;
};

}  // namespace

void MatrixConfig::add_keys(config::KeyTable& keys) {
  keys.add_path("traffic.matrix", matrix,
                "traffic matrix: file with a row SOURCE DESTINATION RATE for each pair; only ratios of the "
                "rates matter");
}

std::unique_ptr<Pattern> MatrixConfig::make(const PatternConfig& config) const {
  if (matrix.empty()) {
    throw ConfigError("traffic.matrix", "", "the pattern matrix needs a file",
                      "a file of lines SOURCE DESTINATION RATE");
  }
  TrafficMatrixRules rules;
  rules.nodes = config.nodes;
  rules.to_self = config.to_self;
  rules.receivers_send = config.receivers_send;
  rules.states = config.states;
  return std::make_unique<MatrixPattern>(TrafficMatrix(matrix, rules));
}

void add_matrix(PatternKinds& kinds) {
  kinds.add<MatrixConfig>("matrix");
}

}  // namespace tsuji::workload
