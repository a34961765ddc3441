// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/catch.h"
#include "support/temporary_folder.h"
#include "tsuji/config/key_table.h"

using namespace tsuji;
using namespace tsuji::config;
namespace fs = std::filesystem;

namespace {

/// A temporary folder and its path.
struct Scratch {
  const test::TemporaryFolder folder;
  const std::string path = fs::path(folder.file("x")).parent_path().string();
};

struct Setup {
  std::string path, name = "none";
  KeyTable keys;
  Setup() {
    keys.add_path("in.path", path, "a file");
    keys.add("in.name", name, "a name");
  }
};

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("a relative path of a file begins at the file's folder, other texts are unchanged") {
  const Scratch folder;
  const fs::path file = fs::path(folder.path) / "in" / "a.yaml";
  const auto path_of = [&](const std::string& written) {
    write(file, "in: {path: " + written + ", name: x.topo}\n");
    Setup setup;
    read_yaml_file(setup.keys, file.string());
    CHECK(setup.name == "x.topo");
    return setup.path;
  };
  CHECK(path_of("x.topo") == folder.path + "/in/x.topo");
  CHECK(path_of("../x.topo") == folder.path + "/in/../x.topo");
  CHECK(path_of("/x.topo") == "/x.topo");
  CHECK(path_of("\"\"").empty());
}

TEST_CASE("a path of the command line begins at the current folder") {
  Setup setup;
  setup.keys.set_from_command_line("in.path=in/x.topo");
  CHECK(setup.path == "in/x.topo");
}

TEST_CASE("a configuration from a pipe has no folder") {
  const Scratch folder;
  const std::string pipe = folder.path + "/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << "in.path: x.topo\n"; });
  Setup setup;
  read_yaml_file(setup.keys, pipe);
  writer.join();
  CHECK(setup.path == "x.topo");
}

TEST_CASE("a relative path is written relative to the folder of the text, an absolute one is unchanged") {
  const Scratch folder;
  fs::create_directories(folder.path + "/real/deep");
  fs::create_directory_symlink(folder.path + "/real/deep", folder.path + "/link");
  write(folder.path + "/in/a.yaml", "in.path: x.topo\n");
  Setup setup;
  read_yaml_file(setup.keys, folder.path + "/in/a.yaml");
  const auto written = [&](const PathText& path_text) {
    const std::string line = "in:\n  path: " + quoted_text(setup.keys.json(path_text)["in"]["path"]) + "\n";
    CHECK(setup.keys.print("", path_text) == line + "  name: \"none\"\n");
    CHECK(setup.keys.print_changed("", path_text).rfind(line.substr(0, line.size() - 1) + "  # ", 0) == 0);
    return setup.keys.json(path_text)["in"]["path"].get<std::string>();
  };
  const std::string real = fs::canonical(folder.path).string();
  CHECK(written(as_it_is) == folder.path + "/in/x.topo");
  CHECK(written(absolute) == real + "/in/x.topo");
  CHECK(written(seen_from(folder.path + "/in")) == "x.topo");
  CHECK(written(seen_from(folder.path + "/out/a")) == "../../in/x.topo");
  CHECK(written(seen_from(folder.path + "/link")) == "../../in/x.topo");
  for (const std::string path : {"/x.topo", ""}) {
    setup.keys.set_from_command_line("in.path=" + path);
    for (const PathText& path_text : {PathText(as_it_is), PathText(absolute), seen_from(folder.path)})
      CHECK(setup.keys.json(path_text)["in"]["path"] == path);
  }
}

TEST_CASE("a path is listed as a path, and a list is none") {
  Setup setup;
  CHECK(setup.keys.list_keys().find(
            "in.path\n    a file\n    type: path; default: \"\"; accepted: a path, ") == 0);
  CHECK_THROWS_AS(read_yaml_text(setup.keys, "in.path: [a]\n", "f.yaml"), ConfigError);
  CHECK(setup.path.empty());
}
