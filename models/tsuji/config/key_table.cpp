// SPDX-License-Identifier: Apache-2.0
#include "tsuji/config/key_table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "tsuji/config/bindings.h"
#include "tsuji/config/key_entry.h"
#include "tsuji/core/refusals.h"

namespace tsuji::config {
namespace {

/// Levenshtein distance.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string last_part(const std::string& key) {
  return key.substr(key.rfind('.') + 1);
}

/// Edit distance of two keys: of whole keys, or of last parts if the section is missing or differs.
std::size_t unlikeness(const std::string& wanted, const std::string& known) {
  return std::min(distance(wanted, known), distance(last_part(wanted), last_part(known)) + 1);
}

/// "vc buffer-size" and "VC_BUFFER_SIZE" are one word.
std::string normalized(const std::string& word) {
  std::string text;
  for (const char letter : word) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0)
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

/// Returns true if the last part of `key` begins with that of `wanted`: "traffic.load", or "load" alone.
bool begins_key(const std::string& wanted, const std::string& key) {
  const std::string part = last_part(wanted);
  if (part.size() < 4 || last_part(key).rfind(part + "_", 0) != 0) return false;
  return wanted == part || key.rfind(wanted, 0) == 0;
}

/// ", did you mean 'a' or 'b'?": up to three words that are like `wanted`, the most alike first; empty if
/// none is.
std::string nearest_words(const std::string& wanted, const std::vector<std::string>& words,
                          const std::vector<std::pair<std::string, std::string>>& also) {
  constexpr std::size_t most_words = 3;
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const auto& [name, word] : also) {
    if (name != wanted) continue;
    if (std::find(words.begin(), words.end(), word) == words.end()) return ": " + word;
    near.emplace_back(0, word);
  }
  if (near.empty()) {
    for (const std::string& word : words) {
      // A part of a word, or a word with something around it, is like it, however much is missing.
      const bool part = wanted.size() >= 3 && word.size() >= 3 &&
                        (word.find(wanted) != std::string::npos || wanted.find(word) != std::string::npos);
      const std::size_t unlike = part ? 1 : distance(wanted, word);
      if (unlike <= std::max<std::size_t>(1, std::min(wanted.size(), word.size()) / 2))
        near.emplace_back(unlike, word);
    }
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(near.size(), most_words); ++i)
    text += (i == 0 ? ", did you mean '" : " or '") + near[i].second + "'";
  return text.empty() ? "" : text + "?";
}

InputValue command_line_value(const std::string& text, bool list, const std::string& place) {
  if (!list) return InputValue::of(InputValue::Kind::unquoted, text, place);
  InputValue value = InputValue::of(InputValue::Kind::list, "", place);
  std::string inner = text;
  if (inner.size() >= 2 && inner.front() == '[' && inner.back() == ']')
    inner = inner.substr(1, inner.size() - 2);
  if (inner.empty()) return value;
  for (std::size_t begin = 0; begin <= inner.size();) {
    const std::size_t comma = std::min(inner.find(',', begin), inner.size());
    const std::size_t first = std::min(inner.find_first_not_of(' ', begin), comma);
    // Elements get no separate place: a message shows the place of the list.
    value.elements.push_back(
        InputValue::of(InputValue::Kind::unquoted, inner.substr(first, comma - first), ""));
    begin = comma + 1;
  }
  return value;
}

/// As a message shows it among others.
std::string shown(const std::string& word) {
  return word.empty() ? "\"\"" : word;
}

}  // namespace

KeyTable::KeyTable() = default;
KeyTable::~KeyTable() = default;

void KeyTable::add(Text key, unsigned& field, Range<unsigned> range, Text unit, Text meaning) {
  insert(key, std::make_unique<UnsignedBinding<unsigned>>(field, range), unit, meaning);
}

void KeyTable::add(Text key, std::uint64_t& field, Range<std::uint64_t> range, Text unit, Text meaning) {
  insert(key, std::make_unique<UnsignedBinding<std::uint64_t>>(field, range), unit, meaning);
}

void KeyTable::add(Text key, std::optional<std::uint64_t>& field, Range<std::uint64_t> range, Text word,
                   Text unit, Text meaning) {
  insert(key, std::make_unique<OptionalUnsignedBinding<std::uint64_t>>(field, range, std::string(word)), unit,
         meaning);
}

void KeyTable::add(Text key, std::optional<bool>& field, Text word, Text meaning) {
  insert(key, std::make_unique<OptionalBoolBinding>(field, std::string(word)), "", meaning);
}

