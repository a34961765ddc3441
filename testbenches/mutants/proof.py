# SPDX-License-Identifier: Apache-2.0
"""Proof that a mutant is equivalent to the original, from the state of zeros in which a simulation begins, with
any inputs, resets at any time included. Two questions go to ABC as AIGs with one output, which must never rise:

state    Original and mutant share the original's registers; the output says that they differ in an output or in a
         register's next value. If they do so in no state that the original reaches, they never part.
product  The mutant has registers of its own wherever they may come to differ, and the output says that an output
differs.
"""

import pathlib
import re
import subprocess

from netlist import CTRL, run_yosys

# Memories of more bits are not modelled: their reads give anything (the same to both), and what they are asked for and
# what is written counts as an output.
MODELLED_BITS = 600


def small_memories(text):
    """Names of the memory cells of an RTLIL text that are modelled."""

    def number(body, name):
        return int(re.search(rf"parameter (?:signed )?\\{name} (\S+)", body).group(1))

    cells = re.findall(r"cell \$mem_v2 (\S+)(.*?)\n  end\n", text, re.DOTALL)
    return [name.lstrip("\\") for name, body in cells if number(body, "SIZE") * number(body, "WIDTH") <= MODELLED_BITS]


def write_logic(mutants, folder):
    """The twin with all its mutants as one AIG, folder/logic.aag."""
    small = small_memories((folder / "twin.il").read_text(encoding="utf-8"))
    cut = pathlib.Path(__file__).with_name("cut_memory.v")
    run_yosys([f"read_rtlil {folder}/twin.il"] + [mutant.command() for mutant in mutants]
              + [f"memory_map c:{name}" for name in small]
              + [f"techmap -map {cut}", "techmap", "simplemap", "dffunmap", "setundef -zero", "setundef -init -zero",
                 "aigmap",
                 "opt_clean", f"write_aiger -ascii -zinit -symbols {folder}/logic.aag"], folder / "logic.log")


def coded(out, left, right):
    """An and of the binary format: differences, seven bits a byte."""
    code = bytearray()
    for rest in (out - left, left - right):
        while rest > 127:
            code.append(rest & 127 | 128)
            rest >>= 7
        code.append(rest)
    return bytes(code)


class Question:
    """An AIG that is being built: nodes are inputs, registers, ands in this order; 2n and 2n + 1 are node n and its
    inverse."""

    def __init__(self, inputs, registers):
        self.inputs, self.registers = inputs, registers
        self.ands, self.known = [], {}

    def both(self, left, right):
        if left > right:
            left, right = right, left
        if left == 0 or left == right ^ 1:
            return 0
        if left == 1 or left == right:
            return right
        if (left, right) not in self.known:
            self.ands.append((left, right))
            self.known[left, right] = 2 * (self.inputs + self.registers + len(self.ands))
        return self.known[left, right]

    def differ(self, pairs):
        same = 1
        for left, right in pairs:
            if left != right:
                same = self.both(same, self.both(self.both(left, right ^ 1) ^ 1, self.both(left ^ 1, right) ^ 1))
        return same ^ 1

    def write(self, path, following, output):
        first = self.inputs + self.registers + 1
        lines = [f"aig {first - 1 + len(self.ands)} {self.inputs} {self.registers} 1 {len(self.ands)}"]
        lines += [str(literal) for literal in following] + [str(output)]
        with open(path, "wb") as file:
            file.write(("\n".join(lines) + "\n").encode())
            for index, (left, right) in enumerate(self.ands):
                file.write(coded(2 * (first + index), right, left))


