// SPDX-License-Identifier: Apache-2.0
// A build without GTKWave's FST writer: no_fst_sink.cpp replaces the library's fst_sink.cpp in this program.
#include <filesystem>

#include "platform/outcome.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/observe/wave_file.h"
#include "tsuji/platform/command_line.h"

using namespace tsuji;
using namespace tsuji::platform;
using tsuji::test::Outcome;

namespace {

/// Runs a machine with one signal.
Outcome run(const std::vector<std::string>& words) {
  Platform platform;
  platform.name = "toy";
  platform.run = [](const RunOptions& options, observe::Results& results) {
    const auto wave = options.open_wave("toy", results);
    if (!wave) return;
    const observe::SignalId signal = wave->add("toy.value", 1, observe::WaveFormat::binary, "Toy");
    wave->change(signal, 1000, 1);
    wave->close();
  };
  platform.add_keys = [](config::KeyTable&) {};
  platform.validate = [] {};
  return tsuji::test::call(platform, words);
}

}  // namespace

TEST_CASE("without an FST writer waveforms are VCD, and FST is refused by name") {
  REQUIRE_FALSE(observe::writes_fst());
  const std::string out = std::filesystem::temp_directory_path() / "tsuji_no_fst";
  std::filesystem::remove_all(out);
  CHECK(run({"--out", out, "--quiet", "--waves"}).status == 0);
  CHECK(std::filesystem::exists(out + "/toy.vcd"));
  CHECK_FALSE(std::filesystem::exists(out + "/toy.fst"));
  std::filesystem::remove_all(out);

  const Outcome refused = run({"--out", out, "--waves", "--waves-format", "fst"});
  CHECK(refused.status == 2);
  CHECK(refused.err ==
        "toy: --waves-format: this build has no FST writer (fstapi.c, of Debian's package verilator) (got "
        "'fst'); accepted: vcd\n");
  CHECK_FALSE(std::filesystem::exists(out));
  CHECK(run({"--waves-format", "lxt"}).err ==
        "toy: --waves-format: unknown word (got 'lxt'); accepted: vcd\n");
  CHECK(run({"--help"}).out.find("format of the waveform (default: vcd)") != std::string::npos);
}

TEST_CASE("without an FST writer an FST file is refused where it is opened") {
  CHECK_THROWS_AS(observe::open_wave_file({"w", observe::WaveFileFormat::fst, {}}), ConfigError);
  CHECK(observe::WaveFileConfig{}.format == observe::WaveFileFormat::vcd);
}
