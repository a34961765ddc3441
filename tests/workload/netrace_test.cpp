// SPDX-License-Identifier: Apache-2.0
// netrace's binary traces, written here as netrace.c writes them (nt_dump_header(), nt_dump_packet()).
#include <fstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/workload/trace_check.h"
#include "tsuji/workload/trace_formats.h"

using namespace tsuji;
using namespace tsuji::workload;
using Catch::Contains;

namespace {

struct Packet {
  std::uint64_t cycle;
  std::uint32_t id;
  unsigned type, source, destination;
  std::vector<std::uint32_t> later = {};  ///< packets that depend on it
};

std::string little_endian(std::uint64_t value, unsigned bytes) {
  std::string text;
  for (; bytes-- != 0; value >>= 8) text += static_cast<char>(value & 0xFF);
  return text;
}

struct Header {
  std::uint32_t magic = 0x484A5455, version = 0x3F800000;  // 1.0f
  unsigned nodes = 4;
  std::int64_t more_packets = 0;  ///< than the file has
  std::uint32_t notes = 6, regions = 1;
};

std::string packed(const Packet& packet) {
  std::string text = little_endian(packet.cycle, 8) + little_endian(packet.id, 4) + little_endian(0xDEAD, 4);
  for (const unsigned byte : {packet.type, packet.source, packet.destination, 0x02U})
    text += little_endian(byte, 1);
  text += little_endian(packet.later.size(), 1);
  for (const std::uint32_t id : packet.later) text += little_endian(id, 4);
  return text;
}

std::string netrace_of(const std::vector<Packet>& packets, const Header& header = {}) {
  std::string text = little_endian(header.magic, 4) + little_endian(header.version, 4) + "a benchmark" +
                     std::string(19, '\0') + little_endian(header.nodes, 1) + little_endian(0, 1) +
                     little_endian(1000, 8) +
                     little_endian(packets.size() + static_cast<std::uint64_t>(header.more_packets), 8) +
                     little_endian(header.notes, 4) + little_endian(header.regions, 4) + std::string(8, '\0');
  REQUIRE(text.size() == 72);
  text += std::string("notes\0", 6) + std::string(24, '\1');
  for (const Packet& packet : packets) text += packed(packet);
  return text;
}

class File {
 public:
  Trace read(const std::string& content, const TraceLimits& limits = {}) const {
    std::ofstream(path(), std::ios::binary) << content;
    return trace_formats().make("netrace", {path(), limits});
  }
  std::string refused(const std::string& content, const TraceLimits& limits = {}) const {
    const auto error = tsuji::test::thrown<ConfigError>([&] { read(content, limits); });
    return error ? error->what() : "";
  }
  std::string refused(const std::vector<Packet>& packets, const Header& header = {}) const {
    return refused(netrace_of(packets, header));
  }

 private:
  std::string path() const { return folder_.file("a.tra"); }
  const tsuji::test::TemporaryFolder folder_;
};

std::vector<std::string> ops_of(const Trace& trace, std::size_t rank) {
  std::vector<std::string> texts;
  for (const TraceOp& op : trace.ranks[rank])
    if (op.kind != TraceOpKind::init && op.kind != TraceOpKind::finalize) texts.push_back(text_of(op));
  return texts;
}

using Texts = std::vector<std::string>;
constexpr unsigned read_request = 1, read_response = 2, write_back = 6;

}  // namespace

TEST_CASE("netrace: a packet waits for its cycle and for the packets that it depends on") {
  const File file;
  const Trace trace = file.read(netrace_of({{10, 0, read_request, 0, 1, {2}},
                                            {15, 1, write_back, 3, 1},
                                            {40, 2, read_response, 1, 0, {3, 4}},
                                            {50, 3, read_request, 0, 2},
                                            {50, 4, write_back, 0, 0}}));
  REQUIRE(trace.size() == 4);
  check_ranks(trace);
  const TraceCount count = count_of(trace);
  CHECK(count.messages == 5);
  CHECK(count.message_bytes == 8 + 72 + 72 + 8 + 72);
  CHECK(ops_of(trace, 0) == Texts{"irecv 1 0 72", "irecv 0 0 72", "compute 10", "isend 1 0 8", "compute 40",
                                  "wait for the message from rank 1, tag 0", "isend 2 0 8", "compute 0",
                                  "isend 0 0 72", "waitall 4"});
  CHECK(ops_of(trace, 1) == Texts{"irecv 0 0 8", "irecv 3 0 72", "compute 40",
                                  "wait for the message from rank 0, tag 0", "isend 0 0 72", "waitall 2"});
  CHECK(ops_of(trace, 2) == Texts{"irecv 0 0 8", "waitall 1"});
  CHECK(ops_of(trace, 3) == Texts{"compute 15", "isend 1 0 72", "waitall 1"});
  CHECK(trace.place_of(1, 1).find("a.tra:1") != std::string::npos);
}

