// SPDX-License-Identifier: Apache-2.0
// Each instruction of RV32I against results worked out by hand.

#include "riscv/rv32i.h"

#include <map>
#include <vector>

#include "support/catch.h"

namespace {

/// Instructions, assembled from their fields as the manual has them.
std::uint32_t r_type(unsigned funct7, unsigned rs2, unsigned rs1, unsigned funct3, unsigned rd) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33;
}
std::uint32_t i_type(int immediate, unsigned rs1, unsigned funct3, unsigned rd, unsigned opcode = 0x13) {
  return static_cast<std::uint32_t>(immediate) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
std::uint32_t s_type(int immediate, unsigned rs2, unsigned rs1, unsigned funct3) {
  const auto value = static_cast<std::uint32_t>(immediate);
  return (value >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (value & 0x1f) << 7 | 0x23;
}
std::uint32_t b_type(int offset, unsigned rs2, unsigned rs1, unsigned funct3) {
  const auto value = static_cast<std::uint32_t>(offset);
  return (value >> 12 & 1) << 31 | (value >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
         (value >> 1 & 0xf) << 8 | (value >> 11 & 1) << 7 | 0x63;
}
std::uint32_t j_type(int offset, unsigned rd) {
  const auto value = static_cast<std::uint32_t>(offset);
  return (value >> 20 & 1) << 31 | (value >> 1 & 0x3ff) << 21 | (value >> 11 & 1) << 20 |
         (value >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}

constexpr std::uint32_t start = 0x1000, handler = 0x2000;

/// 64 kB of memory from 0 on.
struct RvMachine final : Rv32iBus {
  explicit RvMachine(const std::vector<std::uint32_t>& program) : bytes(1 << 16), cpu(*this, start, 3) {
    std::uint32_t at = start;
    for (const std::uint32_t word : program) store(at, 4, word), at += 4;
  }
  bool load(std::uint32_t address, unsigned count, std::uint32_t& value) override {
    value = 0;
    if (address + count > bytes.size()) return false;
    for (unsigned i = 0; i < count; ++i) value |= std::uint32_t{bytes[address + i]} << 8 * i;
    return true;
  }
  bool store(std::uint32_t address, unsigned count, std::uint32_t value) override {
    if (address + count > bytes.size()) return false;
    for (unsigned i = 0; i < count; ++i) bytes[address + i] = static_cast<unsigned char>(value >> 8 * i);
    return true;
  }
  std::vector<unsigned char> bytes;
  Rv32i cpu;
};

/// Result in register 3 of an instruction with rs1 = 1 and rs2 = 2.
std::uint32_t result(std::uint32_t instruction, std::uint32_t a, std::uint32_t b = 0) {
  RvMachine machine({instruction});
  machine.cpu.set(1, a);
  machine.cpu.set(2, b);
  REQUIRE(machine.cpu.step() == Rv32iTrap::none);
  REQUIRE(machine.cpu.pc() == start + 4);
  return machine.cpu.get(3);
}

/// Address after a branch with rs1 = 1, rs2 = 2.
std::uint32_t after_branch(unsigned funct3, std::uint32_t a, std::uint32_t b, int offset = 0x7fc) {
  RvMachine machine({b_type(offset, 2, 1, funct3)});
  machine.cpu.set(1, a);
  machine.cpu.set(2, b);
  REQUIRE(machine.cpu.step() == Rv32iTrap::none);
  return machine.cpu.pc();
}

}  // namespace

TEST_CASE("rv32i: operations on registers") {
  CHECK(result(r_type(0, 2, 1, 0, 3), 0xffffffff, 2) == 1);     // add
  CHECK(result(r_type(0x20, 2, 1, 0, 3), 1, 2) == 0xffffffff);  // sub
  CHECK(result(r_type(0, 2, 1, 1, 3), 0x80000001, 33) == 2);    // sll: 33 is 1 modulo 32
  CHECK(result(r_type(0, 2, 1, 2, 3), 0x80000000, 1) == 1);     // slt
  CHECK(result(r_type(0, 2, 1, 2, 3), 1, 0xffffffff) == 0);
  CHECK(result(r_type(0, 2, 1, 3, 3), 0x80000000, 1) == 0);  // sltu
  CHECK(result(r_type(0, 2, 1, 3, 3), 1, 0xffffffff) == 1);
  CHECK(result(r_type(0, 2, 1, 4, 3), 0xff00ff00, 0x0ff00ff0) == 0xf0f0f0f0);  // xor
  CHECK(result(r_type(0, 2, 1, 5, 3), 0x80000000, 4) == 0x08000000);           // srl
  CHECK(result(r_type(0x20, 2, 1, 5, 3), 0x80000000, 4) == 0xf8000000);        // sra
  CHECK(result(r_type(0x20, 2, 1, 5, 3), 0x80000000, 32) == 0x80000000);
  CHECK(result(r_type(0x20, 2, 1, 5, 3), 0x7fffffff, 31) == 0);
  CHECK(result(r_type(0, 2, 1, 6, 3), 0x0f0f0000, 0x00f0f000) == 0x0ffff000);  // or
  CHECK(result(r_type(0, 2, 1, 7, 3), 0x0ff0ffff, 0x00ffff00) == 0x00f0ff00);  // and
}

TEST_CASE("rv32i: operations with immediates, which are extended by their sign") {
  CHECK(result(i_type(-1, 1, 0, 3), 5) == 4);         // addi
  CHECK(result(i_type(0x400, 1, 0, 3), 1) == 0x401);  // no subtraction
  CHECK(result(i_type(2047, 1, 0, 3), 1) == 2048);
  CHECK(result(i_type(-2048, 1, 0, 3), 0) == 0xfffff800);
  CHECK(result(i_type(-1, 1, 2, 3), 0xfffffffe) == 1);  // slti
  CHECK(result(i_type(-1, 1, 2, 3), 0) == 0);
  CHECK(result(i_type(-1, 1, 3, 3), 5) == 1);  // sltiu: compares with 0xffffffff
  CHECK(result(i_type(1, 1, 3, 3), 1) == 0);
  CHECK(result(i_type(-1, 1, 4, 3), 0x12345678) == 0xedcba987);          // xori
  CHECK(result(i_type(-256, 1, 6, 3), 0x12) == 0xffffff12);              // ori
  CHECK(result(i_type(-256, 1, 7, 3), 0x12345678) == 0x12345600);        // andi
  CHECK(result(i_type(31, 1, 1, 3), 3) == 0x80000000);                   // slli
  CHECK(result(i_type(31, 1, 5, 3), 0x80000000) == 1);                   // srli
  CHECK(result(i_type(0x400 | 31, 1, 5, 3), 0x80000000) == 0xffffffff);  // srai
  CHECK(result(i_type(0x400 | 4, 1, 5, 3), 0x70000000) == 0x07000000);
  CHECK(result(0x12345000 | 3 << 7 | 0x37, 0) == 0x12345000);  // lui
  CHECK(result(0xfffff000 | 3 << 7 | 0x17, 0) == 0);           // auipc: 0x1000 - 0x1000
}

TEST_CASE("rv32i: branches forwards and backwards") {
  const std::uint32_t taken = start + 0x7fc, passed = start + 4, minus_one = 0xffffffff;
  CHECK(after_branch(0, 7, 7) == taken);  // beq
  CHECK(after_branch(0, 7, 8) == passed);
  CHECK(after_branch(1, 7, 8) == taken);  // bne
  CHECK(after_branch(1, 7, 7) == passed);
  CHECK(after_branch(4, minus_one, 1) == taken);  // blt
  CHECK(after_branch(4, 1, minus_one) == passed);
  CHECK(after_branch(4, 1, 1) == passed);
  CHECK(after_branch(5, 1, minus_one) == taken);  // bge
  CHECK(after_branch(5, 1, 1) == taken);
  CHECK(after_branch(5, minus_one, 1) == passed);
  CHECK(after_branch(6, 1, minus_one) == taken);  // bltu
  CHECK(after_branch(6, minus_one, 1) == passed);
  CHECK(after_branch(7, minus_one, 1) == taken);  // bgeu
  CHECK(after_branch(7, 1, minus_one) == passed);
  CHECK(after_branch(0, 0, 0, -4096) == start - 4096);
  CHECK(after_branch(0, 0, 0, 4092) == start + 4092);
}

TEST_CASE("rv32i: jumps leave the address of the next instruction") {
  RvMachine jal({j_type(-0x800, 1)});
  CHECK(jal.cpu.step() == Rv32iTrap::none);
  CHECK(jal.cpu.pc() == start - 0x800);
  CHECK(jal.cpu.get(1) == start + 4);
  RvMachine far({j_type(0x7fffc, 0)});
  far.cpu.step();
  CHECK(far.cpu.pc() == start + 0x7fffc);
  CHECK(far.cpu.get(0) == 0);
  RvMachine jalr({i_type(-3, 1, 0, 1, 0x67)});  // its own base, and an odd sum, whose lowest bit is cleared
  jalr.cpu.set(1, 0x3000);
  jalr.cpu.step();
  CHECK(jalr.cpu.pc() == 0x2ffc);
  CHECK(jalr.cpu.get(1) == start + 4);
}

TEST_CASE("rv32i: loads extend by sign or by zeros, stores write their bytes only") {
  RvMachine machine({i_type(-2, 1, 0, 3, 0x03), i_type(-2, 1, 4, 4, 0x03), i_type(-2, 1, 1, 5, 0x03),
                     i_type(-2, 1, 5, 6, 0x03), i_type(-4, 1, 2, 7, 0x03), s_type(-4, 2, 1, 0),
                     s_type(-2, 2, 1, 1), s_type(4, 2, 1, 2), i_type(-4, 1, 2, 8, 0x03),
                     i_type(4, 1, 2, 9, 0x03)});
  machine.store(0x4000 - 4, 4, 0x81f2e3d4);
  machine.cpu.set(1, 0x4000);
  machine.cpu.set(2, 0xa1b2c3d5);
  for (int i = 0; i < 10; ++i) CHECK(machine.cpu.step() == Rv32iTrap::none);
  CHECK(machine.cpu.get(3) == 0xfffffff2);  // lb
  CHECK(machine.cpu.get(4) == 0x000000f2);  // lbu
  CHECK(machine.cpu.get(5) == 0xffff81f2);  // lh
  CHECK(machine.cpu.get(6) == 0x000081f2);  // lhu
  CHECK(machine.cpu.get(7) == 0x81f2e3d4);  // lw
  CHECK(machine.cpu.get(8) == 0xc3d5e3d5);  // after sb of d5 and sh of c3d5
  CHECK(machine.cpu.get(9) == 0xa1b2c3d5);  // after sw
  CHECK(machine.cpu.instructions() == 10);
}

TEST_CASE("rv32i: exceptions enter the handler with cause, value and address") {
  const auto raised = [](std::uint32_t instruction, std::uint32_t a) {
    RvMachine machine({i_type(0x305, 5, 1, 0, 0x73), instruction});
    machine.cpu.set(5, handler);
    machine.cpu.set(1, a);
    CHECK(machine.cpu.step() == Rv32iTrap::none);
    const Rv32iTrap trap = machine.cpu.step();
    CHECK(machine.cpu.pc() == handler);
    CHECK(machine.cpu.csr(Rv32i::mepc) == start + 4);
    CHECK(machine.cpu.csr(Rv32i::mcause) == static_cast<std::uint32_t>(trap));
    CHECK(machine.cpu.get(3) == 0);
    return std::make_pair(trap, machine.cpu.csr(Rv32i::mtval));
  };
  using Raised = std::pair<Rv32iTrap, std::uint32_t>;
  CHECK(raised(i_type(2, 1, 2, 3, 0x03), 0x4000) == Raised(Rv32iTrap::load_misaligned, 0x4002));
  CHECK(raised(i_type(1, 1, 1, 3, 0x03), 0x4000) == Raised(Rv32iTrap::load_misaligned, 0x4001));
  CHECK(raised(s_type(3, 2, 1, 2), 0x4000) == Raised(Rv32iTrap::store_misaligned, 0x4003));
  CHECK(raised(s_type(-1, 2, 1, 1), 0x4000) == Raised(Rv32iTrap::store_misaligned, 0x3fff));
  CHECK(raised(i_type(0, 1, 2, 3, 0x03), 0x20000) == Raised(Rv32iTrap::load_fault, 0x20000));
  CHECK(raised(s_type(0, 2, 1, 2), 0x20000) == Raised(Rv32iTrap::store_fault, 0x20000));
  CHECK(raised(j_type(6, 3), 0) == Raised(Rv32iTrap::fetch_misaligned, start + 10));
  CHECK(raised(b_type(6, 0, 0, 0), 0) == Raised(Rv32iTrap::fetch_misaligned, start + 10));
  CHECK(raised(0x00000073, 0) == Raised(Rv32iTrap::environment_call, 0));
  CHECK(raised(0x00100073, 0) == Raised(Rv32iTrap::breakpoint, start + 4));
  for (const std::uint32_t word :
       {0x00000000U, 0xffffffffU, r_type(1, 2, 1, 0, 3), r_type(0x20, 2, 1, 7, 3), i_type(0x200 | 1, 1, 1, 3),
        i_type(0, 1, 3, 3, 0x03), s_type(0, 2, 1, 3), b_type(8, 2, 1, 2), i_type(0x7c0, 0, 2, 3, 0x73),
        i_type(0xf14, 1, 1, 3, 0x73)})
    CHECK(raised(word, 0) == Raised(Rv32iTrap::illegal, word));
}

TEST_CASE("rv32i: fence does nothing, and control registers are read, written, set and cleared") {
  RvMachine machine({0x0ff0000f, i_type(0x340, 1, 1, 3, 0x73), i_type(0x340, 2, 2, 4, 0x73),
                     i_type(0x340, 31, 7, 5, 0x73), i_type(0x340, 9, 5, 6, 0x73),
                     i_type(0x340, 6, 6, 7, 0x73), i_type(0x340, 1, 3, 8, 0x73),
                     i_type(0xf14, 0, 2, 9, 0x73)});
  machine.cpu.set(1, 0x0000000c);
  machine.cpu.set(2, 0x000000f0);
  for (int i = 0; i < 8; ++i) CHECK(machine.cpu.step() == Rv32iTrap::none);
  CHECK(machine.cpu.get(3) == 0);     // csrrw
  CHECK(machine.cpu.get(4) == 0x0c);  // csrrs
  CHECK(machine.cpu.get(5) == 0xfc);  // csrrci 31
  CHECK(machine.cpu.get(6) == 0xe0);  // csrrwi 9
  CHECK(machine.cpu.get(7) == 9);     // csrrsi 6
  CHECK(machine.cpu.get(8) == 0xf);   // csrrc 0xc
  CHECK(machine.cpu.csr(Rv32i::mscratch) == 3);
  CHECK(machine.cpu.get(9) == 3);  // mhartid
}

TEST_CASE("rv32i: an interrupt ends wfi and returns by mret to the instruction after it") {
  RvMachine machine({i_type(0x305, 5, 1, 0, 0x73), i_type(0x304, 6, 1, 0, 0x73), i_type(0x300, 8, 6, 0, 0x73),
                     0x10500073, i_type(1, 3, 0, 3)});
  machine.store(handler, 4, i_type(1, 4, 0, 4));
  machine.store(handler + 4, 4, 0x30200073);
  machine.cpu.set(5, handler);
  machine.cpu.set(6, Rv32i::external_bit);
  for (int i = 0; i < 4; ++i) machine.cpu.step();
  CHECK(machine.cpu.waits());
  machine.cpu.step();
  CHECK(machine.cpu.get(3) == 0);
  machine.cpu.set_external(true);
  CHECK_FALSE(machine.cpu.waits());
  machine.cpu.step();  // enters the handler
  CHECK(machine.cpu.pc() == handler);
  CHECK(machine.cpu.csr(Rv32i::mcause) == Rv32i::external_interrupt);
  CHECK(machine.cpu.csr(Rv32i::mepc) == start + 16);
  CHECK(machine.cpu.csr(Rv32i::mstatus) == Rv32i::mstatus_mpie);
  machine.cpu.step();  // not interrupted again
  CHECK(machine.cpu.get(4) == 1);
  machine.cpu.set_external(false);
  machine.cpu.step();
  CHECK(machine.cpu.pc() == start + 16);
  CHECK((machine.cpu.csr(Rv32i::mstatus) & Rv32i::mstatus_mie) != 0);
  machine.cpu.step();
  CHECK(machine.cpu.get(3) == 1);
}
