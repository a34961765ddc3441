// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/described.h"
#include "tsuji/instruments/module_list.h"

using namespace tsuji;
using instruments::ModuleList;

namespace {

struct Crossbar {
  std::string stands_for() const { return "a crossbar (some paper)"; }
};

struct Table {
  virtual ~Table() = default;
  virtual std::string stands_for() const { return "a table"; }
};

struct CachedTable : Table {
  std::string stands_for() const override { return "a table behind a cache"; }
};

/// A part in other designs, a module here.
struct TableModule final : sc_core::sc_module, Table, Described {
  explicit TableModule(sc_core::sc_module_name name) : sc_module(name) {}
  std::string stands_for() const override { return "a table with ports"; }
};

class Router final : public sc_core::sc_module, public Described {
 public:
  SC_HAS_PROCESS(Router);
  Router(sc_core::sc_module_name name, bool has_module) : sc_module(name), has_module_(has_module) {
    SC_THREAD(run);
    if (has_module_) module_ = std::make_unique<TableModule>("table_module");
  }
  std::string stands_for() const override {
    return made_ ? "a router" : "asked before elaboration has ended";
  }
  void add_parts(PartList& parts) const override {
    parts.add("crossbar", crossbar_);
    parts.add("lookup", has_module_ ? *module_ : static_cast<const Table&>(table_));
  }
  bool ran = false;

 private:
  void end_of_elaboration() override { made_ = true; }
  void run() { ran = true; }

  const bool has_module_;
  bool made_ = false;
  Crossbar crossbar_;
  CachedTable table_;
  std::unique_ptr<TableModule> module_;
};

/// A module of another library.
struct Foreign final : sc_core::sc_module {
  explicit Foreign(sc_core::sc_module_name name)
      : sc_module(name), meaning("stands_for", "a module of mine") {
    add_attribute(meaning);
  }
  sc_core::sc_attribute<std::string> meaning;
};

struct Silent final : sc_core::sc_module {
  explicit Silent(sc_core::sc_module_name name) : sc_module(name) {}
};

std::string attribute(const char* name, const char* of) {
  sc_core::sc_object* const object = sc_core::sc_find_object(name);
  if (object == nullptr) return "no object";
  const auto* const found = dynamic_cast<sc_core::sc_attribute<std::string>*>(object->get_attribute(of));
  return found == nullptr ? "no attribute" : found->value;
}

}  // namespace

TEST_CASE("modules and their parts are objects with attributes while the list lives, and nothing runs") {
  Router plain("plain", false), with_module("with_module", true);
  Foreign foreign("foreign");
  const Silent silent("silent");
  {
    const ModuleList list;
    CHECK(attribute("plain", "stands_for") == "a router");
    CHECK(attribute("plain.crossbar", "stands_for") == "a crossbar (some paper)");
    CHECK(attribute("plain.crossbar", "class").find("Crossbar") != std::string::npos);
    CHECK(std::string(sc_core::sc_find_object("plain.crossbar")->kind()) == "part");
    CHECK(sc_core::sc_find_object("plain.crossbar")->get_parent_object() == &plain);
    CHECK(attribute("plain.lookup", "stands_for") == "a table behind a cache");
    CHECK(attribute("plain.lookup", "class").find("CachedTable") != std::string::npos);
    // A look-up that is a module is listed at its own place.
    CHECK(attribute("with_module.lookup", "stands_for") == "no object");
    CHECK(attribute("with_module.table_module", "stands_for") == "a table with ports");
    CHECK(attribute("foreign", "stands_for") == "a module of mine");
    CHECK(attribute("silent", "stands_for") == "no attribute");
    const std::string text = list.text(ModuleList::Detail::all);
    CHECK(text.find("a module of mine") != std::string::npos);
    CHECK(text.find("silent") != std::string::npos);
    CHECK(text.find("run") == std::string::npos);  // a process
  }
  CHECK_FALSE(plain.ran);
  CHECK(sc_core::sc_find_object("plain.crossbar") == nullptr);
  CHECK(attribute("plain", "stands_for") == "no attribute");
  CHECK(attribute("foreign", "stands_for") == "a module of mine");
}

TEST_CASE("a list made during a run describes the current state") {
  Router router("router", false);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CHECK(ModuleList().text(ModuleList::Detail::all).find("a crossbar") != std::string::npos);
  CHECK(router.ran);
  sc_core::sc_start(1, sc_core::SC_NS);
  CHECK(sc_core::sc_time_stamp() == sc_core::sc_time(1, sc_core::SC_NS));
}

TEST_CASE("folded lines: the numbers of like objects, for any parents") {
  std::vector<std::unique_ptr<Router>> routers;
  for (const char* name : {"r0", "r1", "r2", "r10", "r12"})
    routers.push_back(std::make_unique<Router>(name, std::string(name) == "r12"));
  const ModuleList list;
  const std::string text = list.text(ModuleList::Detail::folded);
  INFO(text);
  CHECK(text.find("r0..2,10,12 ") != std::string::npos);
  CHECK(text.find("r0..2,10,12.crossbar ") != std::string::npos);
  CHECK(text.find("r0..2,10.lookup ") != std::string::npos);
  CHECK(text.find("r12.table_module ") != std::string::npos);
  CHECK(text.find("r10.") == std::string::npos);
  CHECK(list.text(ModuleList::Detail::all).find("r10.crossbar ") != std::string::npos);
}
