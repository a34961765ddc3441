# SPDX-License-Identifier: Apache-2.0
"""A text with many changes at once, of which a number at run time says the one that is on."""

import collections
import re

NAMES = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
WORD_BEFORE = re.compile(r"\b(?:return|case|throw|else)$")

# Included before each changed file.
DECLARATIONS = "\n".join(
    ["#pragma once", 'extern "C" int tsuji_mutant_;', "#define TSUJI_MUTANT(number) (tsuji_mutant_ == (number))"]
    + [f"template <class A, class B> inline bool tsuji_mutant_{name}(int number, const A& a, const B& b) "
       f"{{ return TSUJI_MUTANT(number) ? a {OTHER[sign]} b : a {sign} b; }}" for sign, name in NAMES.items()]) + "\n"
# Linked into each executable.
DEFINITIONS = """#include <stdlib.h>
int tsuji_mutant_;
__attribute__((constructor(101))) static void begin(void) {
  const char* text = getenv("TSUJI_MUTANT");
  if (text) tsuji_mutant_ = atoi(text);
}
"""


def ends_operand(code, at):
    """At depth 0, what binds weaker than a comparison: the operand does not reach over it."""
    two = code[at : at + 2]
    if code[at] in ";,?" or two in ("&&", "||"):
        return True
    if code[at] == ":":
        return code[at - 1] != ":" and code[at + 1] != ":"
    if two in ("==", "!="):
        return code[at - 1] == " "
    if code[at] == "=":
        return code[at - 1] not in "=!<>"
    return code[at] in "&|^" and code[at - 1] == " " and code[at + 1] == " "


def left_operand(code, at):
    """Start of the operand that ends before `at`."""
    depth = 0
    for here in range(at - 1, -1, -1):
        if code[here] in ")]}":
            depth += 1
        elif code[here] in "([{":
            depth -= 1
        operator = 2 if code[here : here + 2] in ("&&", "||", "==", "!=") else 1
        word = not code[here + 1].isalnum() and WORD_BEFORE.search(code[max(0, here - 9) : here + 1])
        if depth < 0 or (depth == 0 and (ends_operand(code, here) or word)):
            start = here + (1 if depth < 0 or word else operator)
            return start + len(code[start:at]) - len(code[start:at].lstrip())
    raise ValueError


def right_operand(code, at):
    """End of the operand that begins after `at`."""
    depth = 0
    for here in range(at, len(code)):
        if code[here] in "([{":
            depth += 1
        elif code[here] in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and ends_operand(code, here)):
            return at + len(code[at:here].rstrip())
    raise ValueError


def pieces(code, text, change, number):
    """([(place, rank among those at the same place, text to insert)], [(start, end, text in its place, or a
    constant)])"""
    start, end = change.start, change.end
    on = f"TSUJI_MUTANT({number})"
    if change.operator == "comparison":
        left, right = left_operand(code, start), right_operand(code, end)
        if not text[left:start].strip() or not text[end:right].strip():
            raise ValueError
        call = f"tsuji_mutant_{NAMES[text[start:end]]}({number}, ("
        return [(left, (1, left - right), call), (right, (0, right - left), "))")], [(start, end, None, "), (")]
    if change.operator == "negation" and text[start] == "(":
        return [(start, (1, start - end), f"({on} != static_cast<bool>("), (end, (0, end - start), "))")], []
    if change.operator == "negation" and text[start] == "!":
        return [(start, (1, 0), f"{on} != ")], []
    if change.operator in ("one", "negation"):
        return [], [(start, end, number, change.replacement)]
    if change.operator == "dropped":
        return [(start, (1, start - end - 2), f"if ({on}) ; else ")], []
    statement = text.rindex("return", 0, start)
    return [(statement, (1, statement - end - 1), f"if ({on}) return {change.replacement.strip()}; else ")], []


def switched(text, code, chosen):
    """The text with all changes of `chosen`, [(number, change)], and the numbers of those that do not fit in."""
    inserted, constants, out = [], collections.defaultdict(list), []
    for number, change in chosen:
        try:
            more, places = pieces(code, text, change, number)
        except ValueError:
            out.append(number)
            continue
        inserted += [(place, rank, words, place) for place, rank, words in more]
        for start, end, own, words in places:
            if own is None:
                inserted.append((start, (2, 0), words, end))
            else:
                constants[start, end].append(f"TSUJI_MUTANT({own}) ? {words} : ")
    for (start, end), choices in constants.items():
        inserted.append((start, (2, 0), f"({''.join(choices)}{text[start:end]})", end))
    result, at = [], 0
    for place, _, words, after in sorted(inserted):
        result += [text[at:place], words]
        at = after
    return "".join(result) + text[at:], out
