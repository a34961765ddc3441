// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>

#include "tsuji/observe/wave_sink.h"

namespace tsuji::observe {

std::string SignalInfo::range() const {
  return is_text() || width_bits == 1 ? "" : "[" + std::to_string(width_bits - 1) + ":0]";
}

std::string SignalInfo::leaf() const {
  return path.substr(path.rfind('.') + 1) + range();
}

struct ScopeWalk::Scope {
  std::string name;
  std::vector<SignalId> signals;
  std::vector<std::unique_ptr<Scope>> scopes;  // in the order of their first signal
  std::map<std::string, Scope*> scope_by_name;

  Scope& inner(const std::string& inner_name) {
    Scope*& found = scope_by_name[inner_name];
    if (found == nullptr) {
      scopes.push_back(std::make_unique<Scope>());
      found = scopes.back().get();
      found->name = inner_name;
    }
    return *found;
  }
};

void ScopeWalk::walk(const std::vector<SignalInfo>& signals) {
  Scope top;
  for (SignalId id = 0; id < signals.size(); ++id) {
    const std::string& path = signals[id].path;
    Scope* scope = &top;
    std::size_t begin = 0;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
      scope = &scope->inner(path.substr(begin, dot - begin));
      begin = dot + 1;
    }
    scope->signals.push_back(id);
  }
  visit(top, signals);
}

void ScopeWalk::visit(const Scope& scope, const std::vector<SignalInfo>& signals) {
  for (const SignalId id : scope.signals) signal(id, signals[id]);
  for (const auto& inner : scope.scopes) {
    enter(inner->name);
    visit(*inner, signals);
    leave();
  }
}

}  // namespace tsuji::observe
