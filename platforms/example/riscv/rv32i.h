// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

/// Memory and devices as a processor sees them. An access of 1, 2 or 4 bytes is aligned.
class Rv32iBus {
 public:
  virtual ~Rv32iBus() = default;
  /// Returns false if nothing is at the address.
  virtual bool load(std::uint32_t address, unsigned bytes, std::uint32_t& value) = 0;
  virtual bool store(std::uint32_t address, unsigned bytes, std::uint32_t value) = 0;
};

/// Causes of exceptions (mcause, RISC-V privileged architecture); `none`: the instruction has completed.
enum class Rv32iTrap : std::uint32_t {
  fetch_misaligned = 0,
  fetch_fault = 1,
  illegal = 2,
  breakpoint = 3,
  load_misaligned = 4,
  load_fault = 5,
  store_misaligned = 6,
  store_fault = 7,
  environment_call = 11,
  none = 0xffffffff,
};

/// An instruction set simulator of RV32I with Zicsr, machine mode only: the base instructions, mret, wfi and
/// the registers that an external interrupt needs. Without SystemC and without time.
class Rv32i {
 public:
  /// Numbers of the control and status registers.
  enum Csr : std::uint32_t {
    mstatus = 0x300,
    mie = 0x304,
    mtvec = 0x305,
    mscratch = 0x340,
    mepc = 0x341,
    mcause = 0x342,
    mtval = 0x343,
    mip = 0x344,
    mhartid = 0xf14,
  };
  static constexpr std::uint32_t mstatus_mie = 1U << 3, mstatus_mpie = 1U << 7, external_bit = 1U << 11;
  static constexpr std::uint32_t external_interrupt = 0x8000000b;

  Rv32i(Rv32iBus& bus, std::uint32_t start, std::uint32_t hart = 0) : bus_(bus), pc_(start), hart_(hart) {}

  /// Level of the external interrupt, taken before the next instruction if mstatus and mie permit it.
  void set_external(bool up) { external_ = up; }
  /// Executes an instruction, or enters the handler of an interrupt. Returns the exception that the
  /// instruction has raised, for which the handler at mtvec has been entered.
  Rv32iTrap step();
  /// True after wfi until an enabled interrupt is pending, which ends it even if mstatus.MIE is 0.
  bool waits() const { return waiting_ && (mie_ & pending()) == 0; }

  std::uint32_t pc() const { return pc_; }
  std::uint32_t get(unsigned number) const { return x_[number]; }
  void set(unsigned number, std::uint32_t value) {
    if (number != 0) x_[number] = value;
  }
  /// Value of a control and status register; 0 for one that does not exist.
  std::uint32_t csr(std::uint32_t number) const;
  std::uint64_t instructions() const { return instructions_; }

 private:
  struct Fields;
  std::uint32_t pending() const { return external_ ? external_bit : 0; }
  void enter(std::uint32_t cause, std::uint32_t value, std::uint32_t from);
  Rv32iTrap trap(Rv32iTrap cause, std::uint32_t value);
  Rv32iTrap execute(std::uint32_t word);
  Rv32iTrap jump(std::uint32_t target, unsigned link);
  Rv32iTrap branch(const Fields& of);
  Rv32iTrap load(const Fields& of);
  Rv32iTrap store(const Fields& of);
  Rv32iTrap operate(const Fields& of, std::uint32_t b, bool immediate);
  Rv32iTrap system(const Fields& of);
  Rv32iTrap control(const Fields& of);
  bool exists(std::uint32_t number) const;
  void write_csr(std::uint32_t number, std::uint32_t value);

  Rv32iBus& bus_;
  std::array<std::uint32_t, 32> x_{};
  std::uint32_t pc_, next_ = 0;
  const std::uint32_t hart_;
  std::uint32_t mstatus_ = 0, mie_ = 0, mtvec_ = 0, mscratch_ = 0, mepc_ = 0, mcause_ = 0, mtval_ = 0;
  bool external_ = false, waiting_ = false;
  std::uint64_t instructions_ = 0;
};