class Logic:
    """The AIG of a twin with all its mutants, as yosys writes it in the ASCII format."""

    def __init__(self, path):
        lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
        self.most, *counts = map(int, lines[0].split()[1:6])
        rows, at = [], 1
        for count in counts:
            rows.append([tuple(map(int, line.split())) for line in lines[at:at + count]])
            at += count
        self.inputs = [row[0] for row in rows[0]]
        self.registers, self.following = [row[0] for row in rows[1]], [row[1] for row in rows[1]]
        self.outputs = [row[0] for row in rows[2]]
        self.ands = rows[3]
        self.select = {}  # bit of the selecting input: its node
        for line in lines[at:]:
            found = re.fullmatch(rf"i(\d+) {CTRL}(?:\[(\d+)\])?", line)
            if found:
                self.select[int(found.group(2) or 0)] = self.inputs[int(found.group(1))] >> 1
        # Registers that nothing reads represent inputs of a memory that is not modelled.
        read = {literal >> 1 for row in self.ands for literal in row[1:]}
        read |= {literal >> 1 for literal in self.following + self.outputs}
        self.observed = {place for place, node in enumerate(self.registers) if node >> 1 not in read}

    def copy(self, question, mutant, state):
        """The logic with a mutant over a state: next values and outputs."""
        literal = [0] * (self.most + 1)
        for place, node in enumerate(self.inputs):
            literal[node >> 1] = 2 * (place + 1)
        for node, value in zip(self.registers, state):
            literal[node >> 1] = value
        for bit, node in self.select.items():
            literal[node] = mutant >> bit & 1
        for out, left, right in self.ands:
            literal[out >> 1] = question.both(literal[left >> 1] ^ (left & 1), literal[right >> 1] ^ (right & 1))
        return tuple([literal[node >> 1] ^ (node & 1) for node in wanted] for wanted in (self.following, self.outputs))

    def write_state_question(self, mutant, path):
        """False: the answer is known, the logic is the same."""
        question = Question(len(self.inputs), len(self.registers))
        state = [2 * (len(self.inputs) + place + 1) for place in range(len(self.registers))]
        original, mutated = (self.copy(question, number, state) for number in (0, mutant))
        output = question.differ(zip(original[0] + original[1], mutated[0] + mutated[1]))
        question.write(path, original[0], output)
        return output != 0

    def write_product_question(self, mutant, path):
        first, count = len(self.inputs) + 1, len(self.registers)
        own = []  # registers of which the mutant has its own, in the order in which they were found
        while True:
            question = Question(len(self.inputs), count + len(own))
            state = [2 * (first + place) for place in range(count)]
            other = list(state)
            for index, place in enumerate(own):
                other[place] = 2 * (first + count + index)
            original, mutated = self.copy(question, 0, state), self.copy(question, mutant, other)
            known = set(own)
            new = [place for place in range(count)
                   if original[0][place] != mutated[0][place] and place not in known and place not in self.observed]
            if not new:
                break
            own += new
        seen = sorted(self.observed)
        output = question.differ(zip(original[1] + [original[0][place] for place in seen],
                                     mutated[1] + [mutated[0][place] for place in seen]))
        question.write(path, original[0] + [mutated[0][place] for place in own], output)


def ask(path, seconds):
    # Without -a, ABC of yosys 0.52 says UNDECIDED of an output that is reduced to 0.
    script = f"read_aiger {path.name}; strash; scleanup; dc2; scorr; pdr -a -T {seconds}"
    try:
        result = subprocess.run(["yosys-abc", "-c", script], capture_output=True, text=True, check=False,
                                cwd=path.parent,
                                timeout=2 * seconds)
    except subprocess.TimeoutExpired:
        return False
    return "Proved = 1." in result.stdout


def prove(logic, mutant, folder, seconds):
    """Reason why a mutant equals the original: "the same logic", "states not reached", "never at an output", or
    None."""
    question = folder / f"question_{mutant}.aig"
    try:
        if not logic.write_state_question(mutant, question):
            return "the same logic"
        if ask(question, seconds):
            return "in no state that is reached"
        logic.write_product_question(mutant, question)
        return "at no output" if ask(question, seconds) else None
    finally:
        question.unlink(missing_ok=True)
