// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>

#include "support/catch.h"
#include "support/temporary_folder.h"
#include "tsuji/core/error.h"
#include "tsuji/observe/wave_file.h"

using namespace tsuji;
using namespace tsuji::observe;
using tsuji::test::TemporaryFolder;

namespace {

struct Signals {
  SignalId head, port, name, fill;
};

Signals add_signals(Wave& wave) {
  Signals signals{};
  signals.head = wave.add("net.s0.head", 1, WaveFormat::binary, "Switch 0");
  signals.port = wave.add("net.s0.port", 4, WaveFormat::hex, "Switch 0");
  signals.name = wave.add("net.packet", 0, WaveFormat::text, "Packets");
  signals.fill = wave.add("net.s0.fill", 8, WaveFormat::analog, "");
  wave.name_value(signals.port, 10, "TEN");
  return signals;
}

/// Sets changes for later times, out of order, twice for one time, to an equal value and back to an earlier
/// one.
void play(Wave& wave, const Signals& signals) {
  wave.change(signals.port, 300, 10);
  wave.change(signals.name, 100, "0.1 \"a\\b\"");
  wave.change(signals.name, 400, "");
  wave.change(signals.head, 100, 1);
  wave.change(signals.head, 200, 0);
  wave.change(signals.port, 200, 7);
  wave.change(signals.port, 200, 5);
  wave.advance(200);
  wave.change(signals.fill, 200, 0);
  wave.change(signals.head, 250, 1);
  wave.change(signals.head, 250, 0);
  wave.change(signals.port, 500, 1);
  wave.advance(600);
}

constexpr char header[] =
    "$version tsuji $end\n$timescale 1ps $end\n$scope module net $end\n$var string 1 # packet $end\n"
    "$scope module s0 $end\n$var wire 1 ! head $end\n$var wire 4 \" port [3:0] $end\n$var wire 8 $ fill "
    "[7:0] $end\n"
    "$upscope $end\n$upscope $end\n$enddefinitions $end\n";

std::string written(const TemporaryFolder& folder, WaveWindow window) {
  const auto wave = open_wave_file({folder.file("w"), WaveFileFormat::vcd, window});
  play(*wave, add_signals(*wave));
  wave->close();
  return folder.text("w.vcd");
}

/// Value changes of a VCD in a form independent of identifiers, leading zeros and the order within one time:
/// "time path value", sorted within a time.
std::vector<std::string> changes_of(const std::string& vcd) {
  std::map<std::string, std::string> paths;
  std::vector<std::string> scopes;
  std::multiset<std::string> now;
  std::vector<std::string> all;
  std::string time;
  bool values = false;
  std::istringstream stream(vcd);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::vector<std::string> word{std::istream_iterator<std::string>(words), {}};
    if (word.empty()) continue;
    if (word[0] == "$scope") scopes.push_back(word[2]);
    if (word[0] == "$upscope") scopes.pop_back();
    if (word[0] == "$var") {
      for (const auto& scope : scopes) paths[word[3]] += scope + ".";
      paths[word[3]] += word[4];
      if (word[5] != "$end") paths[word[3]] += word[5];
    }
    if (word[0] == "$enddefinitions") values = true;
    if (!values) continue;
    if (word[0][0] == '#') {
      all.insert(all.end(), now.begin(), now.end());
      now.clear();
      time = word[0];
    } else if (word[0][0] == 'b' || word[0][0] == 's') {
      std::string value = word[0].substr(1);
      if (word[0][0] == 'b') value.erase(0, std::min(value.find('1'), value.size() - 1));
      now.insert(time + " " + paths.at(word[1]) + " " + value);
    } else if (word[0][0] == '0' || word[0][0] == '1') {
      now.insert(time + " " + paths.at(word[0].substr(1)) + " " + word[0][0]);
    }
  }
  all.insert(all.end(), now.begin(), now.end());
  all.push_back("end " + time);
  return all;
}

bool have_fst2vcd() {
  return std::system("command -v fst2vcd > /dev/null 2>&1") == 0;
}

