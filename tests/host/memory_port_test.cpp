// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/memory_port.h"

#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tsuji/host/memory.h"

using namespace tsuji;
using namespace tsuji::host;
using sc_core::sc_time;

namespace {

/// A memory with a configurable grant of direct pointers.
class Granting final : public sc_core::sc_module {
 public:
  explicit Granting(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &Granting::b_transport);
    socket.register_get_direct_mem_ptr(this, &Granting::get_direct_mem_ptr);
  }
  tlm_utils::simple_target_socket<Granting> socket;
  std::uint64_t first = 0, last = bytes_ - 1;  ///< granted range
  bool reads = true, writes = true;
  tlm::tlm_response_status answer = tlm::TLM_OK_RESPONSE;
  unsigned asked = 0, transported = 0;
  static constexpr std::uint64_t bytes_ = 1 << 20;
  std::vector<unsigned char> memory = std::vector<unsigned char>(bytes_);

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_time&) {
    ++transported;
    unsigned char* at = memory.data() + payload.get_address();
    if (payload.is_write())
      std::memcpy(at, payload.get_data_ptr(), payload.get_data_length());
    else
      std::memcpy(payload.get_data_ptr(), at, payload.get_data_length());
    payload.set_response_status(answer);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    ++asked;
    dmi.init();
    dmi.set_start_address(first);
    dmi.set_end_address(last);
    dmi.set_dmi_ptr(memory.data() + first);
    if (reads) dmi.allow_read();
    if (writes) reads ? dmi.allow_read_write() : dmi.allow_write();
    return reads || writes;
  }
};

struct PortOwner final : sc_core::sc_module {
  PortOwner(sc_core::sc_module_name name, std::uint64_t bytes) : sc_module(name), port("port", bytes) {}
  MemoryPort port;
};
}  // namespace

TEST_CASE("memory port: the same bytes with and without direct pointers, also after their invalidation") {
  Memory memory("memory", {});
  PortOwner owner("owner", memory.storage().bytes());
  MemoryPort& port = owner.port;
  port.socket.bind(memory.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::uint64_t word = 1;
  port.read(4096, &word, 8);
  REQUIRE(word == 0);
  REQUIRE(memory.storage().pages_allocated() == 0);  // a pointer to zeros
  port.write(4096, &(word = 11), 8);
  port.read(4096, &(word = 0), 8);
  REQUIRE(word == 11);
  // Zeros are no longer read after another initiator has written.
  port.read(8192, &word, 8);
  memory.storage().write(8192, &(word = 13), 8);
  port.read(8192, &(word = 0), 8);
  REQUIRE(word == 13);
  REQUIRE(port.direct() == 5);
  memory.clear();  // an older pointer would read freed bytes
  port.read(4096, &word, 8);
  REQUIRE(word == 0);
  memory.allow_dmi(false);
  port.write(4096, &(word = 12), 8);
  memory.storage().read(4096, &(word = 0), 8);
  REQUIRE(word == 12);
  REQUIRE(port.direct() == 6);
}

TEST_CASE("memory port: a granted direct pointer is used if it covers the page and allows the access") {
  Granting memory("memory");
  PortOwner owner("owner", Granting::bytes_);
  MemoryPort& port = owner.port;
  port.socket.bind(memory.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::uint64_t word = 0;
  std::uint64_t direct = 0, transported = 0;
  const auto went = [&](const char* way) {
    const bool by_pointer = std::string(way) == "directly";
    ++(by_pointer ? direct : transported);
    CHECK(port.direct() == direct);
    CHECK(memory.transported == transported);
  };
  // The range begins or ends within the page.
  memory.first = 8;
  port.write(0, &(word = 1), 8);
  went("by transport");
  memory.first = 0;
  memory.last = 4094;
  port.read(0, &word, 8);
  went("by transport");
  CHECK(word == 1);
  // The range is exactly the page.
  memory.last = 4095;
  port.read(4088, &word, 8);
  went("directly");
  const unsigned asked = memory.asked;
  port.write(16, &(word = 5), 8);
  went("directly");
  CHECK(memory.asked == asked);
  // Bytes of two pages.
  port.read(4092, &word, 8);
  went("by transport");
  // A pointer for reads is not used for writes.
  memory.first = 4096;
  memory.last = Granting::bytes_ - 1;
  memory.writes = false;
  port.read(4096, &word, 8);
  went("directly");
  port.write(4096, &(word = 6), 8);
  went("by transport");
  port.read(4096, &word, 8);
  went("directly");
  CHECK(word == 6);
  memory.writes = true;
  port.write(4104, &(word = 7), 8);
  went("directly");
  CHECK(memory.memory[4104] == 7);
  // A page with the same index in the pointer table.
  port.write(4096 * 65, &(word = 8), 8);
  went("directly");
  CHECK(memory.memory[4096 * 65] == 8);
  port.read(4104, &word, 8);
  went("directly");
  CHECK(word == 7);
  memory.reads = memory.writes = false;
  port.read(4096 * 9, &word, 8);
  went("by transport");
  // A pointer for writes alone is not used: a part of a line is read before it is written.
  memory.writes = true;
  port.write(4096 * 10, &word, 8);
  went("by transport");
  port.read(4096 * 10, &word, 8);
  went("by transport");
  // Pointers that overlap the invalidated range are dropped, here by their page's last or first byte.
  memory.reads = memory.writes = true;
  port.read(4096 * 2, &word, 8);
  went("directly");
  port.read(4096 * 3, &word, 8);
  went("directly");
  memory.socket->invalidate_direct_mem_ptr(4096 * 3 - 1, 4096 * 3 - 1);
  memory.reads = memory.writes = false;
  port.read(4096 * 2, &word, 8);
  went("by transport");
  port.read(4096 * 3, &word, 8);
  went("directly");
  memory.socket->invalidate_direct_mem_ptr(4096 * 3, 4096 * 3);
  port.read(4096 * 3, &word, 8);
  went("by transport");
}

TEST_CASE("memory port: the first error of memory is kept, and ends the access") {
  Granting memory("memory");
  PortOwner owner("owner", Granting::bytes_);
  owner.port.socket.bind(memory.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  memory.reads = memory.writes = false;
  memory.answer = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  std::uint64_t word = 7;
  owner.port.begin();
  CHECK(owner.port.status() == tlm::TLM_OK_RESPONSE);
  owner.port.read(64, &word, 8);
  memory.answer = tlm::TLM_GENERIC_ERROR_RESPONSE;
  owner.port.write(64, &(word = 7), 8);
  CHECK(owner.port.status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(memory.memory[64] == 0);
  owner.port.begin();
  owner.port.write(64, &word, 8);
  CHECK(owner.port.status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(owner.port.contains(Granting::bytes_ - 8, 8));
  CHECK_FALSE(owner.port.contains(Granting::bytes_ - 8, 9));
  CHECK_FALSE(owner.port.contains(Granting::bytes_, 0));
}
