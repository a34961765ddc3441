// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "support/catch.h"
#include "tsuji/link/memory_access.h"

using namespace tsuji;

namespace {

std::array<unsigned char, 128> pattern(unsigned first) {
  std::array<unsigned char, 128> bytes;
  for (unsigned b = 0; b < bytes.size(); ++b) bytes[b] = static_cast<unsigned char>(first + 3 * b);
  return bytes;
}

/// The answer of a controller that has accepted the request.
void answer(tlm::tlm_generic_payload& payload, Cycle first_word, Cycle last_word) {
  auto& access = *payload.get_extension<MemoryAccess>();
  access.first_word_cycle = first_word;
  access.last_word_cycle = last_word;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace

TEST_CASE("memory transaction: each kind of access has its command, and only writes carry data") {
  const auto bytes = pattern(7);
  for (const auto& [kind, command] : {std::pair{MemoryAccessKind::coherent_read, tlm::TLM_READ_COMMAND},
                                      {MemoryAccessKind::noncoherent_read, tlm::TLM_READ_COMMAND},
                                      {MemoryAccessKind::coherent_write, tlm::TLM_WRITE_COMMAND},
                                      {MemoryAccessKind::noncoherent_write, tlm::TLM_WRITE_COMMAND},
                                      {MemoryAccessKind::atomic_add, tlm::TLM_WRITE_COMMAND}}) {
    MemoryTransaction transaction;
    const bool write = command == tlm::TLM_WRITE_COMMAND;
    tlm::tlm_generic_payload& payload =
        transaction.begin(kind, 0x12345678, 24, write ? bytes.data() : nullptr);
    CHECK(payload.get_command() == command);
    CHECK(payload.get_address() == 0x12345678);
    CHECK(payload.get_data_length() == 24);
    CHECK(payload.get_streaming_width() == 24);
    CHECK(payload.get_byte_enable_ptr() == nullptr);
    CHECK(payload.get_byte_enable_length() == 0);
    CHECK_FALSE(payload.is_dmi_allowed());
    CHECK(payload.get_gp_option() == tlm::TLM_MIN_PAYLOAD);
    CHECK(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE);
    CHECK(payload.get_extension<MemoryAccess>()->kind == kind);
    CHECK(&payload == &transaction.payload());
    CHECK(payload.get_data_ptr() == transaction.data());
    CHECK((std::memcmp(transaction.data(), bytes.data(), 24) == 0) == write);
    CHECK(transaction.data()[24] == 0);
    transaction.end();
  }
}

TEST_CASE("memory transaction: words are the eight bytes at their place in the line") {
  MemoryTransaction transaction;
  const auto bytes = pattern(1);
  transaction.begin(MemoryAccessKind::coherent_write, 0, 128, bytes.data());
  for (unsigned index = 0; index < 16; ++index) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + std::size_t{8} * index, 8);
    CHECK(transaction.word(index) == word);
  }
  transaction.end();
}

TEST_CASE("memory transaction: it is busy from begin to end, and begins without the previous answer") {
  MemoryTransaction transaction;
  CHECK_FALSE(transaction.busy());
  for (Cycle round = 1; round < 4; ++round) {
    auto& payload = transaction.begin(MemoryAccessKind::coherent_read, 128 * round, 128);
    CHECK(transaction.busy());
    CHECK(transaction.answer().first_word_cycle == 0);
    CHECK(transaction.answer().last_word_cycle == 0);
    CHECK(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE);
    CHECK(payload.get_byte_enable_ptr() == nullptr);
    CHECK(payload.get_byte_enable_length() == 0);
    CHECK_FALSE(payload.is_dmi_allowed());
    CHECK(payload.get_streaming_width() == 128);
    answer(payload, 10 * round, 10 * round + 15);
    // Remains of a target's use of the payload.
    unsigned char enabled = 0xff;
    payload.set_byte_enable_ptr(&enabled);
    payload.set_byte_enable_length(1);
    payload.set_dmi_allowed(true);
    payload.set_streaming_width(8);
    CHECK(transaction.answer().first_word_cycle == 10 * round);
    CHECK(transaction.answer().last_word_cycle == 10 * round + 15);
    transaction.end();
    CHECK_FALSE(transaction.busy());
  }
}

TEST_CASE("memory transaction: a copy of its extension has the access and the answer") {
  MemoryTransaction transaction;
  auto& payload = transaction.begin(MemoryAccessKind::noncoherent_read, 0, 8);
  answer(payload, 33, 48);
  tlm::tlm_extension_base* const copy = payload.get_extension<MemoryAccess>()->clone();
  const auto& access = dynamic_cast<const MemoryAccess&>(*copy);
  CHECK(access.kind == MemoryAccessKind::noncoherent_read);
  CHECK(access.first_word_cycle == 33);
  CHECK(access.last_word_cycle == 48);
  copy->free();
  transaction.end();
}
