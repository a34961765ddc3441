#include <algorithm>
#include <sstream>

#include "tsuji/config/key_entry.h"

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

std::string KeyTable::list_keys() const {
  std::string text;
  for (const Entry& entry : entries_) {
    text += entry.key + "\n    " + entry.meaning + "\n    type: " + entry.binding->type();
    if (!entry.unit.empty()) text += "; unit: " + entry.unit;
    text += "; default: " + entry.default_yaml + "; accepted: " + entry.binding->accepted() + "\n";
  }
  return text;
}

std::string KeyTable::print(const std::string& heading) const {
  std::string text;
  std::istringstream lines(heading);
  for (std::string line; std::getline(lines, line);) text += "# " + line + "\n";
  std::vector<std::string> before;
  std::string idle;
  for (const Entry& entry : entries_) {
    const std::string value = entry.binding->yaml() + (entry.unit.empty() ? "" : "  # " + entry.unit) + "\n";
    if (missing_uses(entry) != nullptr) {
      idle += "# " + entry.key + ": " + value;
      continue;
    }
    const std::vector<std::string> parts = parts_of(entry.key);
    text += section_lines(before, parts);
    text += std::string(2 * (parts.size() - 1), ' ') + parts.back() + ": " + value;
    before = parts;
  }
  return text + (idle.empty() ? "" : "# without effect here\n" + idle);
}

nlohmann::ordered_json KeyTable::json() const {
  nlohmann::ordered_json tree = nlohmann::ordered_json::object();
  for (const Entry& entry : entries_) {
    nlohmann::ordered_json* place = &tree;
    for (const std::string& part : parts_of(entry.key)) place = &(*place)[part];
    *place = entry.binding->json();
  }
  return tree;
}

}  // namespace tsuji::config
