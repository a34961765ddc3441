// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "tsuji/config/key_entry.h"
#include "tsuji/core/printable.h"

namespace tsuji::config {
namespace {

std::vector<std::string> parts_of(const std::string& key) {
  std::vector<std::string> parts;
  std::istringstream stream(key);
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
  return parts;
}

/// Opens the sections of `parts` that were not already open for the key before.
std::string section_lines(const std::vector<std::string>& before, const std::vector<std::string>& parts) {
  std::string lines;
  bool same = true;
  for (std::size_t depth = 0; depth + 1 < parts.size(); ++depth) {
    same = same && depth + 1 < before.size() && before[depth] == parts[depth];
    if (!same) lines += std::string(2 * depth, ' ') + parts[depth] + ":\n";
  }
  return lines;
}

}  // namespace

std::vector<KeyTable::Description> KeyTable::descriptions() const {
  std::vector<Description> all;
  for (const Entry& entry : entries_) {
    std::string details = "type: " + entry.binding->type();
    if (!entry.unit.empty()) details += "; unit: " + entry.unit;
    details += "; default: " + entry.default_yaml + "; accepted: " + entry.binding->accepted();
    all.push_back({entry.key, entry.unit, entry.meaning, std::move(details), entry.binding->words(),
                   missing_uses(entry) != nullptr});
  }
  return all;
}

std::string KeyTable::list_keys() const {
  std::string text;
  for (const Description& each : descriptions())
    text += each.key + "\n    " + each.meaning + "\n    " + each.details + "\n";
  return text;
}

namespace {

std::string comment_lines(const std::string& heading) {
  std::string text;
  std::istringstream lines(heading);
  for (std::string line; std::getline(lines, line);) text += "# " + line + "\n";
  return text;
}

std::string yaml_of(const Binding& binding, const PathText& path_text) {
  const std::string path = binding.relative_path();
  return path.empty() ? binding.yaml() : quoted_text(path_text(path));
}

/// Keys as nested maps, each value followed by a comment.
class Tree {
 public:
  void add(const std::string& key, const std::string& value, const std::string& comment) {
    const std::vector<std::string> parts = parts_of(key);
    text_ += section_lines(before_, parts) + std::string(2 * (parts.size() - 1), ' ') + parts.back() + ": " +
             value + (comment.empty() ? "" : "  # " + comment) + "\n";
    before_ = parts;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string> before_;
};

}  // namespace

std::string KeyTable::print(const std::string& heading, const PathText& path_text) const {
  Tree tree;
  std::string idle;
  for (const Entry& entry : entries_) {
    const std::string value = yaml_of(*entry.binding, path_text);
    if (missing_uses(entry) == nullptr)
      tree.add(entry.key, value, entry.unit_comment());
    else
      idle += "# " + entry.key + ": " + value + (entry.unit.empty() ? "" : "  # " + entry.unit) + "\n";
  }
  return comment_lines(heading) + tree.text() + (idle.empty() ? "" : "# without effect here\n" + idle);
}

std::string KeyTable::print_changed(const std::string& heading, const PathText& path_text) const {
  constexpr std::size_t longest_place = 200;
  Tree tree;
  for (const Entry& entry : entries_) {
    if (entry.binding->yaml() == entry.default_yaml || missing_uses(entry) != nullptr) continue;
    const std::string value = yaml_of(*entry.binding, path_text);
    const std::string from = entry.place.empty() ? "from others" : printable(entry.place, longest_place);
    tree.add(entry.key, value, entry.unit.empty() ? from : entry.unit_comment() + "; " + from);
  }
  return comment_lines(heading) + (tree.text().empty() ? "# every key has its default\n" : tree.text());
}

nlohmann::ordered_json KeyTable::json(const PathText& path_text) const {
  nlohmann::ordered_json tree = nlohmann::ordered_json::object();
  for (const Entry& entry : entries_) {
    nlohmann::ordered_json* place = &tree;
    for (const std::string& part : parts_of(entry.key)) place = &(*place)[part];
    const std::string path = entry.binding->relative_path();
    *place = path.empty() ? entry.binding->json() : nlohmann::ordered_json(path_text(path));
  }
  return tree;
}

}  // namespace tsuji::config