void random_run(Wave& wave, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<SignalId> signals;
  const std::array<unsigned, 6> widths = {1, 2, 8, 33, 64, 0};
  for (unsigned i = 0; i < 60; ++i) {
    const unsigned width = widths[i % widths.size()];
    const std::string path = "top.m" + std::to_string(i % 7) + ".s" + std::to_string(i);
    signals.push_back(
        wave.add(path, width, width == 0 ? WaveFormat::text : WaveFormat::hex, i % 2 == 0 ? "g" : ""));
  }
  Picoseconds now = 0;
  for (unsigned step = 0; step < 3000; ++step) {
    const auto i = static_cast<unsigned>(random() % signals.size());
    const unsigned width = widths[i % widths.size()];
    const Picoseconds time = now + random() % 400;
    if (width == 0) {
      const std::uint64_t length = random() % 6;
      std::string text;
      for (unsigned c = 0; c < length; ++c) text += static_cast<char>(' ' + random() % 95);
      wave.change(signals[i], time, text);
    } else {
      wave.change(signals[i], time, random() >> (64 - width));
    }
    if (random() % 5 == 0) wave.advance(now += random() % 50);
  }
}

/// Keeps the changes, to make them again in order of time.
class Sorter final : public Wave {
 public:
  explicit Sorter(Wave& to) : to_(to) {}
  SignalId add(const std::string& path, unsigned width_bits, WaveFormat format,
               const std::string& group) override {
    return to_.add(path, width_bits, format, group);
  }
  void change(SignalId signal, Picoseconds time, std::uint64_t value) override {
    calls_.push_back({time, signal, value, {}});
  }
  void change(SignalId signal, Picoseconds time, const std::string& text) override {
    calls_.push_back({time, signal, 0, WaveText(text)});
  }
  void name_value(SignalId, std::uint64_t, const std::string&) override {}
  void advance(Picoseconds time) override { passed_ = time; }
  /// Makes all changes, those at one time by one call, some of them before others at that time.
  void close() override {
    std::stable_sort(calls_.begin(), calls_.end(),
                     [](const Call& a, const Call& b) { return a.time < b.time; });
    std::vector<Change> changes;
    for (std::size_t c = 0; c < calls_.size(); ++c) {
      const Call& call = calls_[c];
      changes.push_back({call.signal, call.value, call.text ? &*call.text : nullptr});
      if (c + 1 < calls_.size() && calls_[c + 1].time == call.time) continue;
      make(call.time, changes);
      changes.clear();
    }
    to_.advance(passed_);
    to_.close();
  }

 private:
  void make(Picoseconds time, std::vector<Change>& changes) {
    const auto by_signal = [](const Change& a, const Change& b) { return a.signal < b.signal; };
    std::stable_sort(changes.begin(), changes.end(), by_signal);
    std::vector<const Change*> last;
    for (std::size_t c = 0; c < changes.size(); ++c)
      if (c + 1 == changes.size() || changes[c + 1].signal != changes[c].signal) last.push_back(&changes[c]);
    const std::size_t waiting = time % 3 == 0 ? last.size() / 2 : 0;
    to_.change_each(time, last.data(), waiting);
    to_.change_at_once(time, last.data() + waiting, last.size() - waiting);
  }
  struct Call {
    Picoseconds time;
    SignalId signal;
    std::uint64_t value;
    std::optional<WaveText> text;
  };
  Wave& to_;
  std::vector<Call> calls_;
  Picoseconds passed_ = 0;
};

}  // namespace

TEST_CASE("a VCD has the changes in order of time, the last call for a time, and only real changes") {
  const TemporaryFolder folder;
  CHECK(written(folder, {}) ==
        std::string(header) +
            "#0\n$dumpvars\n0!\nb0 \"\ns #\nb0 $\n$end\n#100\n1!\ns0.1\\040\\\"a\\\\b\\\" #\n"
            "#200\n0!\nb101 \"\n#300\nb1010 \"\n#400\ns #\n#500\nb1 \"\n#600\n");
}

