// SPDX-License-Identifier: Apache-2.0
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "tsuji/config/key_table.h"
#include "tsuji/core/input_file.h"
#include "tsuji/core/refusals.h"

namespace tsuji::config {
namespace {

/// Empty for a pipe, which is in no folder.
std::string folder_of(const std::string& file) {
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(file, error);
  return is_file ? std::filesystem::path(file).parent_path().string() : "";
}

/// Takes the parser's events instead of its node tree: a tree forgets duplicate keys and resolves aliases
/// silently.
class Reader final : public YAML::EventHandler {
 public:
  Reader(KeyTable& keys, std::string name, Refusals& refusals)
      : keys_(&keys), name_(std::move(name)), folder_(folder_of(name_)), refusals_(refusals) {}
  Reader(const TableOf& table_of, std::string name, Refusals& refusals)
      : table_of_(&table_of), name_(std::move(name)), folder_(folder_of(name_)), refusals_(refusals) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) refuse(mark, "", "more than one document", "one document of nested maps");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    if (skipped_ > 0) return;
    // yaml-cpp gives an empty value no position, so the position of its key is used.
    const bool behind_key = !in_list_ && !maps_.empty() && maps_.back().has_key;
    value(mark, InputValue::of(InputValue::Kind::null, "", behind_key ? key_place_ : place(mark)));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "", "an alias (*name) is not supported", "the value written out");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    refuse_anchor(mark, anchor);
    if (skipped_ > 0) return;
    // yaml-cpp's own marks: "?" for a scalar without quotes, "!" for one in quotes or a block
    if (tag != "?" && tag != "!") refuse(mark, tag, "a tag is not supported", "the value without it");
    if (expects_key()) return key(mark, text);
    value(mark, InputValue::of(tag == "?" ? InputValue::Kind::unquoted : InputValue::Kind::quoted, text,
                               place(mark)));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_anchor(mark, anchor);
    if (skipped_ > 0) return begin_skipped();
    if (tag != "?" && !tag.empty()) refuse(mark, tag, "a tag is not supported", "the value without it");
    if (expects_key()) refuse(mark, "", "a list cannot be a key", "key: value");
    if (maps_.empty()) refuse(mark, "", "a list is not a configuration", "a map of keys");
    if (in_list_) refuse(mark, "", "a list within a list", "a list of scalars");
    in_list_ = true;
    list_ = InputValue::of(InputValue::Kind::list, "", place(mark));
  }

  void OnSequenceEnd() override {
    if (skipped_ > 0) return end_skipped();
    in_list_ = false;
    finish(list_);
  }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_anchor(mark, anchor);
    if (skipped_ > 0) return begin_skipped();
    if (tag != "?" && !tag.empty()) refuse(mark, tag, "a tag is not supported", "the value without it");
    if (expects_key()) refuse(mark, "", "a map cannot be a key", "key: value");
    if (in_list_) refuse(mark, "", "a map within a list", "a list of scalars");
    if (is_outermost() && !maps_.empty()) {
      keys_ = &(*table_of_)(path_, key_place_);
      maps_.push_back({"", {}, false});
      return;
    }
    if (!maps_.empty()) {
      if (keys_->has_key(path_)) refuse(mark, "", "a map where a value belongs", "one value");
      if (!keys_->has_section(path_) && !keys_->had_section(path_)) {
        refusals_.take([&] { keys_->refuse_unknown(path_, "", key_place_); });
        return begin_skipped();
      }
    }
    maps_.push_back({path_, {}, false});
  }

  void OnMapEnd() override {
    if (skipped_ > 0) return end_skipped();
    maps_.pop_back();
    if (!maps_.empty()) maps_.back().has_key = false;
  }

 private:
  struct Map {
    std::string path;
    std::map<std::string, std::string> places;  ///< of the keys so far
    bool has_key;                               ///< and now comes its value
  };

  std::string place(const YAML::Mark& mark) const {
    return name_ + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
  }

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& value, const std::string& problem,
                           const std::string& accepted) const {
    throw ConfigError(maps_.empty() ? "" : path_, value, problem, accepted).at(place(mark));
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != 0) refuse(mark, "", "an anchor (&name) is not supported", "the value written out");
  }

  bool expects_key() const { return !in_list_ && !maps_.empty() && !maps_.back().has_key; }

  void key(const YAML::Mark& mark, const std::string& text) {
    Map& map = maps_.back();
    path_ = map.path.empty() ? text : map.path + "." + text;
    key_place_ = place(mark);
    if (text == "<<") refuse(mark, "", "a merge key (<<) is not supported", "the keys written out");
    if (text.empty()) refuse(mark, "", "an empty key", "key: value");
    const auto [first, is_new] = map.places.emplace(text, key_place_);
    if (!is_new) refuse(mark, "", "set twice, first at " + first->second, "one value");
    map.has_key = true;
  }

  void value(const YAML::Mark& mark, InputValue value) {
    if (in_list_) {
      list_.elements.push_back(std::move(value));
    } else if (maps_.empty()) {
      // A document of nothing but comments is an empty configuration.
      if (value.kind != InputValue::Kind::null) {
        refuse(mark, value.shown(), "a single value is not a configuration", "a map of keys");
      }
    } else if (expects_key()) {
      refuse(mark, "null", "not a key", "key: value");
    } else {
      finish(value);
    }
  }

  void finish(InputValue value) {
    value.folder = folder_;
    maps_.back().has_key = false;
    if (is_outermost())
      return refusals_.take([&] {
        throw ConfigError(path_, value.shown(), "a value where a section belongs", "a map of keys")
            .at(key_place_);
      });
    refusals_.take([&] {
      if (!keys_->has_key(path_) && !keys_->has_section(path_))
        keys_->refuse_unknown(path_, value.shown(), key_place_);
      keys_->set(path_, value, KeyTable::from_file);
    });
  }

  /// In a file of sections with a table each, true for the map of the sections themselves.
  bool is_outermost() const { return table_of_ != nullptr && maps_.size() <= 1; }

  /// The contents of an unknown key are not checked.
  void begin_skipped() { ++skipped_; }
  void end_skipped() {
    if (--skipped_ == 0) maps_.back().has_key = false;
  }

  KeyTable* keys_ = nullptr;           ///< of the section at hand, if there are several tables
  const TableOf* table_of_ = nullptr;  ///< null: one table for the whole file
  const std::string name_, folder_;
  std::vector<Map> maps_;
  std::string path_, key_place_;
  InputValue list_;
  bool in_list_ = false;
  unsigned documents_ = 0;
  Refusals& refusals_;
  unsigned skipped_ = 0;  ///< maps and lists that are open below an unknown key
};

}  // namespace

