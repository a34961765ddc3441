// SPDX-License-Identifier: Apache-2.0
#include "rv32i.h"

namespace {

std::int32_t as_signed(std::uint32_t value) {
  return static_cast<std::int32_t>(value);
}
std::uint32_t sign_extended(std::uint32_t value, unsigned bits) {
  const std::uint32_t sign = 1U << (bits - 1);
  return (value ^ sign) - sign;
}
std::uint32_t shifted_arithmetically(std::uint32_t value, unsigned by) {
  const std::uint32_t shifted = value >> by;
  return (value >> 31U) != 0 && by != 0 ? shifted | ~0U << (32 - by) : shifted;
}

}  // namespace

/// An instruction's fields and immediates.
struct Rv32i::Fields {
  explicit Fields(std::uint32_t instruction) : word(instruction) {}
  std::uint32_t word;
  std::uint32_t at(unsigned low, unsigned bits) const { return word >> low & ((1U << bits) - 1); }
  unsigned opcode() const { return at(0, 7); }
  unsigned rd() const { return at(7, 5); }
  unsigned funct3() const { return at(12, 3); }
  unsigned rs1() const { return at(15, 5); }
  unsigned rs2() const { return at(20, 5); }
  unsigned funct7() const { return at(25, 7); }
  std::uint32_t i() const { return sign_extended(at(20, 12), 12); }
  std::uint32_t s() const { return sign_extended(at(25, 7) << 5 | at(7, 5), 12); }
  std::uint32_t b() const {
    return sign_extended(at(31, 1) << 12 | at(7, 1) << 11 | at(25, 6) << 5 | at(8, 4) << 1, 13);
  }
  std::uint32_t u() const { return word & 0xfffff000; }
  std::uint32_t j() const {
    return sign_extended(at(31, 1) << 20 | at(12, 8) << 12 | at(20, 1) << 11 | at(21, 10) << 1, 21);
  }
};

Rv32iTrap Rv32i::step() {
  if ((mie_ & pending()) != 0) {
    waiting_ = false;
    if ((mstatus_ & mstatus_mie) != 0) {
      enter(external_interrupt, 0, pc_);
      return Rv32iTrap::none;
    }
  }
  if (waiting_) return Rv32iTrap::none;
  std::uint32_t word = 0;
  if (!bus_.load(pc_, 4, word)) return trap(Rv32iTrap::fetch_fault, pc_);
  next_ = pc_ + 4;
  const Rv32iTrap result = execute(word);
  if (result != Rv32iTrap::none) return result;
  pc_ = next_;
  ++instructions_;
  return result;
}

void Rv32i::enter(std::uint32_t cause, std::uint32_t value, std::uint32_t from) {
  mepc_ = from;
  mcause_ = cause;
  mtval_ = value;
  mstatus_ = (mstatus_ & mstatus_mie) != 0 ? mstatus_mpie : 0;
  pc_ = mtvec_;
}

Rv32iTrap Rv32i::trap(Rv32iTrap cause, std::uint32_t value) {
  enter(static_cast<std::uint32_t>(cause), value, pc_);
  return cause;
}

Rv32iTrap Rv32i::execute(std::uint32_t word) {
  const Fields of(word);
  switch (of.opcode()) {
    case 0x37:  // lui
      set(of.rd(), of.u());
      return Rv32iTrap::none;
    case 0x17:  // auipc
      set(of.rd(), pc_ + of.u());
      return Rv32iTrap::none;
    case 0x6f:  // jal
      return jump(pc_ + of.j(), of.rd());
    case 0x67:  // jalr
      if (of.funct3() != 0) break;
      return jump((x_[of.rs1()] + of.i()) & ~1U, of.rd());
    case 0x63:
      return branch(of);
    case 0x03:
      return load(of);
    case 0x23:
      return store(of);
    case 0x13:
      return operate(of, of.i(), true);
    case 0x33:
      return operate(of, x_[of.rs2()], false);
    case 0x0f:  // fence, fence.i: memory is in order
      return Rv32iTrap::none;
    case 0x73:
      return system(of);
    default:
      break;
  }
  return trap(Rv32iTrap::illegal, word);
}

Rv32iTrap Rv32i::jump(std::uint32_t target, unsigned link) {
  if (target % 4 != 0) return trap(Rv32iTrap::fetch_misaligned, target);
  set(link, pc_ + 4);
  next_ = target;
  return Rv32iTrap::none;
}

Rv32iTrap Rv32i::branch(const Fields& of) {
  const std::uint32_t a = x_[of.rs1()], b = x_[of.rs2()];
  bool taken = false;
  switch (of.funct3() >> 1U) {
    case 0:  // beq, bne
      taken = a == b;
      break;
    case 2:  // blt, bge
      taken = as_signed(a) < as_signed(b);
      break;
    case 3:  // bltu, bgeu
      taken = a < b;
      break;
    default:
      return trap(Rv32iTrap::illegal, of.word);
  }
  if ((of.funct3() & 1U) != 0) taken = !taken;
  if (!taken) return Rv32iTrap::none;
  return jump(pc_ + of.b(), 0);
}

