// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tsuji {

class Described;

/// Parts of a module that are no sc_objects, for lists of the module hierarchy.
class PartList {
 public:
  /// A part of a module.
  struct Part {
    std::string name;                      ///< name of the part within its module
    const std::type_info* type = nullptr;  ///< Class of the part.
    std::string stands_for;                ///< The modelled hardware in one line.
  };

  /// Adds `part`, described by its stands_for() (virtual where classes of parts differ). A part that is an
  /// sc_object has its own entry in the hierarchy (Described), and is left out.
  template <class Object>
  void add(std::string name, const Object& part) {
    if constexpr (std::is_polymorphic_v<Object>) {
      if (dynamic_cast<const Described*>(&part) != nullptr) return;
    }
    all_.push_back({std::move(name), &typeid(part), part.stands_for()});
  }
  /// Parts in the order in which they were added.
  const std::vector<Part>& all() const { return all_; }

 private:
  std::vector<Part> all_;
};

/// Module or channel (an sc_object) that describes the hardware it models, for --list-modules. Its functions
/// are called only after elaboration and outside of a run.
class Described {
 public:
  virtual ~Described() = default;
  /// The modelled hardware in one line, with paper and section where there is one.
  virtual std::string stands_for() const = 0;
  /// Adds the parts of this module that are no sc_objects; by default none.
  virtual void add_parts(PartList& /*parts*/) const {}
};

}  // namespace tsuji
