// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/classes_config.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>
#include <vector>

#include "tsuji/config/word_list.h"
#include "tsuji/core/error.h"

namespace tsuji::network {
namespace {

constexpr const char* classes_form =
    "NAME vcs FIRST-LAST [priority N] [weight N] [share N] [answer NAME] [flits N] [queue N] [delay N], with "
    "commas between classes";

[[noreturn]] void refuse_list(const std::string& value, const std::string& problem,
                              const std::string& accepted) {
  throw ConfigError("classes.list", value, problem, accepted);
}

/// The text of one class.
class MessageClassReader {
 public:
  explicit MessageClassReader(const std::string& item) : item_(item), words_(config::words_of(item)) {}

  struct Read {
    MessageClass values;
    std::string answer;           ///< name of the answering class; empty: none
    std::set<std::string> given;  ///< names of the values in the text
  };
  Read read() {
    if (words_.size() % 2 == 0 || words_.size() < 3)
      refuse_list(item_, "not a class of messages", classes_form);
    Read read;
    read.values.name = words_.front();
    if (read.values.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
      refuse_list(words_.front(), "not a name", "small letters, digits and _");
    for (std::size_t at = 1; at < words_.size(); at += 2) {
      if (!read.given.insert(words_[at]).second)
        refuse_list(words_[at], "given twice for a class", classes_form);
      take(words_[at], words_[at + 1], read);
    }
    if (read.given.count("vcs") == 0) refuse_list(item_, "a class without virtual channels", classes_form);
    return read;
  }

 private:
  void take(const std::string& name, const std::string& value, Read& read) const {
    MessageClass& one = read.values;
    if (name == "vcs") return take_vcs(value, one);
    if (name == "answer") {
      read.answer = value;
    } else if (name == "priority") {
      one.priority = number(name, value, 0, 255);
    } else if (name == "weight") {
      one.weight = number(name, value, 1, 255);
    } else if (name == "share") {
      one.share = number(name, value, 0, 1'000'000);
    } else if (name == "flits") {
      one.flits = number(name, value, 1, 65'535);
    } else if (name == "queue") {
      one.queue = number(name, value, 1, 65'535);
    } else if (name == "delay") {
      one.delay_cycles = number(name, value, 0, 1'000'000);
    } else {
      refuse_list(name, "not a value of a class", classes_form);
    }
  }
  void take_vcs(const std::string& value, MessageClass& one) const {
    const std::size_t dash = value.find('-');
    one.first_vc = number("vcs", value.substr(0, dash), 0, 15);
    const unsigned last =
        dash == std::string::npos ? one.first_vc : number("vcs", value.substr(dash + 1), 0, 15);
    if (last < one.first_vc) refuse_list("vcs " + value, "an empty range", "FIRST-LAST, FIRST up to LAST");
    one.vcs = last - one.first_vc + 1;
  }
  static unsigned number(const std::string& name, const std::string& value, unsigned least, unsigned most) {
    unsigned number = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc() || stop != end || number < least || number > most)
      refuse_list(name + " " + value, "not a number in range",
                  name + " " + std::to_string(least) + ".." + std::to_string(most));
    return number;
  }

  const std::string& item_;
  const std::vector<std::string> words_;
};

using Reads = std::vector<MessageClassReader::Read>;

void link_answers(Reads& reads) {
  for (auto& read : reads) {
    if (read.answer.empty()) continue;
    const auto found = std::find_if(reads.begin(), reads.end(),
                                    [&](const auto& other) { return other.values.name == read.answer; });
    if (found == reads.end())
      refuse_list("answer " + read.answer, "there is no such class", "a name of the list");
    read.values.answer = static_cast<unsigned>(found - reads.begin());
  }
  for (const auto& read : reads) {
    std::size_t steps = 0;
    for (auto next = read.values.answer; next; next = reads[*next].values.answer)
      if (++steps > reads.size())
        refuse_list("answer " + read.answer, "its answers are answered forever", "answers that end");
  }
}

/// Two classes share all of their virtual channels, and then priority and weight, or none.
void check_sets(const std::vector<MessageClass>& all, unsigned vcs) {
  unsigned used = 0;
  for (const MessageClass& one : all) {
    if (one.first_vc + one.vcs > vcs)
      refuse_list(one.name, "uses virtual channel " + std::to_string(one.first_vc + one.vcs - 1),
                  "0.." + std::to_string(vcs - 1) + ", or more router.vcs");
    used |= one.vc_mask();
    for (const MessageClass& other : all) {
      if (one.vc_mask() == other.vc_mask()) {
        if (one.priority != other.priority || one.weight != other.weight)
          refuse_list(
              one.name,
              "has another priority or weight than " + other.name + ", with which it shares virtual channels",
              "equal values, or other virtual channels");
      } else if ((one.vc_mask() & other.vc_mask()) != 0) {
        refuse_list(one.name, "shares some of its virtual channels with " + other.name,
                    "all of them, or none");
      }
    }
  }
  for (unsigned vc = 0; vc < vcs; ++vc)
    if ((used >> vc & 1U) == 0)
      refuse_list("vcs", "no class uses virtual channel " + std::to_string(vc),
                  "classes for all of router.vcs (" + std::to_string(vcs) + ")");
}

/// Values of a class that have no effect, and those that are missing.
void check_values(const Reads& reads, const MessageClasses& classes) {
  std::set<bool> lengths;  // generated classes with and without a length of their own
  for (unsigned c = 0; c < reads.size(); ++c) {
    const MessageClassReader::Read& read = reads[c];
    const bool answers = classes.answers(c);
    for (const char* value : {"queue", "delay"})
      if (!answers && read.given.count(value) != 0)
        refuse_list(read.values.name + " " + value, "no class is answered by this one",
                    std::string("no ") + value + ", or answer " + read.values.name + " in another class");
    if (answers && read.values.flits == 0)
      refuse_list(read.values.name, "answers without a length", "flits N");
    if (read.values.share != 0) lengths.insert(read.values.flits != 0);
  }
  if (lengths.empty()) refuse_list("share 0", "no class is generated", "a share above 0 for one of them");
  if (lengths.size() > 1)
    refuse_list("flits", "some of the generated classes have a length, and others that of traffic.length",
                "flits N for all classes with a share, or for none of them");
}

}  // namespace

MessageClasses ClassesConfig::read(unsigned vcs) const {
  MessageClasses classes;
  if (!on()) return classes;
  Reads reads;
  for (const std::string& item : config::items_of(list)) {
    reads.push_back(MessageClassReader(item).read());
    for (std::size_t other = 0; other + 1 < reads.size(); ++other)
      if (reads[other].values.name == reads.back().values.name)
        refuse_list(reads.back().values.name, "the class is given twice", "each class once");
  }
  if (reads.size() > MessageClasses::most)
    refuse_list(std::to_string(reads.size()) + " classes", "too many",
                "up to " + std::to_string(MessageClasses::most));
  link_answers(reads);
  for (const auto& read : reads) classes.all.push_back(read.values);
  // An answer is not generated, too, unless the list says so.
  for (unsigned c = 0; c < reads.size(); ++c)
    if (classes.answers(c) && reads[c].given.count("share") == 0)
      classes.all[c].share = reads[c].values.share = 0;
  check_sets(classes.all, vcs);
  check_values(reads, classes);
  return classes;
}

void ClassesConfig::add_keys(config::KeyTable& keys) {
  keys.add("classes.list", list,
           "classes of messages, as \"request vcs 0-1 answer reply, reply vcs 2-3 flits 5\"; vcs: virtual "
           "channels of the class; priority, weight: for router.sa_allocator strict_priority (a higher one "
           "goes first) and weighted_round_robin; share: share of the generated packets (0 for answers); "
           "answer: class with which a node answers; flits: length; queue: answers that may wait at a node "
           "(8); delay: cycles from a packet's arrival to its answer");
  keys.add("classes.starvation_cycles", starvation_cycles, {1, 1'000'000'000}, "cycles",
           "time for which a source may have packets of a class in flight without an arrival before the "
           "class is reported as starved");
}

}  // namespace tsuji::network