void KeyTable::add(Text key, double& field, Range<double> range, Text unit, Text meaning) {
  insert(key, std::make_unique<DoubleBinding>(field, range), unit, meaning);
}

void KeyTable::add(Text key, bool& field, Text meaning) {
  insert(key, std::make_unique<BoolBinding>(field), "", meaning);
}

void KeyTable::add(Text key, std::string& field, Text meaning) {
  insert(key, std::make_unique<StringBinding>(field), "", meaning);
}

void KeyTable::add_path(Text key, std::string& field, Text meaning) {
  insert(key, std::make_unique<PathBinding>(field), "", meaning);
}

void KeyTable::add(Text key, std::vector<unsigned>& field, Range<unsigned> each, Range<unsigned> length,
                   Text unit, Text meaning) {
  insert(key, std::make_unique<UnsignedListBinding>(field, each, length), unit, meaning);
}

void KeyTable::insert_choice(Text key, std::unique_ptr<ChoiceBinding> binding, Text meaning) {
  if (!binding->has_word())
    throw ModelError("configuration", std::string(key) + ": the default is not one of the words");
  insert(key, std::move(binding), "", meaning);
}

void KeyTable::insert(Text name, std::unique_ptr<Binding> binding, Text unit, Text meaning) {
  const std::string key(name);
  const auto mistake = [&](const char* what) {
    throw ModelError("configuration", "key '" + key + "' " + what);
  };
  if (Entry* const entry = find(key)) {
    if (scope_ == nullptr || !entry->of_kinds) mistake("is in the table twice");
    return share(*entry, std::move(binding), unit, meaning);
  }
  if (has_section(key)) mistake("is also a section");
  auto place = entries_.end();
  for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1)) {
    const std::string section = key.substr(0, dot);
    if (find(section) != nullptr) mistake("lies below another key");
    if (has_section(section)) place = end_of_section(section);
  }
  Entry entry;
  entry.key = key;
  entry.unit = unit;
  entry.meaning = meaning;
  entry.default_yaml = binding->yaml();
  entry.default_json = binding->json();
  entry.binding = std::move(binding);
  if (scope_ != nullptr) add_kind_words(entry);
  by_key_[key] = &*entries_.insert(place, std::move(entry));
  for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1))
    sections_.insert(key.substr(0, dot));
}

void KeyTable::add_kind_words(Entry& entry) {
  const std::vector<std::string> words = scope_->words_of(entry.key);
  if (words.empty()) throw ModelError("configuration", "no kind reads key '" + entry.key + "'");
  if (!entry.of_kinds) entry.uses.emplace_back();
  entry.of_kinds = true;
  Uses& uses = entry.uses[0];
  auto own = std::find_if(uses.begin(), uses.end(),
                          [&](const Use& use) { return use.selector == scope_->selector; });
  if (own == uses.end()) own = uses.insert(uses.end(), {scope_->selector, {}});
  own->words.insert(own->words.end(), words.begin(), words.end());
}

void KeyTable::share(Entry& entry, std::unique_ptr<Binding> binding, Text unit, Text meaning) {
  const auto require_same = [&](const char* what, const std::string& before, const std::string& now) {
    if (before == now) return;
    throw ModelError("configuration", "two kinds have a key '" + entry.key + "', whose " + what + " is '" +
                                          before + "' in one and '" + now +
                                          "' in the other: one of them needs another name");
  };
  require_same("type", entry.binding->type(), binding->type());
  require_same("unit", entry.unit, std::string(unit));
  require_same("range", entry.binding->accepted(), binding->accepted());
  require_same("default", entry.default_yaml, binding->yaml());
  if (entry.meaning.find(meaning) == std::string::npos) entry.meaning.append("; ").append(meaning);
  entry.others.push_back(std::move(binding));
  add_kind_words(entry);
}

void KeyTable::add_of_kinds(const std::string& selector, const std::function<void()>& add,
                            const WordsOf& words_of) {
  if (find(selector) == nullptr) throw ModelError("configuration", "there is no key '" + selector + "'");
  const KindsScope scope{selector, words_of};
  const KindsScope* const outer = std::exchange(scope_, &scope);
  try {
    add();
  } catch (...) {
    scope_ = outer;
    throw;
  }
  scope_ = outer;
}