TEST_CASE("a window begins with the values at its start and ends with its last change") {
  const TemporaryFolder folder;
  CHECK(written(folder, {150, 400}) ==
        std::string(header) +
            "#150\n$dumpvars\n1!\nb0 \"\ns0.1\\040\\\"a\\\\b\\\" #\nb0 $\n$end\n"
            "#200\n0!\nb101 \"\n#300\nb1010 \"\n#400\ns #\n");
  CHECK(written(folder, {200, 299}) ==
        std::string(header) + "#200\n$dumpvars\n0!\nb101 \"\ns0.1\\040\\\"a\\\\b\\\" #\nb0 $\n$end\n#299\n");
  CHECK(written(folder, {1000, 2000}) ==
        std::string(header) + "#1000\n$dumpvars\n0!\nb1 \"\ns #\nb0 $\n$end\n");
}

TEST_CASE("the order of calls within a time does not change the file") {
  const TemporaryFolder folder;
  std::string files[2];
  for (const bool reversed : {false, true}) {
    const auto wave = open_wave_file({folder.file("w"), WaveFileFormat::vcd, {}});
    std::vector<SignalId> signals;
    for (const char* path : {"a", "b", "c"}) signals.push_back(wave->add(path, 8, WaveFormat::hex, ""));
    for (Picoseconds time = 10; time < 100; time += 10) {
      std::vector<SignalId> order = signals;
      if (reversed) std::reverse(order.begin(), order.end());
      for (const SignalId signal : order) wave->change(signal, time, time + signal);
      wave->advance(time);
    }
    wave->close();
    files[reversed ? 1 : 0] = folder.text("w.vcd");
  }
  CHECK(files[0] == files[1]);
}

TEST_CASE("changes made for any later time give the file of the changes sorted by time") {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const TemporaryFolder folder;
    WaveWindow window;
    if (seed >= 2) window = {1000 * seed, 1000 * seed + 7000};
    const auto wave = open_wave_file({folder.file("direct"), WaveFileFormat::vcd, window});
    random_run(*wave, seed);
    wave->close();
    const auto file = open_wave_file({folder.file("sorted"), WaveFileFormat::vcd, window});
    Sorter sorter(*file);
    random_run(sorter, seed);
    sorter.close();
    REQUIRE(folder.text("direct.vcd") == folder.text("sorted.vcd"));
  }
}

TEST_CASE("an FST has the content of the VCD, and equal bytes every time") {
  if (!have_fst2vcd()) {
    WARN("fst2vcd (package gtkwave) is not here: FST files are not compared");
    return;
  }
  for (unsigned seed = 0; seed < 6; ++seed) {
    const TemporaryFolder folder;
    WaveWindow window;
    if (seed >= 2) window = {1000 * seed, 1000 * seed + 7000};
    for (const char* name : {"v", "f", "again"}) {
      const auto format = *name == 'v' ? WaveFileFormat::vcd : WaveFileFormat::fst;
      const auto wave = open_wave_file({folder.file(name), format, window});
      random_run(*wave, seed);
      wave->close();
    }
    const std::string command =
        "fst2vcd " + folder.file("f.fst") + " > " + folder.file("back.vcd") + " 2> /dev/null";
    REQUIRE(std::system(command.c_str()) == 0);
    REQUIRE(changes_of(folder.text("back.vcd")) == changes_of(folder.text("v.vcd")));
    // One picosecond, for any white space.
    std::string head = folder.text("back.vcd").substr(0, 500);
    head.erase(
        std::remove_if(head.begin(), head.end(), [](char c) { return c == ' ' || c == '\n' || c == '\t'; }),
        head.end());
    CHECK_THAT(head, Catch::Contains("$timescale1ps$end"));
    CHECK_THAT(head, Catch::Contains("$versiontsuji$end"));
    REQUIRE(changes_of(folder.text("v.vcd")).size() > 500);
    REQUIRE(folder.text("f.fst") == folder.text("again.fst"));
  }
}

