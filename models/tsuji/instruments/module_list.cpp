// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/module_list.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <typeinfo>
#include <utility>

#include "tsuji/core/described.h"
#include "tsuji/network/object_block.h"
#include "tsuji/results/text_table.h"

namespace tsuji::instruments {
namespace {

constexpr const char *class_attribute = "class", *meaning_attribute = "stands_for";
constexpr const char* part_kind = "part";

/// Stops the kernel between elaboration and the first process.
class StopAtStart final : public sc_core::sc_module {
 public:
  explicit StopAtStart(sc_core::sc_module_name name) : sc_module(name) {}

 private:
  void start_of_simulation() override { sc_core::sc_stop(); }
};

void end_elaboration() {
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION) return;
  constexpr const char* says_stopped = "/OSCI/SystemC";
  const sc_core::sc_actions before =
      sc_core::sc_report_handler::set_actions(says_stopped, sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  const StopAtStart stop(sc_core::sc_gen_unique_name("stop_at_start"));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  sc_core::sc_report_handler::set_actions(says_stopped, sc_core::SC_INFO, before);
}

/// Name of a class without the library's namespace and template arguments.
std::string class_name(const std::type_info& type) {
  int status = 0;
  char* const whole = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string name = whole == nullptr ? type.name() : whole;
  std::free(whole);
  name = name.substr(0, name.find('<'));
  for (const char* left_out : {"(anonymous namespace)::", "tsuji::"}) {
    for (std::size_t at = name.find(left_out); at != std::string::npos; at = name.find(left_out))
      name.erase(at, std::string(left_out).size());
  }
  return name;
}

/// Returns true for modules and channels; false for ports, sockets, events and processes.
bool is_listed(const sc_core::sc_object& object) {
  return dynamic_cast<const sc_core::sc_module*>(&object) != nullptr ||
         dynamic_cast<const Described*>(&object) != nullptr || std::string(object.kind()) == part_kind;
}

/// Value of a text attribute; empty: no such attribute.
std::string text_of(const sc_core::sc_object& object, const char* attribute) {
  const auto* const text =
      dynamic_cast<const sc_core::sc_attribute<std::string>*>(object.get_attribute(attribute));
  return text == nullptr ? "" : text->value;
}

/// Objects with one line.
struct Group {
  std::string kind, type, meaning;
  std::vector<sc_core::sc_object*> objects;
};

std::string without_number(const std::string& name) {
  std::size_t end = name.size();
  while (end > 0 && std::isdigit(static_cast<unsigned char>(name[end - 1])) != 0) --end;
  return name.substr(0, end);
}

/// Numbers at the ends of names: "0..8", "0,3,5..7".
std::string numbers_text(const std::set<std::string>& names) {
  constexpr unsigned most_runs = 8;
  std::set<unsigned long> numbers;
  for (const std::string& name : names) {
    const std::string number = name.substr(without_number(name).size());
    if (!number.empty()) numbers.insert(std::stoul(number));
  }
  std::string text;
  unsigned runs = 0;
  for (auto next = numbers.begin(); next != numbers.end();) {
    const unsigned long first = *next;
    unsigned long last = first;
    while (++next != numbers.end() && *next == last + 1) ++last;
    if (!text.empty()) text += ",";
    if (++runs > most_runs) return text + "..";
    text += std::to_string(first);
    if (last != first) text += ".." + std::to_string(last);
  }
  return text;
}

/// Path of folded names, from the top: "network.block0.r0..8.lookup".
std::string folded_name(const std::vector<sc_core::sc_object*>& objects) {
  std::vector<const sc_core::sc_object*> level(objects.begin(), objects.end());
  std::string text;
  while (level.front() != nullptr) {
    std::set<std::string> names;
    for (const sc_core::sc_object* object : level) names.insert(object->basename());
    const std::string own = without_number(*names.begin()) + numbers_text(names);
    text = text.empty() ? own : own + "." + text;
    for (const sc_core::sc_object*& object : level) object = object->get_parent_object();
  }
  return text;
}

const char* kind_of(const sc_core::sc_object& object) {
  if (std::string(object.kind()) == part_kind) return part_kind;
  return dynamic_cast<const sc_core::sc_module*>(&object) != nullptr ? "module" : "channel";
}

/// Groups of objects whose parents are one group, in the order of their first objects.
std::vector<Group> groups_of(const std::vector<sc_core::sc_object*>& objects, ModuleList::Detail detail) {
  std::vector<Group> groups;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> known;
  for (sc_core::sc_object* object : objects) {
    if (!is_listed(*object)) continue;
    const std::string own = object->basename(), type = text_of(*object, class_attribute);
    Group group{kind_of(*object),
                type.empty() ? class_name(typeid(*object)) : type,
                text_of(*object, meaning_attribute),
                {}};
    const std::string stem = detail == ModuleList::Detail::all ? own : without_number(own);
    const auto place = known.try_emplace({stem, group.type, group.meaning}, groups.size());
    if (place.second) groups.push_back(group);
    groups[place.first->second].objects.push_back(object);
  }
  return groups;
}

void add_rows(const std::vector<sc_core::sc_object*>& objects, ModuleList::Detail detail,
              observe::TextTable& table) {
  for (const Group& group : groups_of(objects, detail)) {
    const std::size_t count = group.objects.size();
    table.row({folded_name(group.objects), count == 1 ? "" : std::to_string(count), group.kind, group.type,
               group.meaning.empty() ? "-" : group.meaning});
    std::vector<sc_core::sc_object*> children;
    for (const sc_core::sc_object* object : group.objects)
      children.insert(children.end(), object->get_child_objects().begin(), object->get_child_objects().end());
    add_rows(children, detail, table);
  }
}

}  // namespace

/// Part of a module, as an object of the kernel.
class ModuleList::PartObject final : public sc_core::sc_object {
 public:
  explicit PartObject(const PartList::Part& part)
      : sc_object(part.name.c_str()),
        class_(class_attribute, class_name(*part.type)),
        meaning_(meaning_attribute, part.stands_for) {
    add_attribute(class_);
    add_attribute(meaning_);
  }
  const char* kind() const override { return part_kind; }

