# SPDX-License-Identifier: Apache-2.0
"""Verilator's counts of a run: lines, and changes of the bits of registers."""

import pathlib
import re

from netlist import run_yosys


def read(path):
    """Counts in a file of Verilator's: {(file:line:column, kind): count} of lines, {signal bit: count} of toggles."""
    lines, toggles = {}, {}
    for row in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        found = re.fullmatch(r"C '(.*)' (\d+)", row)
        if not found:
            continue
        fields = dict(field.split("\x02", 1) for field in found.group(1).split("\x01") if field)
        if fields["page"].startswith("v_toggle"):
            # After the simulation's name of the twin and its top.
            counts, key = toggles, ".".join(fields["h"].split(".")[2:] + [fields["o"]])
        else:
            counts, key = (lines, f"{pathlib.PurePath(fields['f']).name}:{fields['l']} ({fields['o']}, column "
                           f"{fields['n']})")
        counts[key] = counts.get(key, 0) + int(found.group(2))
    return lines, toggles


def read_registers(twin, folder):
    """Names of the twin's registers, memories and elements of arrays, as Verilog has them: port[0].one.memory.busy."""
    listed = folder / "registers.txt"
    # A memory that nobody reads (masks of a binary memory) is no register, and yosys 0.23 cannot collect it.
    run_yosys(twin.read_commands() + ["opt_clean", "memory_collect",
              f"tee -o {listed} select -list t:$*dff* %co1:+[Q] t:$*dff* %d t:$mem_v2 %u"], folder / "registers.log",
              twin.folder)
    return {row.split("/", 1)[1] for row in listed.read_text(encoding="utf-8").splitlines() if "/" in row}


def read_constants(twin, folder):
    """Bits of registers that keep the zeros in which a simulation begins, with any inputs: yosys proves each by
    itself."""
    constants = folder / "constants.il"
    run_yosys(twin.read_commands() + ["opt_clean", "memory_collect", "zinit -all", "opt_dff -sat", "opt_clean",
                                      f"write_rtlil {constants}"], folder / "constants.log", twin.folder)
    return constant_bits(constants.read_text(encoding="utf-8"))


def constant_bits(text):
    """Bits of wires to which an RTLIL text gives a constant: {"one.first[3]"}."""
    bits = set()
    for left, width in re.findall(r"^  connect (.*) (\d+)'[01]+$", text, re.MULTILINE):
        for name, high, low in re.findall(r"\\(\S+) \[(\d+)(?::(\d+))?\]", left):
            bits.update(f"{name}[{bit}]" for bit in range(int(low or high), int(high) + 1))
        whole = re.fullmatch(r"\\(\S+)", left)
        if whole:  # a register of one bit has no index
            bits.update([whole.group(1), *(f"{whole.group(1)}[{bit}]" for bit in range(int(width)))])
    return bits


def of_registers(toggles, registers):
    """The bits of registers among all that toggle: a register's name is a bit's without one index or more. Verilator
    adds up the instances of a generate block: port[*].one.busy."""
    registers = {re.sub(r"\[\d+\](?=\.)", "[*]", name) for name in registers}

    def is_one(bit):
        while bit not in registers and bit.endswith("]"):
            bit = bit[:bit.rindex("[")]
        return bit in registers

    return {bit: count for bit, count in toggles.items() if is_one(re.sub(r"\[\d+\](?=\.)", "[*]", bit))}


class Report:
    """How many of some points a run has reached, and a text."""

    def __init__(self, head, what, points, missed):
        self.percent = 100 * (points - len(missed)) / points if points else 0
        self.text = f"{head}: {self.percent:.1f} % of {points} {what}"
        if missed:
            self.text += f", but not {', '.join(shortened(missed))}"


def registers_report(device, bits, constants=()):
    """`constants`: bits that are left out."""
    left = {bit: count for bit, count in bits.items() if bit not in constants}
    report = Report(device, "bits of registers rise and fall", len(left),
                    [bit for bit, count in left.items() if count < 2])
    if len(left) < len(bits):
        report.text += f"; proved to be constant: {len(bits) - len(left)}"
    return report


def lines_reports(lines):
    """One for each source."""
    sources = {}
    for place, count in lines.items():
        sources.setdefault(place.partition(":")[0], {})[place.partition(":")[2]] = count
    return [Report(source, "blocks of lines are run", len(counts),
                   [place for place, count in counts.items() if count == 0])
            for source, counts in sorted(sources.items())]


def shortened(names):
    """Bits of one register are one entry: busy[2..7]."""
    groups = {}
    for name in names:
        found = re.fullmatch(r"(.*)\[(\d+)\]", name)
        groups.setdefault(found.group(1) if found else name, []).append(int(found.group(2)) if found else None)
    texts = []
    for base, bits in sorted(groups.items()):
        bits = sorted(bit for bit in bits if bit is not None)
        runs = []
        for bit in bits:
            if runs and runs[-1][1] == bit - 1:
                runs[-1][1] = bit
            else:
                runs.append([bit, bit])
        inside = ",".join(str(low) if low == high else f"{low}..{high}" for low, high in runs)
        texts.append(f"{base}[{inside}]" if bits else base)
    return texts
