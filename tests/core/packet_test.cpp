#include <catch2/catch.hpp>

#include "core/error.h"
#include "core/packet.h"

using namespace tsuji;

TEST_CASE("a packet goes back to its pool with its last reference, and is used again") {
  PacketPool pool;
  PacketRef a = pool.make();
  const Packet* where = &*a;
  {
    const PacketRef b = a;
    a.reset();
    CHECK(pool.in_use() == 1);
  }
  CHECK(pool.in_use() == 0);
  a = pool.make();
  CHECK(&*a == where);
  const PacketRef& from = a;
  const PacketRef moved = std::move(a);
  CHECK_FALSE(from);
  CHECK(&*moved == where);
  CHECK(pool.in_use() == 1);
}

TEST_CASE("a packet that is used again remembers nothing of its last life") {
  PacketPool pool;
  {
    PacketRef used = pool.make();
    used.edit().map = 5;
    used.edit().error_count = 2;
    used.edit().kind = PacketKind::multicast;
    used.edit().payload_bytes = 64;
  }
  const PacketRef fresh = pool.make();
  CHECK(fresh->map == 0);
  CHECK(fresh->error_count == 0);
  CHECK(fresh->kind == PacketKind::single_cast);
  CHECK(fresh->payload_bytes == 0);
}

TEST_CASE("an error says where, what and what would be accepted") {
  const ConfigError error("network.nodes", "7000", "out of range", "2..1024");
  CHECK(std::string(error.at("machine.yaml:3:10").what()) ==
        "machine.yaml:3:10: network.nodes: out of range (got '7000'); accepted: 2..1024");
  CHECK(std::string(ModelError("switch0", 17, packet_name(packet_id(3, 9)), "FIFO overrun").what()) ==
        "switch0, cycle 17, packet 3.9: FIFO overrun");
}
