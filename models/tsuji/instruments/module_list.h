// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

namespace tsuji::instruments {

/// Hierarchy of the modules and channels in the SystemC kernel, with the hardware that each represents
/// (Described). While the list exists, each has an attribute `stands_for` (sc_attribute<std::string>), and
/// parts of modules are objects of kind "part" below them. An existing attribute of this name is not changed.
class ModuleList {
 public:
  enum class Detail {
    folded,  ///< one line for objects whose names are equal except for numbers, with equal class and meaning
    all      ///< one line for each object
  };
  /// Ends elaboration if it has not ended; processes then never run.
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
  std::vector<sc_core::sc_object*> described_;  ///< objects with attributes added here
  std::vector<std::unique_ptr<PartObject>> parts_;
};

}  // namespace tsuji::instruments
