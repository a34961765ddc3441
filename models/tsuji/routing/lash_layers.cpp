// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/lash_layers.h"

#include <algorithm>

#include "tsuji/routing/acyclic_graph.h"

namespace tsuji::routing {
namespace {

/// A path as a list of channels, and of turns between them.
struct Path {
  std::vector<std::uint32_t> channels;
  std::vector<std::uint32_t> turns;
};

/// Dependencies of a layer. Most paths consist of turns that are known to be in the layer, or not to fit into
/// it.
class Layer {
 public:
  Layer(std::size_t channels, std::size_t turns) : graph_(channels), turns_(turns, unknown) {}

  bool take(const Path& path) {
    std::size_t news = 0;
    std::uint32_t last = 0;
    for (const std::uint32_t turn : path.turns) {
      if (turns_[turn] == impossible) return false;
      if (turns_[turn] == taken) continue;
      ++news;
      last = turn;
    }
    if (news == 0) return true;
    if (!graph_.add_path(path.channels)) {
      if (news == 1) turns_[last] = impossible;  // turns are only added, so it remains impossible
      return false;
    }
    for (const std::uint32_t turn : path.turns) turns_[turn] = taken;
    return true;
  }

 private:
  enum State : std::uint8_t { unknown, taken, impossible };
  AcyclicGraph graph_;
  std::vector<std::uint8_t> turns_;
};

class Lash {
 public:
  Lash(const graph::Topology& topology, const TurnLayers::Paths& paths)
      : paths_(paths), tree_(topology), ports_(topology.routers()) {
    for (RouterId router = 0; router < topology.routers(); ++router) {
      first_channel_.push_back(channels_);
      channels_ += topology.ports(router);
      most_ports_ = std::max(most_ports_, topology.ports(router));
    }
  }

  unsigned layers() {
    for (RouterId to = 0; to < ports_.size(); ++to) {
      std::fill(ports_.begin(), ports_.end(), no_port);
      paths_.ports(to, ports_);
      tree_.point(to, ports_);
      for (RouterId from = 0; from < ports_.size(); ++from)
        if (paths_.sends[from] != 0 && ports_[from] != no_port) take(from);
    }
    return static_cast<unsigned>(layers_.size());
  }

 private:
  void take(RouterId from) {
    path_.channels.clear();
    path_.turns.clear();
    for (RouterId at = from; at != tree_.root(); at = tree_.next(at).router) {
      const std::uint32_t channel = first_channel_[at] + tree_.port(at);
      // A channel ends at one router, so the channel and the next output identify the turn.
      if (at != from) path_.turns.push_back(path_.channels.back() * most_ports_ + tree_.port(at));
      path_.channels.push_back(channel);
    }
    for (Layer& layer : layers_)
      if (layer.take(path_)) return;
    layers_.emplace_back(channels_, std::size_t{channels_} * most_ports_);
    layers_.back().take(path_);
  }

  const TurnLayers::Paths& paths_;
  PathTree tree_;
  std::vector<std::uint16_t> ports_;
  std::vector<std::uint32_t> first_channel_;  ///< [router]: channel of its port 0
  std::uint32_t channels_ = 0;
  unsigned most_ports_ = 0;
  Path path_;
  std::vector<Layer> layers_;
};

}  // namespace

unsigned lash_layers(const graph::Topology& topology, const TurnLayers::Paths& paths) {
  return Lash(topology, paths).layers();
}

}  // namespace tsuji::routing
