// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/config/key_entry.h"
#include "tsuji/config/quantity.h"

namespace tsuji::config {
namespace {

using Json = nlohmann::ordered_json;

Json empty_section() {
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
}

/// The pattern of exactly this text.
std::string pattern_of(const std::string& dotted) {
  std::string pattern = "^";
  for (const char character : dotted) pattern += character == '.' ? "\\." : std::string(1, character);
  return pattern + "$";
}

/// Allows the dotted form of a key or section in each section above it. A pattern, unlike a property, is not
/// proposed by an editor.
void allow_dotted(Json& root, const std::string& path) {
  std::string target = "#";
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    target += "/properties/" + path.substr(begin, end - begin);
    begin = end + 1;
  }
  Json* section = &root;
  std::size_t begin = 0;
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
    (*section)["patternProperties"][pattern_of(path.substr(begin))] = {{"$ref", target}};
    section = &(*section)["properties"][path.substr(begin, dot - begin)];
    begin = dot + 1;
  }
}

/// The section of a key, made with all above it.
Json& section_of(Json& root, const std::string& key) {
  Json* section = &root;
  std::size_t begin = 0;
  for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', begin)) {
    Json& properties = (*section)["properties"];
    const std::string name = key.substr(begin, dot - begin);
    begin = dot + 1;
    if (!properties.contains(name)) {
      properties[name] = empty_section();
      allow_dotted(root, key.substr(0, dot));
    }
    section = &properties[name];
  }
  return *section;
}

/// "; only with topology.kind mesh, torus": one for all uses that a key must have.
std::string uses_text(const std::vector<KeyTable::Uses>& all) {
  std::string text;
  for (const KeyTable::Uses& uses : all) {
    std::string alternatives;
    for (const KeyTable::Use& use : uses) {
      alternatives += (alternatives.empty() ? "" : " or ") + use.selector;
      if (use.words.empty()) alternatives += " set";
      for (std::size_t i = 0; i < use.words.size(); ++i)
        alternatives += (i == 0 ? " " : ", ") + (use.words[i].empty() ? "\"\"" : use.words[i]);
    }
    text += "; only with " + alternatives;
  }
  return text;
}

/// Accepts a text as well: the number with a unit.
void allow_quantities(Json& schema, const std::string& unit) {
  std::string units = unit;
  for (const char letter : "|" + units_beside(unit)) {
    if (letter == ',') continue;
    units += letter == ' ' ? '|' : letter;
  }
  if (units.back() == '|') units.pop_back();
  const std::string pattern = "^[0-9.]+([eE][-+]?[0-9]+)? ?(" + units + ")$";
  if (schema.contains("anyOf")) {
    schema["anyOf"].push_back({{"type", "string"}, {"pattern", pattern}});
  } else {
    schema["type"] = Json::array({schema["type"], "string"});
    schema["pattern"] = pattern;
  }
}

}  // namespace

Json KeyTable::json_schema(const std::string& title) const {
  Json root = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
  root.update(empty_section());
  for (const Entry& entry : entries_) {
    Json schema = entry.binding->schema();
    if (entry.takes_units()) allow_quantities(schema, entry.unit);
    schema["default"] = entry.default_json;
    schema["description"] =
        entry.meaning + (entry.unit.empty() ? "" : "; unit: " + entry.unit) + uses_text(entry.uses);
    section_of(root, entry.key)["properties"][entry.key.substr(entry.key.rfind('.') + 1)] = std::move(schema);
    allow_dotted(root, entry.key);
  }
  return root;
}

}  // namespace tsuji::config
