// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tsuji {

class Described;

/// Parts of a module that are no objects of the simulation kernel, for lists of its hierarchy.
class PartList {
 public:
  struct Part {
    std::string name;  ///< below the module's
    const std::type_info* type = nullptr;
    std::string stands_for;
  };

  /// `part.stands_for()` says what it stands for, a virtual function where classes differ. A part that is an
  /// object of the kernel has its own place in the hierarchy (Described), and is left out.
  template <class Object>
  void add(std::string name, const Object& part) {
    if constexpr (std::is_polymorphic_v<Object>) {
      if (dynamic_cast<const Described*>(&part) != nullptr) return;
    }
    all_.push_back({std::move(name), &typeid(part), part.stands_for()});
  }
  const std::vector<Part>& all() const { return all_; }

 private:
  std::vector<Part> all_;
};

/// A module or channel, an object of the simulation kernel, that says what it stands for. Asked from the end
/// of elaboration on, and never in the course of a run.
class Described {
 public:
  virtual ~Described() = default;
  /// The hardware that it stands for, with paper and section where one has it; one line.
  virtual std::string stands_for() const = 0;
  virtual void add_parts(PartList& /*parts*/) const {}
};

}  // namespace tsuji
