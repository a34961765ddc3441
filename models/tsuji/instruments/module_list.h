// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

namespace tsuji::instruments {

/// The hierarchy of modules and channels in the SystemC kernel, with what each stands for (Described). While
/// the list lives, each has an attribute `stands_for` (sc_attribute<std::string>), and parts of modules are
/// objects of kind "part" below them. An attribute of this name that a module has of its own stays.
class ModuleList {
 public:
  enum class Detail {
    folded,  ///< a line for all that have an equal name but for its numbers, class and meaning
    all      ///< a line for each
  };
  /// Ends elaboration if it has not ended: no process runs then, neither now nor later.
  ModuleList();
  ~ModuleList();
  ModuleList(const ModuleList&) = delete;
  ModuleList& operator=(const ModuleList&) = delete;

  /// Columns: name, number of objects in a folded line, kind (module, channel or part), class, meaning.
  std::string text(Detail detail) const;

 private:
  class PartObject;
  void describe(sc_core::sc_object& object);
  void add_parts(sc_core::sc_module& module);

  std::vector<std::unique_ptr<sc_core::sc_attribute<std::string>>> attributes_;
  std::vector<sc_core::sc_object*> described_;  ///< objects of the attributes
  std::vector<std::unique_ptr<PartObject>> parts_;
};

}  // namespace tsuji::instruments