TEST_CASE("the save file groups and labels, and names files without their folder") {
  const TemporaryFolder folder;
  const auto wave = open_wave_file({folder.file("w"), WaveFileFormat::fst, {}});
  const SignalId state = wave->add("net.s0.state", 3, WaveFormat::binary, "Switches");
  const SignalId kind = wave->add("net.s1.kind", 8, WaveFormat::hex, "Switches");
  const SignalId other = wave->add("net.s1.other", 8, WaveFormat::hex, "Switches");
  wave->add("net.count", 16, WaveFormat::decimal, "Counters");
  wave->add("net.fill", 16, WaveFormat::analog, "Counters");
  wave->add("net.packet", 0, WaveFormat::text, "Packets");
  wave->add("net.hidden", 1, WaveFormat::binary, "");
  wave->name_value(state, 2, "ROUTE");
  for (const SignalId signal : {kind, other}) {
    wave->name_value(signal, 0, "single cast");
    wave->name_value(signal, 31, "multicast");
  }
  wave->change(state, 1180 * 8, 1);
  wave->close();
  const std::string text = folder.text("w.gtkw");
  CHECK(text.find("[dumpfile] \"/w.fst\"\n[savefile] \"/w.gtkw\"\n[timestart] 0\n") != std::string::npos);
  CHECK(text.find("\n*-10.643856 0 -1") != std::string::npos);  // 2^10.64 ps in 200 pixels: 9440 ps in 1180
  CHECK(text.substr(text.find("@800200")) ==
        "@800200\n-Switches\n@2028\n^1 /w.names1.txt\n+{s0/state[2:0]} net.s0.state[2:0]\n@2022\n^2 "
        "/w.names2.txt\n"
        "+{s1/kind[7:0]} net.s1.kind[7:0]\n^2 /w.names2.txt\n+{s1/other[7:0]} "
        "net.s1.other[7:0]\n@1000200\n-Switches\n"
        "@800200\n-Counters\n@24\nnet.count[15:0]\n@8024\nnet.fill[15:0]\n@20000\n-\n-\n@1000200\n-Counters\n"
        "@800200\n-Packets\n@820\nnet.packet\n@1000200\n-Packets\n");
  CHECK(folder.text("w.names1.txt") == "010 ROUTE\n");
  CHECK(folder.text("w.names2.txt") == "00 single cast\n1F multicast\n");
  CHECK_FALSE(std::filesystem::exists(folder.file("w.names3.txt")));
}

TEST_CASE("a save file that opens on a view has its signals first, its time, and all groups folded") {
  const TemporaryFolder folder;
  const auto wave = open_wave_file({folder.file("w"), WaveFileFormat::vcd, {}});
  const SignalId a = wave->add("net.a", 1, WaveFormat::binary, "One");
  wave->add("net.b", 1, WaveFormat::binary, "Two");
  wave->add("other.c.d", 1, WaveFormat::binary, "");
  wave->add("net.e.f", 1, WaveFormat::binary, "");
  wave->change(a, 5000, std::uint64_t{1});
  wave->open_on({{{"packet 1.0", {"net.b", "net.none", "other.c.d"}},
                  {"nothing", {"net.none"}},
                  {"gateway", {"net.e.f", "net.a"}}},
                 2000,
                 9000,
                 "net."});
  wave->close();
  const std::string text = folder.text("w.gtkw");
  CHECK(text.find("[timestart] 2000\n") != std::string::npos);
  CHECK(text.find("\n*-8.990032 2000 -1") != std::string::npos);  // up to 5000, where the waveform ends
  CHECK(text.substr(text.find("@800200")) ==
        "@800200\n-packet 1.0\n@28\nnet.b\n+{other/c/d} other.c.d\n@1000200\n-packet 1.0\n"
        "@800200\n-gateway\n@28\n+{e/f} net.e.f\nnet.a\n@1000200\n-gateway\n"
        "@c00200\n-One\n@28\nnet.a\n@1401200\n-One\n@c00200\n-Two\n@28\nnet.b\n@1401200\n-Two\n");
  const TemporaryFolder other;
  const auto without = open_wave_file({other.file("w"), WaveFileFormat::vcd, {}});
  without->add("net.a", 1, WaveFormat::binary, "One");
  without->open_on({{{"packet 1.0", {"net.none"}}}, 0, 10, ""});
  without->close();
  CHECK(other.text("w.gtkw").find("@800200\n-One\n") != std::string::npos);
}