void KeyTable::move_before(const std::string& key, const std::string& next) {
  const auto place = [&](const auto& begin, const std::string& wanted) {
    return std::find_if(begin, entries_.end(), [&](const Entry& entry) { return entry.key == wanted; });
  };
  const auto to = place(entries_.begin(), next), from = place(to, key);
  if (from == entries_.end() || from == to)
    throw ModelError("configuration", "key '" + key + "' is not listed after '" + next + "'");
  entries_.splice(to, entries_, from);
}

KeyTable::Entry* KeyTable::find(const std::string& key) {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : found->second;
}

const KeyTable::Entry* KeyTable::find(const std::string& key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : found->second;
}

bool KeyTable::has_key(const std::string& key) const {
  return find(key) != nullptr;
}

bool KeyTable::has_section(const std::string& section) const {
  return sections_.count(section) != 0;
}

std::list<KeyTable::Entry>::iterator KeyTable::end_of_section(const std::string& section) {
  const std::string prefix = section + ".";
  const auto last = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
    return entry.key.compare(0, prefix.size(), prefix) == 0;
  });
  return last.base();
}

bool KeyTable::had_section(const std::string& section) const {
  const std::string prefix = section + ".";
  return std::any_of(renames_.begin(), renames_.end(), [&](const Rename& rename) {
    return rename.kind == Rename::Kind::key && rename.before.compare(0, prefix.size(), prefix) == 0;
  });
}

void KeyTable::renamed(const std::vector<Rename>& renames) {
  for (const Rename& rename : renames) {
    if (rename.kind != Rename::Kind::option && has_key(rename.key_now())) renames_.push_back(rename);
  }
}

void KeyTable::searched_as(const std::vector<std::pair<std::string, std::string>>& words) {
  for (const auto& [word, key] : words) {
    if (has_key(key)) words_.emplace_back(normalized(word), key);
  }
}

std::vector<std::string> KeyTable::keys_searched_as(const std::string& word) const {
  const std::string wanted = normalized(word);
  std::vector<std::string> keys;
  for (const auto& [known, key] : words_) {
    if (known == wanted && !wanted.empty() && std::find(keys.begin(), keys.end(), key) == keys.end())
      keys.push_back(key);
  }
  return keys;
}

std::string KeyTable::probable_key(const std::string& wanted) const {
  constexpr std::size_t longest_key = 200;  // longer words are not misspelt keys
  if (wanted.size() > longest_key) return "";
  for (const std::string& word : {normalized(wanted), normalized(last_part(wanted))}) {
    for (const auto& [known, key] : words_)
      if (known == word) return key;
  }
  for (const Entry& entry : entries_)
    if (begins_key(wanted, entry.key)) return entry.key;
  std::string nearest;
  std::size_t least = std::max<std::size_t>(3, last_part(wanted).size() / 2 + 1);
  const auto consider = [&](const std::string& known) {
    const std::size_t unlike = unlikeness(wanted, known);
    if (unlike >= least) return;
    least = unlike;
    nearest = known;
  };
  for (const Entry& entry : entries_) {
    consider(entry.key);
    for (std::size_t dot = entry.key.find('.'); dot != std::string::npos;
         dot = entry.key.find('.', dot + 1)) {
      consider(entry.key.substr(0, dot));
    }
  }
  return nearest;
}

void KeyTable::refuse_unknown(const std::string& key, const std::string& value,
                              const std::string& place) const {
  if (const Rename* const rename = find_rename(renames_, Rename::Kind::key, key))
    throw ConfigError(key, value, rename->problem(), rename->accepted).at(place);
  const std::string nearest = probable_key(key);
  throw ConfigError(key, value,
                    nearest.empty() ? "unknown key" : "unknown key, did you mean '" + nearest + "'?",
                    "the keys that --list-keys shows")
      .at(place);
}

void KeyTable::set(const std::string& key, const InputValue& value, Layer layer) {
  Entry* const entry = find(key);
  if (entry == nullptr) {
    if (!has_section(key)) refuse_unknown(key, value.shown(), value.place);
    throw ConfigError(key, value.shown(), "a section, not a key", "the keys '" + key + ".*' below it")
        .at(value.place);
  }
  const bool again = entry->layer == layer && layer != from_assignments;
  // An option like --seed and an assignment have no order.
  if (again || (layer == from_option && entry->layer == from_assignments)) {
    throw ConfigError(key, value.shown(), "set twice, first at " + entry->place, "one value").at(value.place);
  }
  assign(*entry, value, layer);
}

