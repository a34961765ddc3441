// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tsuji/traffic/congestion_kinds.h"

namespace tsuji::traffic {
namespace {

/// Token bucket: full at cycle 0, filled at a constant rate, emptied by a token for each flit of a packet
/// that starts. Tokens are counted in integers, so that no rounding adds up.
class TokenBucket final : public CongestionControl {
 public:
  static constexpr std::uint64_t parts_of_token = 1'000'000'000;

  TokenBucket(std::uint64_t rate_parts, std::uint64_t burst_parts)
      : rate_(rate_parts), burst_(burst_parts), parts_(burst_parts) {}

  Cycle may_start(End /*destination*/, unsigned flits, Cycle now) override {
    fill(now);
    const std::uint64_t needed = flits * parts_of_token;
    return needed <= parts_ ? now : now + (needed - parts_ + rate_ - 1) / rate_;
  }
  void started(End /*destination*/, unsigned flits, Cycle now) override {
    fill(now);
    parts_ -= flits * parts_of_token;
  }

 private:
  void fill(Cycle now) {
    const Cycle to_full = (burst_ - parts_ + rate_ - 1) / rate_;
    parts_ = now - filled_at_ >= to_full ? burst_ : parts_ + (now - filled_at_) * rate_;
    filled_at_ = now;
  }

  const std::uint64_t rate_, burst_;  ///< parts of a token: in a cycle, at most
  std::uint64_t parts_;
  Cycle filled_at_ = 0;
};

}  // namespace

void TokenBucketConfig::add_keys(config::KeyTable& keys) {
  keys.add("congestion.rate_flits_per_cycle", rate_flits_per_cycle, {1e-6, 1.0}, "flits/cycle",
           "rate at which a node gets tokens, one for each flit that it sends");
  keys.add("congestion.burst_flits", burst_flits, {1, 65'535}, "flits",
           "tokens that a node holds at most: flits that it may send at the rate of its link after a pause");
}

std::unique_ptr<CongestionControl> TokenBucketConfig::make(unsigned /*nodes*/) const {
  constexpr std::uint64_t parts = TokenBucket::parts_of_token;
  return std::make_unique<TokenBucket>(
      static_cast<std::uint64_t>(std::llround(rate_flits_per_cycle * static_cast<double>(parts))),
      burst_flits * parts);
}

void add_token_bucket(CongestionKinds& kinds) {
  CongestionTraits traits;
  traits.longest_packet = [](const CongestionKinds& all) {
    return LengthLimit{all.of<TokenBucketConfig>().burst_flits, "congestion.burst_flits",
                       "tokens of a full bucket"};
  };
  kinds.add<TokenBucketConfig>("token_bucket", traits);
}

}  // namespace tsuji::traffic
