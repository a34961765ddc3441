#include "tsuji/workload/pattern.h"

#include "tsuji/core/error.h"
#include "tsuji/workload/patterns/bits.h"
#include "tsuji/workload/patterns/cube.h"
#include "tsuji/workload/patterns/hotspot.h"
#include "tsuji/workload/patterns/matrix.h"
#include "tsuji/workload/patterns/permutation.h"
#include "tsuji/workload/patterns/transpose.h"
#include "tsuji/workload/patterns/uniform.h"

namespace tsuji::workload {

const std::vector<PatternKind>& pattern_kinds() {
  static const std::vector<PatternKind> kinds = {
      {"uniform", UniformPattern::make},
      {"transpose", make_transpose},
      {"bit_complement", make_bit_complement},
      {"bit_reverse", make_bit_reverse},
      {"bit_rotation", make_bit_rotation},
      {"shuffle", make_shuffle},
      {"tornado", make_tornado},
      {"neighbour", make_neighbour},
      {"hotspot", HotspotPattern::make, "hotspots hotspot_share"},
      {"permutation", make_permutation},
      {"matrix", MatrixPattern::make, "matrix"},
  };
  return kinds;
}

std::unique_ptr<Pattern> make_pattern(const std::string& name, const PatternConfig& config) {
  std::string names;
  for (const PatternKind& kind : pattern_kinds()) {
    if (kind.name == name) return kind.make(config);
    names += (names.empty() ? "" : ", ") + std::string(kind.name);
  }
  throw ConfigError("traffic.pattern", name, "no such pattern", names);
}

}  // namespace tsuji::workload