TEST_CASE("netrace: each type of packet has its bytes") {
  const std::vector<std::pair<unsigned, unsigned>> bytes = {{1, 8},  {2, 72}, {3, 72}, {4, 72}, {5, 8},
                                                            {6, 72}, {13, 8}, {14, 8}, {15, 8}, {16, 72},
                                                            {25, 8}, {27, 8}, {28, 8}, {29, 8}, {30, 72}};
  const File file;
  unsigned types = 0;
  for (unsigned type = 0; type < 256; ++type) {
    const auto content = netrace_of({{0, 0, type, 0, 1}});
    if (types < bytes.size() && bytes[types].first == type) {
      CHECK(count_of(file.read(content)).message_bytes == bytes[types++].second);
    } else {
      CHECK_THAT(file.refused(content),
                 Contains("packet 1 ") && Contains("type") && Contains(std::to_string(type)));
    }
  }
  CHECK(types == bytes.size());
}

TEST_CASE("netrace: damaged traces are refused with the packet") {
  const File file;
  const Packet one = {0, 0, 1, 0, 1};
  CHECK(file.refused({one, {0, 1, 1, 0, 3}}).empty());
  CHECK_THAT(file.refused({one, {0, 0, 1, 0, 1}}), Contains("a.tra: packet 2 ") && Contains("number again"));
  CHECK_THAT(file.refused({one, {0, 1, 1, 4, 1}}), Contains("packet 2 ") && Contains("0..3"));
  CHECK_THAT(file.refused({one, {0, 1, 1, 1, 4}}), Contains("packet 2 ") && Contains("0..3"));
  CHECK_THAT(file.refused({{5, 0, 1, 0, 1}, {4, 1, 1, 1, 0}}),
             Contains("packet 2 ") && Contains("ascending"));
  // Dependencies: in a circle, on itself, of a packet that is not there, of another node's packet
  CHECK_THAT(file.refused({{0, 0, 1, 0, 1, {1}}, {0, 1, 1, 1, 0, {0}}}),
             Contains("packet 2 ") && Contains("circle"));
  CHECK_THAT(file.refused(std::vector<Packet>{{0, 0, 1, 0, 0, {0}}}),
             Contains("packet 1 ") && Contains("circle"));
  CHECK_THAT(file.refused({one, {0, 1, 1, 1, 0, {9}}, {0, 2, 1, 0, 1, {8}}}),
             Contains("packet 2 ") && Contains("9") && Contains("does not have"));
  CHECK_THAT(file.refused({{0, 0, 1, 0, 1, {1}}, {0, 1, 1, 2, 0}}),
             Contains("packet 2 ") && Contains("node 2") && Contains("node 1 receives"));
  const std::string whole = netrace_of({{0, 0, 1, 0, 1, {1, 2}}, {0, 1, 1, 1, 0}, {0, 2, 1, 1, 3}});
  CHECK(file.refused(whole).empty());
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    CHECK_THAT(file.refused(whole.substr(0, bytes)),
               Contains("a.tra: ") && (Contains("truncated") || Contains("no netrace file")));
  Header header;
  header.more_packets = -1;
  CHECK_THAT(file.refused({one, {0, 1, 1, 0, 3}}, header),
             Contains("2 packets") && Contains("than the header says"));
  CHECK_THAT(file.refused(netrace_of({one, {70, 1, 1, 0, 3}}), {69, "a clock"}),
             Contains("69") && Contains("a clock"));
  CHECK(file.refused(netrace_of({one, {70, 1, 1, 0, 3}}), {70, ""}).empty());
}

TEST_CASE("netrace: other files are refused with what is accepted") {
  const File file;
  const auto refused = [&](auto change) {
    Header header;
    change(header);
    return file.refused(std::vector<Packet>{}, header);
  };
  CHECK(refused([](Header&) {}).empty());
  CHECK_THAT(refused([](Header& header) { header.magic = 0; }),
             Contains("no netrace file") && Contains("bzip2 -dc"));
  CHECK_THAT(refused([](Header& header) { header.version = 0x40000000; }), Contains("another version"));
  CHECK_THAT(refused([](Header& header) { header.nodes = 0; }), Contains("1..255 nodes"));
  CHECK_THAT(refused([](Header& header) { header.notes = 8192; }), Contains("8192") && Contains("0..8191"));
  CHECK_THAT(refused([](Header& header) { header.notes = 8191; }), Contains("within its header"));
  CHECK_THAT(refused([](Header& header) { header.regions = 101; }), Contains("101") && Contains("0..100"));
  CHECK_THAT(refused([](Header& header) { header.regions = 2; }), Contains("within its header"));
  CHECK_THAT(refused([](Header& header) { header.regions = 100; }), Contains("within its header"));
  CHECK_THAT(file.refused("BZh91AY&SY" + std::string(80, 'x')),
             Contains("compressed") && Contains("bzip2 -dc"));
}
