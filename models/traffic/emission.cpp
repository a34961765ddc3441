#include "traffic/emission.h"

namespace tsuji::traffic {

bool ListedEmissions::next(Emission& emission) {
  if (next_ == list_.size()) return false;
  emission = list_[next_++];
  return true;
}

UniformLoad::UniformLoad(const UniformLoadConfig& config, NodeId node, std::uint64_t seed)
    : config_(config),
      node_(node),
      gap_(config.flits_per_node_cycle / config.packet_flits),
      random_(seed, node) {}

bool UniformLoad::next(Emission& emission) {
  at_ += gap_.draw(random_);
  if (at_ > config_.last_cycle) return false;
  emission = Emission{};
  emission.created = at_;
  emission.flits = static_cast<std::uint16_t>(config_.packet_flits);
  emission.payload_bytes = static_cast<std::uint16_t>(config_.payload_bytes);
  const auto choice = static_cast<NodeId>(random_.below(config_.to_self ? config_.nodes : config_.nodes - 1));
  emission.destination = !config_.to_self && choice >= node_ ? choice + 1 : choice;
  return true;
}

std::uint64_t payload_word(PacketId id, unsigned word) {
  std::uint64_t mixed = id * 0x9e3779b97f4a7c15ULL + word;
  mixed ^= mixed >> 29;
  return mixed * 0xbf58476d1ce4e5b9ULL;
}

}  // namespace tsuji::traffic