/// Notes a number with a unit. Returns false for any other value.
bool KeyTable::take_quantity(Entry& entry, const InputValue& value) {
  if (!entry.takes_units() || value.kind != InputValue::Kind::unquoted) return false;
  const std::optional<Quantity> quantity = read_quantity(value.text);
  if (!quantity) return false;
  if (!in_unit(*quantity, entry.unit, 1, 1))
    throw ValueProblem{"not in " + entry.unit + ", nor in " + units_beside(entry.unit), value.place};
  entry.written = quantity;
  return true;
}

/// Sets the key to the value that was written with a unit.
void KeyTable::settle_quantity(Entry& entry, double cycle_ps) {
  const Entry* const bits = find("link.flit_bits");
  const double flit_bits = bits == nullptr ? 0 : std::stod(bits->binding->yaml());
  const std::string written = entry.written->text();
  const std::optional<double> exact = in_unit(*entry.written, entry.unit, cycle_ps, flit_bits);
  if (!exact)
    throw ConfigError(entry.key, written,
                      cycle_ps == 0 ? "a time, and the configuration has no clock"
                                    : "a data rate, and the configuration has no link.flit_bits",
                      entry.binding->accepted())
        .at(entry.place);
  const bool whole = entry.binding->type().compare(0, 7, "integer") == 0;
  const double value = whole ? std::round(*exact) : *exact;
  constexpr double most_difference = 0.05;
  if (std::abs(value - *exact) > most_difference * std::abs(*exact))
    throw ConfigError(entry.key, written,
                      double_text(*exact) + " " + entry.unit + ", more than 5 % from a whole number",
                      entry.binding->accepted() + " " + entry.unit)
        .at(entry.place);
  const std::optional<Quantity> kept = entry.written;
  const auto layer = static_cast<Layer>(entry.layer);
  // A whole number that is too large for 64 bits is refused as text.
  const std::string text = whole && std::abs(value) < 0x1p63
                               ? std::to_string(static_cast<std::int64_t>(value))
                               : double_text(value);
  try {
    assign(entry, InputValue::of(InputValue::Kind::unquoted, text, entry.place), layer);
  } catch (const ConfigError& error) {
    throw ConfigError(entry.key, written, text + " " + entry.unit + ": " + error.problem(), error.accepted())
        .at(entry.place);
  }
  entry.written = kept;
}

/// The clock first, by which times become cycles.
void KeyTable::settle_quantities() {
  Entry* const clock = find("clock_period_ps");
  Refusals refusals;
  if (clock != nullptr && clock->written) settle_quantity(*clock, 0);
  const double cycle_ps = clock == nullptr ? 0 : std::stod(clock->binding->yaml());
  for (Entry& entry : entries_) {
    if (entry.written && entry.key != "clock_period_ps")
      refusals.take([&] { settle_quantity(entry, cycle_ps); });
  }
  refusals.refuse();
}

void KeyTable::assign(Entry& entry, const InputValue& value, Layer layer) {
  try {
    entry.written.reset();
    if (!take_quantity(entry, value)) {
      entry.binding->set(value);
      for (const auto& other : entry.others) other->set(value);
    }
  } catch (const ValueProblem& problem) {
    const std::vector<std::string> words = entry.binding->words();
    const Rename* const rename = find_rename(renames_, Rename::Kind::value, entry.key + "=" + value.text);
    if (rename != nullptr)
      throw ConfigError(entry.key, value.shown(), rename->problem(), rename->accepted).at(value.place);
    const std::string nearest =
        words.empty() || value.text.size() > 100 ? "" : nearest_words(value.text, words, entry.also);
    throw ConfigError(entry.key, value.shown(), problem.problem + nearest, entry.binding->accepted())
        .at(problem.place.empty() ? value.place : problem.place);
  }
  entry.place = value.place;
  entry.layer = layer;
}

void KeyTable::also_called(const std::string& key, std::vector<std::pair<std::string, std::string>> names) {
  if (Entry* const entry = find(key)) entry->also = std::move(names);
}

void KeyTable::set_from_command_line(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string place = "--set " + assignment;
  if (equals == std::string::npos || equals == 0) {
    const std::string key = equals == 0 || assignment.empty() ? "key" : assignment;
    throw ConfigError("", "", "not an assignment", "--set " + key + "=value, in one word").at(place);
  }
  const std::string key = assignment.substr(0, equals), text = assignment.substr(equals + 1);
  set(key, command_line_value(text, is_list(key), place), from_assignments);
}

void KeyTable::set_from_command_line(const std::string& key, const std::string& text,
                                     const std::string& place) {
  set(key, command_line_value(text, is_list(key), place), from_option);
}

