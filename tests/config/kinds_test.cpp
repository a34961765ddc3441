// SPDX-License-Identifier: Apache-2.0
#include "tsuji/config/kinds.h"
#include "support/thrown.h"

#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::config;

namespace {

struct ShapeTraits {
  static constexpr const char* selector = "shape.kind";
  static constexpr const char* unknown = "unknown shape";
  int corners = 0;
};
/// A shape's area times a factor.
using Shapes = Kinds<ShapeTraits, unsigned, unsigned>;

struct Box {
  unsigned width = 2, height = 3;
  void add_keys(KeyTable& keys) {
    keys.add("shape.width", width, {1, 100}, "m", "box, square: width");
    keys.add("shape.height", height, {1, 100}, "m", "box: height");
  }
  void validate() const {
    if (height > 50) throw ConfigError("shape.height", std::to_string(height), "too high", "1..50");
  }
  unsigned box(unsigned factor) const { return factor * width * height; }
  unsigned square(unsigned factor) const { return factor * width * width; }
};

/// Also reads a key of the boxes.
struct Frame {
  unsigned width = 2, border = 1;
  void add_keys(KeyTable& keys) {
    keys.add("shape.border", border, {1, 9}, "m", "frame: border");
    keys.add("shape.width", width, {1, 100}, "m", "frame: width");
    keys.only_with("shape.border", {{"size", {"big"}}});
  }
  unsigned make(unsigned factor) const { return factor * width + border; }
};

struct Point {
  unsigned make(unsigned) const { return 0; }
};

Shapes shapes() {
  Shapes all;
  all.add<Box>({{"box", &Box::box, "", {4}}, {"square", &Box::square, "width", {4}}});
  all.add<Frame>("frame", {8});
  all.add<Point>("point");
  return all;
}

/// The keys of a machine with one shape.
struct Machine {
  Shapes all;
  std::string kind = "box", size = "big";
  KeyTable keys;

  explicit Machine(Shapes some = shapes()) : all(std::move(some)) {
    keys.add("size", size, "size of it");
    keys.add_choice("shape.kind", kind, all.words(), "which shape");
    all.add_keys(keys);
  }
  Machine& set(const std::string& assignment) {
    keys.set_from_command_line(assignment);
    return *this;
  }
  std::string idle() {
    return tsuji::test::text_of<ConfigError>([&] { keys.refuse_idle(); });
  }
};

}  // namespace

TEST_CASE("a kind is made by its name, from the parameters that its keys have set") {
  Machine machine;
  CHECK(machine.all.names() == std::vector<std::string>{"box", "square", "frame", "point"});
  CHECK(machine.all.make("box", 10) == 60);
  machine.set("shape.width=5").set("shape.height=7");
  CHECK(machine.all.make("box", 1) == 35);
  CHECK(machine.all.make("square", 1) == 25);
  CHECK(machine.all.make("point", 1) == 0);
  CHECK(machine.all.of<Box>().height == 7);
  CHECK(machine.all.traits("frame").corners == 8);
  CHECK(machine.all.traits("point").corners == 0);
}

TEST_CASE("a key has an effect only with the kinds that read it") {
  const std::string wide = "shape.width=5", high = "shape.height=5", border = "shape.border=5";
  CHECK(Machine().set(wide).set(high).idle().empty());
  CHECK(Machine().set("shape.kind=square").set(wide).idle().empty());
  CHECK_THAT(Machine().set("shape.kind=square").set(high).idle(),
             Catch::Contains("has no effect with shape.kind square") &&
                 Catch::Contains("accepted: shape.kind box, or"));
  CHECK_THAT(Machine().set("shape.kind=point").set(wide).idle(),
             Catch::Contains("accepted: shape.kind box, square, frame, or"));
  CHECK_THAT(Machine().set(border).idle(), Catch::Contains("accepted: shape.kind frame, or"));
  CHECK(Machine().set("shape.kind=frame").set(border).idle().empty());
  // The kind is refused before the key's other condition.
  CHECK_THAT(Machine().set("size=small").set(border).idle(),
             Catch::Contains("accepted: shape.kind frame, or"));
  CHECK_THAT(Machine().set("size=small").set("shape.kind=frame").set(border).idle(),
             Catch::Contains("accepted: size big, or"));
}

TEST_CASE("a key of several kinds is one key that sets the field of each") {
  Machine machine;
  machine.set("shape.width=7");
  CHECK(machine.all.of<Box>().width == 7);
  CHECK(machine.all.of<Frame>().width == 7);
  const std::string list = machine.keys.list_keys();
  CHECK(list.find("shape.width") == list.rfind("shape.width"));
  CHECK_THAT(list, Catch::Contains("    box, square: width; frame: width\n"));
  CHECK_THROWS_AS(machine.set("shape.width=101"), ConfigError);
  CHECK(machine.all.of<Frame>().width == 7);
}