Rv32iTrap Rv32i::load(const Fields& of) {
  const unsigned size = of.funct3() & 3U;
  const bool is_unsigned = (of.funct3() & 4U) != 0;
  if (size == 3 || (is_unsigned && size == 2)) return trap(Rv32iTrap::illegal, of.word);
  const unsigned bytes = 1U << size;
  const std::uint32_t address = x_[of.rs1()] + of.i();
  if (address % bytes != 0) return trap(Rv32iTrap::load_misaligned, address);
  std::uint32_t value = 0;
  if (!bus_.load(address, bytes, value)) return trap(Rv32iTrap::load_fault, address);
  set(of.rd(), is_unsigned || bytes == 4 ? value : sign_extended(value, 8 * bytes));
  return Rv32iTrap::none;
}

Rv32iTrap Rv32i::store(const Fields& of) {
  if (of.funct3() > 2) return trap(Rv32iTrap::illegal, of.word);
  const unsigned bytes = 1U << of.funct3();
  const std::uint32_t address = x_[of.rs1()] + of.s();
  if (address % bytes != 0) return trap(Rv32iTrap::store_misaligned, address);
  const std::uint32_t value = bytes == 4 ? x_[of.rs2()] : x_[of.rs2()] & ((1U << 8 * bytes) - 1);
  if (!bus_.store(address, bytes, value)) return trap(Rv32iTrap::store_fault, address);
  return Rv32iTrap::none;
}

/// Register and immediate operations; funct7 of an immediate is part of it, except in shifts.
Rv32iTrap Rv32i::operate(const Fields& of, std::uint32_t b, bool immediate) {
  const std::uint32_t a = x_[of.rs1()];
  const unsigned by = b & 31U;
  const bool shift = of.funct3() == 1 || of.funct3() == 5;
  const bool alternate = of.funct7() == 0x20 && (!immediate || shift);
  if ((!immediate || shift) && of.funct7() != 0 && !alternate) return trap(Rv32iTrap::illegal, of.word);
  if (alternate && of.funct3() != 5 && of.funct3() != 0) return trap(Rv32iTrap::illegal, of.word);
  switch (of.funct3()) {
    case 0:  // add, sub
      set(of.rd(), alternate ? a - b : a + b);
      break;
    case 1:  // sll
      set(of.rd(), a << by);
      break;
    case 2:  // slt
      set(of.rd(), as_signed(a) < as_signed(b) ? 1 : 0);
      break;
    case 3:  // sltu
      set(of.rd(), a < b ? 1 : 0);
      break;
    case 4:
      set(of.rd(), a ^ b);
      break;
    case 5:  // srl, sra
      set(of.rd(), alternate ? shifted_arithmetically(a, by) : a >> by);
      break;
    case 6:
      set(of.rd(), a | b);
      break;
    default:
      set(of.rd(), a & b);
      break;
  }
  return Rv32iTrap::none;
}

Rv32iTrap Rv32i::system(const Fields& of) {
  switch (of.word) {
    case 0x00000073:
      return trap(Rv32iTrap::environment_call, 0);
    case 0x00100073:
      return trap(Rv32iTrap::breakpoint, pc_);
    case 0x30200073:  // mret
      next_ = mepc_;
      mstatus_ = mstatus_mpie | ((mstatus_ & mstatus_mpie) != 0 ? mstatus_mie : 0);
      return Rv32iTrap::none;
    case 0x10500073:  // wfi
      waiting_ = true;
      return Rv32iTrap::none;
    default:
      return control(of);
  }
}

Rv32iTrap Rv32i::control(const Fields& of) {
  const std::uint32_t number = of.at(20, 12);
  const unsigned kind = of.funct3() & 3U;
  const bool writes = kind == 1 || of.rs1() != 0;
  if (kind == 0 || !exists(number) || (writes && number >> 10U == 3))
    return trap(Rv32iTrap::illegal, of.word);
  const std::uint32_t operand = (of.funct3() & 4U) != 0 ? of.rs1() : x_[of.rs1()];
  const std::uint32_t old = csr(number);
  if (writes) write_csr(number, kind == 1 ? operand : kind == 2 ? old | operand : old & ~operand);
  set(of.rd(), old);
  return Rv32iTrap::none;
}

bool Rv32i::exists(std::uint32_t number) const {
  switch (number) {
    case mstatus:
    case mie:
    case mtvec:
    case mscratch:
    case mepc:
    case mcause:
    case mtval:
    case mip:
    case mhartid:
      return true;
    default:
      return false;
  }
}

std::uint32_t Rv32i::csr(std::uint32_t number) const {
  switch (number) {
    case mstatus:
      return mstatus_;
    case mie:
      return mie_;
    case mtvec:
      return mtvec_;
    case mscratch:
      return mscratch_;
    case mepc:
      return mepc_;
    case mcause:
      return mcause_;
    case mtval:
      return mtval_;
    case mip:
      return pending();
    case mhartid:
      return hart_;
    default:
      return 0;
  }
}

void Rv32i::write_csr(std::uint32_t number, std::uint32_t value) {
  switch (number) {
    case mstatus:
      mstatus_ = value & (mstatus_mie | mstatus_mpie);
      break;
    case mie:
      mie_ = value & external_bit;
      break;
    case mtvec:
      mtvec_ = value & ~3U;
      break;
    case mscratch:
      mscratch_ = value;
      break;
    case mepc:
      mepc_ = value & ~3U;
      break;
    case mcause:
      mcause_ = value;
      break;
    case mtval:
      mtval_ = value;
      break;
    default:  // mip: the level of a wire
      break;
  }
}