bool KeyTable::is_list(const std::string& key) const {
  const Entry* entry = find(key);
  return entry != nullptr && entry->binding->type() == "list";
}

void KeyTable::only_with(const std::string& keys, const Uses& uses) {
  for (const Use& use : uses) {
    if (find(use.selector) == nullptr)
      throw ModelError("configuration",
                       "key '" + keys + "' depends on '" + use.selector + "', which is not a key");
  }
  const bool whole = keys.size() > 2 && keys.compare(keys.size() - 2, 2, ".*") == 0;
  bool any = false;
  for (Entry& entry : entries_) {
    if (whole ? entry.key.compare(0, keys.size() - 1, keys, 0, keys.size() - 1) != 0 : entry.key != keys)
      continue;
    any = true;
    // A part that several kinds have says its own condition with each of them.
    if (std::find(entry.uses.begin(), entry.uses.end(), uses) == entry.uses.end()) entry.uses.push_back(uses);
  }
  if (!any) throw ModelError("configuration", "there is no key '" + keys + "'");
}

void KeyTable::default_with(const std::string& key, const Use& use, const std::string& value) {
  Entry* const entry = find(key);
  if (entry == nullptr || find(use.selector) == nullptr)
    throw ModelError("configuration", "no default of '" + key + "' depends on '" + use.selector + "'");
  entry->other_defaults.emplace_back(use, value);
  entry->meaning += "; default " + value + " with " + use.selector;
  for (const std::string& word : use.words) entry->meaning += " " + word;
}

void KeyTable::settle_defaults() {
  settle_quantities();
  for (const Entry& entry : entries_) {
    for (const auto& [use, value] : entry.other_defaults)
      if (entry.layer < 0 && has_word(use))
        entry.binding->set(InputValue::of(InputValue::Kind::unquoted, value, ""));
  }
}

bool KeyTable::Entry::takes_units() const {
  const std::string type = binding->type();
  const bool is_number = type.compare(0, 7, "integer") == 0 || type.compare(0, 6, "number") == 0;
  return is_number && !units_beside(unit).empty();
}

std::string KeyTable::Entry::unit_comment() const {
  return unit + (written ? "; " + written->text() : "");
}

std::string KeyTable::Entry::word() const {
  const nlohmann::ordered_json value = binding->json();
  return value.is_string() ? value.get<std::string>() : binding->yaml();
}

bool KeyTable::has_word(const Use& use) const {
  const std::string word = find(use.selector)->word();
  if (use.words.empty()) return !word.empty();
  return std::find(use.words.begin(), use.words.end(), word) != use.words.end();
}

const KeyTable::Uses* KeyTable::missing_uses(const Entry& entry) const {
  for (const Uses& uses : entry.uses) {
    const Uses* missing = &uses;
    for (const Use& use : uses) {
      // The selector may itself decide nothing: its word alone would not help then.
      const Uses* const of_selector = missing_uses(*find(use.selector));
      if (has_word(use) || (of_selector != nullptr && uses.size() == 1)) missing = of_selector;
      if (missing == nullptr) break;
    }
    if (missing != nullptr) return missing;
  }
  return nullptr;
}

void KeyTable::refuse_idle() const {
  Refusals refusals;
  for (const Entry& entry : entries_) {
    const Uses* const missing = entry.layer < 0 ? nullptr : missing_uses(entry);
    if (missing == nullptr) continue;
    std::string now, wanted;
    for (const Use& use : *missing) {
      now += (now.empty() ? "" : " and ") + use.selector + " " + shown(find(use.selector)->word());
      wanted += use.selector + " ";
      if (use.words.empty()) wanted += "set, ";
      for (const std::string& word : use.words) wanted += shown(word) + ", ";
    }
    refusals.take([&] {
      throw ConfigError(entry.key, entry.word(), "has no effect with " + now, wanted + "or the key left out")
          .at(entry.place);
    });
  }
  refusals.refuse();
}

ConfigError KeyTable::placed(const ConfigError& error) const {
  const Entry* entry = find(error.key());
  if (entry == nullptr || error.has_place()) return error;
  return error.at(entry->place.empty() ? "default" : entry->place);
}

void KeyTable::check(const std::function<void()>& validate) const {
  try {
    validate();
  } catch (const ConfigErrors& errors) {
    Refusals refusals;
    for (const ConfigError& error : errors.all()) refusals.take([&] { throw placed(error); });
    refusals.refuse();
  } catch (const ConfigError& error) {
    throw placed(error);
  }
}

}  // namespace tsuji::config