 private:
  sc_core::sc_attribute<std::string> class_, meaning_;
};

ModuleList::ModuleList() {
  end_elaboration();
  const std::vector<sc_core::sc_object*> top = sc_core::sc_get_top_level_objects();
  for (sc_core::sc_object* object : top) describe(*object);
}

ModuleList::~ModuleList() {
  for (sc_core::sc_object* object : described_) object->remove_attribute(meaning_attribute);
}

void ModuleList::describe(sc_core::sc_object& object) {
  const std::vector<sc_core::sc_object*> children = object.get_child_objects();
  const auto* const described = dynamic_cast<const Described*>(&object);
  if (described != nullptr && object.get_attribute(meaning_attribute) == nullptr) {
    attributes_.push_back(
        std::make_unique<sc_core::sc_attribute<std::string>>(meaning_attribute, described->stands_for()));
    object.add_attribute(*attributes_.back());
    described_.push_back(&object);
  }
  if (auto* const module = dynamic_cast<sc_core::sc_module*>(&object)) add_parts(*module);
  for (sc_core::sc_object* child : children) describe(*child);
}

void ModuleList::add_parts(sc_core::sc_module& module) {
  const auto* const described = dynamic_cast<const Described*>(&module);
  if (described == nullptr) return;
  PartList parts;
  described->add_parts(parts);
  const network::ObjectBlock::Inside inside(module);
  for (const PartList::Part& part : parts.all()) parts_.push_back(std::make_unique<PartObject>(part));
}

std::string ModuleList::text(Detail detail) const {
  observe::TextTable table({"name", "objects", "kind", "class", "stands for"});
  add_rows(sc_core::sc_get_top_level_objects(), detail, table);
  return table.text();
}

}  // namespace tsuji::instruments
