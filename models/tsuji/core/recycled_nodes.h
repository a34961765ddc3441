// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

namespace tsuji {

/// Memory of erased elements of an unordered map, for those that are added later: a map whose size does not
/// grow allocates nothing.
template <class Map>
class RecycledNodes {
 public:
  /// Adds a key that `map` does not have. Returns the place of its value.
  typename Map::iterator add(Map& map, const typename Map::key_type& key, typename Map::mapped_type value) {
    if (nodes_.empty()) return map.emplace(key, std::move(value)).first;
    typename Map::node_type node = std::move(nodes_.back());
    nodes_.pop_back();
    node.key() = key;
    node.mapped() = std::move(value);
    return map.insert(std::move(node)).position;
  }
  /// Erases the element at `place`.
  void erase(Map& map, typename Map::iterator place) { nodes_.push_back(map.extract(place)); }

 private:
  std::vector<typename Map::node_type> nodes_;
};

}  // namespace tsuji