TEST_CASE("identifiers of many signals are different, and all changes are those of their signals") {
  const TemporaryFolder folder;
  const auto wave = open_wave_file({folder.file("w"), WaveFileFormat::vcd, {}});
  std::vector<SignalId> signals;
  for (unsigned i = 0; i < 9200; ++i)
    signals.push_back(wave->add("s" + std::to_string(i), 16, WaveFormat::hex, ""));
  for (const SignalId signal : signals) wave->change(signal, 10, signal + 1);
  wave->close();
  std::map<std::string, std::string> names;
  std::map<std::string, std::string> values;
  std::istringstream text(folder.text("w.vcd"));
  bool later = false;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::vector<std::string> word{std::istream_iterator<std::string>(words), {}};
    if (word[0] == "$var") {
      CHECK(names.emplace(word[3], word[4]).second);
      for (const char c : word[3]) REQUIRE((c >= '!' && c <= '~'));
    }
    later = later || line == "#10";
    if (later && line[0] == 'b') values[names.at(word[1])] = word[0].substr(1);
  }
  CHECK(names.size() == 9200);
  unsigned wrong = 0;
  for (const SignalId signal : signals)
    wrong += std::stoul(values.at("s" + std::to_string(signal)), nullptr, 2) != signal + 1;
  CHECK(wrong == 0);
}

TEST_CASE("the save file's marker is at the configured time, otherwise at the beginning") {
  const auto marker = [](std::optional<Picoseconds> at) {
    const TemporaryFolder folder;
    WaveFileConfig config{folder.file("w"), WaveFileFormat::vcd, {}};
    config.window.from = 1000;
    config.marker = at;
    const auto wave = open_wave_file(config);
    const SignalId signal = wave->add("a", 1, WaveFormat::binary, "g");
    wave->change(signal, 5000, std::uint64_t{1});
    wave->close();
    const std::string text = folder.text("w.gtkw");
    const std::size_t zoom = text.find("\n*");
    return text.substr(text.find(' ', zoom), 6);
  };
  CHECK(marker({}) == " 1000 ");
  CHECK(marker(4321) == " 4321 ");
}

TEST_CASE("labels of a group omit the scopes that all of its signals share") {
  const auto labels = [](const std::vector<std::string>& paths) {
    const TemporaryFolder folder;
    const auto wave = open_wave_file({folder.file("w"), WaveFileFormat::vcd, {}});
    for (const std::string& path : paths) wave->add(path, 1, WaveFormat::binary, "g");
    wave->close();
    const std::string text = folder.text("w.gtkw");
    const std::size_t from = text.find("-g\n@28\n") + 7;
    return text.substr(from, text.find("@1000200", from) - from);
  };
  CHECK(labels({"net.a", "net.b"}) == "net.a\nnet.b\n");
  CHECK(labels({"net.r1.a", "net.r2.a"}) == "+{r1/a} net.r1.a\n+{r2/a} net.r2.a\n");
  CHECK(labels({"net.r1.a", "net.b"}) == "+{r1/a} net.r1.a\nnet.b\n");
  CHECK(labels({"net.r1.in.a", "net.r1.b"}) == "+{in/a} net.r1.in.a\nnet.r1.b\n");
  CHECK(labels({"x.a", "y.a"}) == "+{x/a} x.a\n+{y/a} y.a\n");
  CHECK(labels({"a", "x.b"}) == "a\n+{x/b} x.b\n");
  CHECK(labels({"ab.c.d", "a.c.d"}) == "+{ab/c/d} ab.c.d\n+{a/c/d} a.c.d\n");
}

namespace {

void change_at_once(Wave& wave, Picoseconds time, const std::vector<Wave::Change>& changes) {
  std::vector<const Wave::Change*> places;
  for (const Wave::Change& change : changes) places.push_back(&change);
  wave.change_at_once(time, places.data(), places.size());
}

}  // namespace

