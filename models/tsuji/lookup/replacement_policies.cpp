// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/replacement_policies.h"

#include "tsuji/lookup/named_rows.h"

namespace tsuji::lookup {

const ReplacementPolicy& find_replacement(const ReplacementPolicies& policies, const std::string& name) {
  return find_row(policies, "lookup.replacement", name, "unknown replacement policy");
}

std::vector<std::string> replacement_names(const ReplacementPolicies& policies) {
  std::vector<std::string> names;
  for (const ReplacementPolicy& policy : policies) names.push_back(policy.name);
  return names;
}

}  // namespace tsuji::lookup