namespace {

/// Returns true if the indentation of a line contains a tab.
bool is_indented_by_tab(const std::string& text, int line) {
  std::istringstream lines(text);
  std::string found;
  for (int i = 0; i <= line && std::getline(lines, found); ++i) {
  }
  const std::string blanks = found.substr(0, std::min(found.find_first_not_of(" \t"), found.size()));
  return blanks.find('\t') != std::string::npos;
}

/// Translates a message of yaml-cpp into the terms of a configuration.
std::string accepted_instead(const std::string& message, bool by_tab) {
  if (by_tab) return "blanks in front of a key, no tabs";
  if (message.find("illegal map value") != std::string::npos)
    return "one 'key: value' per line; quotes around a value that contains ': '";
  if (message.find("end of map") != std::string::npos)
    return "keys of a section on lines of equal indentation, with a blank after the colon";
  if (message.find("block") != std::string::npos || message.find("tab") != std::string::npos)
    return "blanks in front of a key, no tabs";
  return "nested maps of keys and values";
}

}  // namespace

namespace {

/// `target` is a table, or the function that gives each section its table.
template <class Target>
void read_text(Target& target, const std::string& text, const std::string& name) {
  std::istringstream stream(text);
  Refusals refusals;
  refusals.take([&] {
    try {
      YAML::Parser parser(stream);
      Reader reader(target, name, refusals);
      while (parser.HandleNextDocument(reader)) {
      }
    } catch (const YAML::Exception& error) {
      const YAML::Mark& mark = error.mark;
      throw ConfigError("", "", "malformed YAML: " + error.msg,
                        accepted_instead(error.msg, is_indented_by_tab(text, mark.line)))
          .at(mark.is_null()
                  ? name
                  : name + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1));
    }
  });
  refusals.refuse();
}

constexpr std::size_t most_bytes = std::size_t{1} << 24;

}  // namespace

void read_yaml_text(KeyTable& keys, const std::string& text, const std::string& name) {
  read_text(keys, text, name);
}

void read_yaml_file(KeyTable& keys, const std::string& path) {
  read_yaml_text(keys, read_input_file(path, "", "a YAML file", most_bytes), path);
}

void read_yaml_sections(const TableOf& table_of, const std::string& path, const std::string& key) {
  read_text(table_of, read_input_file(path, key, "a YAML file", most_bytes), path);
}

}  // namespace tsuji::config