TEST_CASE("a waveform refuses signals and values that it cannot show") {
  const TemporaryFolder folder;
  const auto wave = open_wave_file({folder.file("w"), WaveFileFormat::vcd, {}});
  const Signals signals = add_signals(*wave);
  CHECK_THROWS_AS(wave->add("net.s0.head", 1, WaveFormat::hex, ""), ModelError);
  CHECK_THROWS_AS(wave->add("net..x", 1, WaveFormat::hex, ""), ModelError);
  CHECK_THROWS_AS(wave->add("a b", 1, WaveFormat::hex, ""), ModelError);
  CHECK_THROWS_AS(wave->add("net.wide", 65, WaveFormat::hex, ""), ModelError);
  CHECK_THROWS_AS(wave->add("net.narrow", 0, WaveFormat::hex, ""), ModelError);
  for (const char* path : {"", ".a", "a.", "a\tb", "a\nb"})
    CHECK_THROWS_AS(wave->add(path, 1, WaveFormat::hex, ""), ModelError);
  const SignalId widest = wave->add("net.widest", 64, WaveFormat::hex, "");
  CHECK_NOTHROW(wave->change(widest, 5, ~std::uint64_t{0}));
  CHECK_THROWS_AS(wave->change(signals.port, 10, 16), ModelError);
  CHECK_THROWS_AS(wave->change(signals.port, 10, "text"), ModelError);
  CHECK_THROWS_AS(wave->change(signals.name, 10, 1), ModelError);
  CHECK_THROWS_AS(change_at_once(*wave, 10, {{signals.head, 1, nullptr}, {signals.port, 16, nullptr}}),
                  ModelError);
  CHECK_THROWS_AS(change_at_once(*wave, 10, {{signals.head, 1, nullptr}, {signals.name, 1, nullptr}}),
                  ModelError);
  const WaveText text("text");
  CHECK_THROWS_AS(change_at_once(*wave, 10, {{signals.head, 1, nullptr}, {signals.port, 0, &text}}),
                  ModelError);
  CHECK_NOTHROW(change_at_once(*wave, 10, {}));
  wave->advance(100);
  wave->advance(50);  // time does not go back
  CHECK_THROWS_AS(change_at_once(*wave, 110, {{signals.head, 1, nullptr}, {signals.port, 16, nullptr}}),
                  ModelError);
  CHECK_THROWS_AS(wave->change(signals.port, 99, 1), ModelError);
  CHECK_THROWS_AS(change_at_once(*wave, 99, {{signals.port, 1, nullptr}}), ModelError);
  wave->change(signals.port, 100, 1);
  CHECK_THROWS_AS(wave->add("net.late", 1, WaveFormat::hex, ""), ModelError);
  change_at_once(*wave, 120, {{signals.port, 2, nullptr}});
  CHECK_THROWS_AS(wave->change(signals.port, 120, 3), ModelError);
  CHECK_NOTHROW(wave->change(signals.port, 121, 3));
  wave->close();
  CHECK_THROWS_AS(wave->change(signals.port, 200, 1), ModelError);
  const std::string closed = folder.text("w.vcd");
  wave->advance(1000);
  wave->close();
  CHECK(folder.text("w.vcd") == closed);
  for (const auto format : {WaveFileFormat::vcd, WaveFileFormat::fst}) {
    CHECK_THROWS_AS(open_wave_file({folder.file("none/w"), format, {}}), ConfigError);
  }
}

TEST_CASE("a waveform reports whether a signal changes within its window") {
  const auto shows_change = [](WaveWindow window,
                               std::initializer_list<std::pair<Picoseconds, std::uint64_t>> changes) {
    const TemporaryFolder folder;
    const auto wave = open_wave_file({folder.file("w"), WaveFileFormat::vcd, window});
    const SignalId signal = wave->add("top.count", 8, WaveFormat::decimal, "");
    for (const auto& [time, value] : changes) wave->change(signal, time, value);
    wave->close();
    return wave->shows_change();
  };
  CHECK_FALSE(shows_change({}, {}));
  CHECK_FALSE(shows_change({}, {{0, 4}}));  // the level at its beginning
  CHECK(shows_change({}, {{0, 4}, {10, 5}}));
  CHECK_FALSE(shows_change({}, {{0, 4}, {10, 4}}));
  CHECK_FALSE(shows_change({20, 30}, {{0, 4}, {10, 5}}));
  CHECK_FALSE(shows_change({20, 30}, {{0, 4}, {20, 5}}));
  CHECK(shows_change({20, 30}, {{0, 4}, {21, 5}}));
  CHECK_FALSE(shows_change({20, 30}, {{0, 4}, {31, 5}}));
}