namespace {

struct BaseTraits {
  static constexpr const char* selector = "shape.base";
  static constexpr const char* unknown = "unknown base";
};
using Bases = Kinds<BaseTraits, unsigned, unsigned>;

}  // namespace

TEST_CASE("a key of the kinds of two selectors is one key, which the kinds of either read") {
  Machine machine;
  Bases bases;
  std::string base = "floor";
  bases.add<Point>("floor");
  bases.add<Frame>("plinth");
  machine.keys.add_choice("shape.base", base, bases.words(), "which base");
  bases.add_keys(machine.keys);
  machine.set("shape.width=7");
  CHECK(machine.all.of<Box>().width == 7);
  CHECK(bases.of<Frame>().width == 7);
  CHECK(machine.idle().empty());
  machine.set("shape.kind=point");
  CHECK_THAT(machine.idle(),
             Catch::Contains("has no effect with shape.kind point and shape.base floor") &&
                 Catch::Contains("accepted: shape.kind box, square, frame, shape.base plinth, or"));
  machine.set("shape.base=plinth");
  CHECK(machine.idle().empty());
}

namespace {

struct OtherDefault {
  unsigned width = 3;
  void add_keys(KeyTable& keys) { keys.add("shape.width", width, {1, 100}, "m", ""); }
  unsigned make(unsigned) const { return 0; }
};
struct OtherRange {
  unsigned width = 2;
  void add_keys(KeyTable& keys) { keys.add("shape.width", width, {1, 101}, "m", ""); }
  unsigned make(unsigned) const { return 0; }
};
struct OtherUnit {
  unsigned width = 2;
  void add_keys(KeyTable& keys) { keys.add("shape.width", width, {1, 100}, "cm", ""); }
  unsigned make(unsigned) const { return 0; }
};
struct OtherType {
  std::string width = "2";
  void add_keys(KeyTable& keys) { keys.add("shape.width", width, ""); }
  unsigned make(unsigned) const { return 0; }
};
struct KeyOfTheMachine {
  std::string size;
  void add_keys(KeyTable& keys) { keys.add("size", size, ""); }
  unsigned make(unsigned) const { return 0; }
};

template <class P>
void refuse_keys(const std::string& text) {
  Shapes all = shapes();
  all.add<P>("other");
  CHECK_THROWS_WITH(Machine(std::move(all)), Catch::Contains(text));
}

}  // namespace

TEST_CASE("kinds that use one key with different meanings are a mistake, and so is another part's key") {
  refuse_keys<OtherDefault>("'shape.width', whose default is '");
  refuse_keys<OtherRange>("'shape.width', whose range is '");
  refuse_keys<OtherUnit>("'shape.width', whose unit is '");
  refuse_keys<OtherType>("'shape.width', whose type is '");
  refuse_keys<KeyOfTheMachine>("'size' is in the table twice");
  Shapes all = shapes();
  CHECK_THROWS_WITH(all.add<Point>("box"), Catch::Contains("two kinds 'box'"));
  Shapes none;
  none.add<Box>({{"box", &Box::square, "width"}});
  CHECK_THROWS_WITH(Machine(std::move(none)), Catch::Contains("no kind reads key 'shape.height'"));
}

TEST_CASE("a table of kinds is a value: a copy has separate parameters") {
  Shapes first = shapes();
  Shapes second = first;
  second.of<Box>().width = 9;
  CHECK(first.of<Box>().width == 2);
  first = second;
  CHECK(first.make("square", 1) == 81);
  second.of<Box>().width = 1;
  CHECK(first.make("square", 1) == 81);
  CHECK_THROWS_AS(first.of<OtherUnit>(), ModelError);
}

TEST_CASE("only the chosen kind refuses its parameters, and an unknown kind is refused with all known ones") {
  Shapes all = shapes();
  all.of<Box>().height = 51;
  CHECK_THROWS_WITH(all.validate("square"), Catch::Contains("too high"));
  CHECK_NOTHROW(all.validate("frame"));
  CHECK_NOTHROW(all.validate("point"));
  for (const auto& refused : {"blob", ""})
    CHECK_THROWS_WITH(all.make(refused, 1), Catch::StartsWith("shape.kind: unknown shape") &&
                                                Catch::Contains("one of box, square, frame, point"));
}

TEST_CASE("a key may move before another one") {
  Machine machine;
  machine.keys.move_before("shape.border", "shape.width");
  machine.set("shape.kind=frame");
  const std::string frame = machine.keys.print("");
  CHECK(frame.find("border: 1") < frame.find("width: 2"));
  CHECK_THROWS_AS(machine.keys.move_before("shape.border", "shape.width"), ModelError);
  CHECK_THROWS_AS(machine.keys.move_before("shape.none", "shape.width"), ModelError);
}
