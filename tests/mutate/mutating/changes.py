# SPDX-License-Identifier: Apache-2.0
"""Places in C++ text where one operator makes one change that still parses."""

import dataclasses
import re

OPERATORS = ("comparison", "one", "negation", "dropped", "return")
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
NOTHING = re.compile(r"0[uUlL]*|\{\}|false|nullptr|0\.0|\"\"")
# Not code that runs: comments, preprocessor lines with what they continue on, static assertions.
SILENT = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|\bstatic_assert\b[^;]*;",
                    re.DOTALL | re.MULTILINE)
TEXT = re.compile(r"R\"\((?:.*?)\)\"|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])'", re.DOTALL)
INTEGER = re.compile(r"(?<![\w.'])(0[xX][0-9a-fA-F']+|\d[\d']*)([uUlL]*)(?![\w.'])")
ASSIGNMENT = re.compile(r"[^\s=]+ (?:[-+*/%&|^]|<<|>>)?= \S.*", re.DOTALL)
CALL = re.compile(r"[A-Za-z_:][^\s=]*\(.*\)", re.DOTALL)
ALONE = re.compile(r"break|continue|return|throw .*|(?:\+\+|--)\S+|\S+(?:\+\+|--)", re.DOTALL)
HEADER = re.compile(r"(?:if|for|while|switch)(?: constexpr)? ?$")


@dataclasses.dataclass(frozen=True, order=True)
class Change:
    """Replaces text[start:end]; `operator` is one of OPERATORS."""

    start: int
    end: int
    replacement: str
    operator: str

    def apply(self, text):
        return text[: self.start] + self.replacement + text[self.end :]

    def line(self, text):
        return text.count("\n", 0, self.start) + 1


def mask(text):
    """Text of the same length with blanks for whatever is no code and underscores inside texts."""
    pieces, at = [], 0
    token = re.compile(f"(?P<silent>{SILENT.pattern})|(?P<text>{TEXT.pattern})", re.DOTALL | re.MULTILINE)
    for found in token.finditer(text):
        pieces.append(text[at : found.start()])
        body = found[0]
        if found["silent"] is not None:
            pieces.append(re.sub(r"[^\n]", " ", body))
        else:
            pieces.append(body[0] + re.sub(r"[^\n]", "_", body[1:-1]) + body[-1])
        at = found.end()
    return "".join(pieces) + text[at:]


def closing(code, opening):
    """Position of the bracket that closes the one at `opening`; -1 where none does."""
    depth = 0
    for at in range(opening, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth == 0:
            return at
    return -1


def comparisons(code):
    for found in re.finditer(r"(?<= )(<=|>=|==|!=|<|>)(?=[ \n])", code):
        yield Change(found.start(), found.end(), COMPARISONS[found[0]], "comparison")


def ones(code):
    for found in INTEGER.finditer(code):
        digits, suffix = found[1].replace("'", ""), found[2]
        base = 16 if digits[:2].lower() == "0x" else 10
        if base == 10 and len(digits) > 1 and digits[0] == "0":
            continue
        value = int(digits, base)
        for changed in (value + 1, value - 1):
            if changed >= 0:
                yield Change(found.start(), found.end(), (hex(changed) if base == 16 else str(changed)) + suffix, "one")


def negations(code, text):
    for found in re.finditer(r"\b(?:if|while) \(", code):
        opening = found.end() - 1
        end = closing(code, opening)
        inside = code[opening + 1 : end]
        # A condition that declares a variable cannot be negated as a whole.
        if end > 0 and ";" not in inside and not re.search(r"[^=!<>]=[^=]", inside):
            yield Change(opening, end + 1, f"(!{text[opening : end + 1]})", "negation")
    for found in re.finditer(r"(?<![\w\)])!(?=[\w(])", code):
        yield Change(found.start(), found.end(), "", "negation")
    for found in re.finditer(r"\b(true|false)\b", code):
        yield Change(found.start(), found.end(), "false" if found[0] == "true" else "true", "negation")


def statements(code):
    """(start, end) of simple statements, each without its semicolon."""
    start, stack = 0, []
    for at, letter in enumerate(code):
        if letter in "([":
            stack.append((letter, HEADER.search(code[max(0, at - 20) : at]) is not None))
        elif letter in ")]":
            if stack:
                _, header = stack.pop()
                if header:
                    start = at + 1
        elif letter == "{":
            stack.append((letter, False))
            start = at + 1
        elif letter == "}":
            while stack and stack.pop()[0] != "{":
                pass
            start = at + 1
        elif letter == ";":
            # The semicolons of a for statement's head end nothing.
            if not stack or stack[-1][0] == "{":
                yield start, at
                start = at + 1
        elif letter == ":" and re.search(r"(?:^|[\s{])(?:case [\w:']+|default|public|private|protected)$",
                                         code[start:at]):
            start = at + 1


def stripped(code, start, end):
    text = code[start:end]
    start += len(text) - len(text.lstrip())
    if code.startswith("else ", start) and not code.startswith("else if", start):
        start += 5
    return start, start + len(code[start:end].rstrip())


def dropped(code):
    for start, end in (stripped(code, *ends) for ends in statements(code)):
        text = code[start:end]
        # The left side may hold blanks in its brackets: a[b + 1] = c.
        bare = re.sub(r"\[[^\]]*\]", "[]", text)
        declaration = re.search(r"\((?:const \w|unsigned )", text) and not re.search(r"\w\s*\(.*\(", text)
        if ALONE.fullmatch(text) or ASSIGNMENT.fullmatch(bare) or (CALL.fullmatch(bare) and not declaration):
            # Lines stay where they are.
            yield Change(start, end, "\n" * text.count("\n"), "dropped")


def returns(code):
    for start, end in (stripped(code, *ends) for ends in statements(code)):
        text = code[start:end]
        value = text[7:].strip()
        if not text.startswith("return ") or not value or value == "true" or NOTHING.fullmatch(value):
            continue
        for constant in ("{}", "1"):
            if value != constant:
                yield Change(start + 7, end, constant + "\n" * text.count("\n"), "return")


def changes(text):
    """All changes of a source's text, in order of operator and place."""
    code = mask(text)
    found = {"comparison": comparisons(code), "one": ones(code), "negation": negations(code, text),
             "dropped": dropped(code),
             "return": returns(code)}
    return [change for operator in OPERATORS for change in sorted(found[operator])]
