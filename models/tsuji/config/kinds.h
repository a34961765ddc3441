// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/core/error.h"

namespace tsuji::config {

/// Table of the kinds of a part that a word of the configuration selects: topologies, routings, patterns. The
/// table is a value without global state: a project adds its own kinds to a copy.
///
/// A kind is a copyable struct whose members are its parameters, with
///
///     void add_keys(KeyTable& keys);        // binds the members to keys; optional
///     void validate() const;                // throws ConfigError; optional
///     Product make(Given...) const;         // throws ConfigError
///
/// Several words may share one struct. `Traits` is a copyable struct with further properties of a word, and
/// with two static texts: `selector`, the name of the key that selects, and `unknown`, the refusal of any
/// other word.
template <class Traits, class Product, class... Given>
class Kinds {
 public:
  /// A word of the configuration that selects a kind.
  template <class P>
  struct Word {
    std::string name;  ///< The word.
    /// Member function that makes the product; ConfigError for parameters that do not fit.
    Product (P::*make)(Given...) const;
    /// Names of the struct's keys that this word reads, without their section; empty: all keys.
    std::string keys;
    Traits traits = {};  ///< Further properties of the word.
  };

  Kinds() = default;
  Kinds(Kinds&&) = default;
  Kinds& operator=(Kinds&&) = default;
  /// Copies words and parameters; the keys of `other` stay bound to its own parameters.
  Kinds(const Kinds& other) : rows_(other.rows_) {
    for (const auto& family : other.families_) families_.push_back(family->clone());
  }
  /// Replaces words and parameters by copies of those of `other`.
  Kinds& operator=(const Kinds& other) { return *this = Kinds(other); }

  /// Adds words that share the parameters of one struct.
  template <class P>
  void add(const std::vector<Word<P>>& words) {
    auto family = std::make_unique<FamilyOf<P>>();
    for (const Word<P>& word : words) {
      require_new(word.name);
      rows_.push_back({word.name, families_.size(), family->makers.size(), word.keys, word.traits});
      family->makers.push_back(word.make);
    }
    families_.push_back(std::move(family));
  }
  /// Adds one word.
  template <class P>
  void add(const std::string& name, const Traits& traits = {}) {
    add<P>({{name, &P::make, "", traits}});
  }

  /// All words in the order in which they were added.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const Row& row : rows_) result.push_back(row.name);
    return result;
  }
  /// The names as pairs for KeyTable::add_choice().
  std::vector<std::pair<std::string, std::string>> words() const {
    std::vector<std::pair<std::string, std::string>> result;
    for (const Row& row : rows_) result.emplace_back(row.name, row.name);
    return result;
  }
  /// Properties of a word. Throws ConfigError for an unknown word.
  const Traits& traits(const std::string& name) const { return find(name).traits; }

  /// Parameters of the words that were added with struct P. Throws ModelError if there are none.
  template <class P>
  P& of() {
    return family_of<P>(*this).parameters;
  }
  /// Parameters of the words that were added with struct P. Throws ModelError if there are none.
  template <class P>
  const P& of() const {
    return family_of<P>(*this).parameters;
  }

  /// Binds the keys of all kinds; each key has an effect only with the words that read it. The selector's key
  /// must have been added before. The key table holds references to this object's parameters.
  void add_keys(KeyTable& keys) {
    const std::string selector = Traits::selector;
    const std::string section = selector.substr(0, selector.rfind('.') + 1);
    for (std::size_t family = 0; family < families_.size(); ++family) {
      keys.add_of_kinds(
          selector, [&] { families_[family]->add_keys(keys); },
          [&](const std::string& key) { return readers(family, section, key); });
    }
  }

  /// Throws ConfigError for an unknown word, or for parameters that the selected kind refuses.
  void validate(const std::string& name) const { families_[find(name).family]->validate(); }
  /// Makes the product of a word with its parameters. Throws ConfigError for an unknown word, and for
  /// parameters that do not fit `given`.
  Product make(const std::string& name, Given... given) const {
    const Row& row = find(name);
    return families_[row.family]->make(row.maker, given...);
  }

 private:
  struct Family {
    virtual ~Family() = default;
    virtual std::unique_ptr<Family> clone() const = 0;
    virtual void add_keys(KeyTable& keys) = 0;
    virtual void validate() const = 0;
    virtual Product make(std::size_t maker, Given... given) const = 0;
  };

  template <class P, class = void>
  struct HasKeys : std::false_type {};
  template <class P>
  struct HasKeys<P, std::void_t<decltype(std::declval<P&>().add_keys(std::declval<KeyTable&>()))>>
      : std::true_type {};
  template <class P, class = void>
  struct HasValidate : std::false_type {};
  template <class P>
  struct HasValidate<P, std::void_t<decltype(std::declval<const P&>().validate())>> : std::true_type {};

  template <class P>
  struct FamilyOf final : Family {
    P parameters;
    std::vector<Product (P::*)(Given...) const> makers;

    std::unique_ptr<Family> clone() const override { return std::make_unique<FamilyOf>(*this); }
    void add_keys([[maybe_unused]] KeyTable& keys) override {
      if constexpr (HasKeys<P>::value) parameters.add_keys(keys);
    }
    void validate() const override {
      if constexpr (HasValidate<P>::value) parameters.validate();
    }
    Product make(std::size_t maker, Given... given) const override {
      return (parameters.*makers[maker])(given...);
    }
  };

  struct Row {
    std::string name;
    std::size_t family, maker;
    std::string keys;
    Traits traits;
  };

  const Row& find(const std::string& name) const {
    for (const Row& row : rows_) {
      if (row.name == name) return row;
    }
    throw ConfigError(Traits::selector, name, Traits::unknown, words_text(names()));
  }

  void require_new(const std::string& name) const {
    for (const Row& row : rows_) {
      if (row.name == name)
        throw ModelError("configuration", std::string(Traits::selector) + " has two kinds '" + name + "'");
    }
  }

  template <class P, class Self>
  static auto& family_of(Self& self) {
    for (auto& family : self.families_) {
      if (auto* found = dynamic_cast<FamilyOf<P>*>(family.get())) {
        // A const table returns const parameters.
        return static_cast<std::conditional_t<std::is_const_v<Self>, const FamilyOf<P>, FamilyOf<P>>&>(
            *found);
      }
    }
    throw ModelError("configuration",
                     std::string(Traits::selector) + " has no kind with the parameters that are asked for");
  }

  /// Words of a family that read a key.
  std::vector<std::string> readers(std::size_t family, const std::string& section,
                                   const std::string& key) const {
    std::vector<std::string> result;
    for (const Row& row : rows_) {
      if (row.family != family) continue;
      bool reads = row.keys.empty();
      std::istringstream names(row.keys);
      for (std::string name; names >> name;) reads = reads || section + name == key;
      if (reads) result.push_back(row.name);
    }
    return result;
  }

  std::vector<Row> rows_;
  std::vector<std::unique_ptr<Family>> families_;
};

}  // namespace tsuji::config
