# SPDX-License-Identifier: Apache-2.0
"""Function and expression of a change: a key that moves of files, edits of other statements and line breaks leave
unchanged.

Requires sources that clang-format has written: blocks are indented, and a blank follows a block's brace but no brace of
a list.
"""

import bisect
import functools
import re

from .changes import closing, mask

BORDER = re.compile(r";(?=\s*(?:\n|\}|\Z))|\{(?=\s)|(?<=\s)\}|\{\}(?=\s*\n)|:(?=\s*\n)")
HEADER = re.compile(r"(?:else )?(?:if|for|while|switch)(?: constexpr)? \(")
INITIALIZERS = re.compile(r"\)\s*(?:noexcept\s*)?:\s")
TYPE = re.compile(r"\b(?:class|struct|union|enum class|enum) (\w+)[^;(]*$")
NO_NAME = re.compile(r"\balignas\([^)]*\) |\[\[[^]]*\]\] ")
FUNCTION = re.compile(r"((?:\w+::)*(?:operator\(\)|operator ?[^\s(]+|~?\w+))\(")
NO_FUNCTION = re.compile(r"(?:\} )?(?:else|if|for|while|switch|do|catch|case|return|template|namespace|public|private|"
                         r"protected)\b|[:?&|+,]")


@functools.lru_cache(maxsize=8)
def masked(text):
    """Code of a source without comments, its lines, and the ends and starts of all borders between statements."""
    code = mask(text)
    borders = list(BORDER.finditer(code))
    return (code, code.split("\n"), [0] + [border.end() for border in borders],
            [border.start() for border in borders] + [len(code)])


def without_arguments(line):
    """The line without template arguments."""
    shorter = re.sub(r"<[^<>]*>", "", line)
    return line if shorter == line else without_arguments(shorter)


def scope_of(lines, number):
    """Enclosing types and function of a line, without namespaces: "InputVc::begin"; "InputVc" for a member; "namespace"
    for neither."""
    names, indent = [], None
    for line in reversed(lines[:number]):
        text = line.strip()
        own = len(line) - len(line.lstrip())
        if not text or (indent is not None and own >= indent):
            continue
        bare = without_arguments(NO_NAME.sub("", text))
        kind, function = TYPE.search(bare.partition("{")[0]), FUNCTION.search(bare)
        if kind:
            names.insert(0, kind[1])
        elif function and not NO_FUNCTION.match(bare) and (indent is not None or " { " in bare
                                                           or bare.endswith(("{", "{}"))):
            names = [function[1]]  # functions found so far are calls or lambdas in its body
        indent = own
        if own == 0:
            break
    return "::".join(names) or "namespace"


def element(code, start, end, change):
    """The initializer of a constructor that contains the change; without one, the range unchanged."""
    head = INITIALIZERS.search(code, start, end)
    if head is None or head.end() > change.start:
        return start, end
    start, depth = head.end(), 0
    for at in range(start, end):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if code[at] == "," and depth == 0:
            if at >= change.end:
                return start, at
            start = at + 1
    return start, end


def expression_of(text, change):
    """(scope, expression before the change, expression after it). The expression is a condition, or a statement with
    the header that controls it."""
    code, lines, ends, starts = masked(text)
    start = ends[bisect.bisect_right(ends, change.start) - 1]
    end = starts[bisect.bisect_left(starts, change.end)]
    start += len(code[start:end]) - len(code[start:end].lstrip())
    header = HEADER.match(code, start)
    if header and change.end <= closing(code, header.end() - 1) + 1:
        end = closing(code, header.end() - 1) + 1
    elif not header:
        start, end = element(code, start, end, change)

    def bare(first, last):
        return "".join(letter for letter, mark in zip(text[first:last], code[first:last])
                       if mark != " " or letter.isspace())

    def line(words):
        return re.sub(r"(?<=[(\[]) | (?=[)\]])", "", " ".join(words.split()))
    after = bare(start, change.start) + re.sub("//.*", "", change.replacement) + bare(change.end, end)
    return scope_of(lines, change.line(text)), line(bare(start, end)), line(after)
