#!/usr/bin/env python3
"""Prints a page with the outputs that its script printed, in place of those that stand there.

Usage: fill_page.py PAGE.md TRANSCRIPT

A block of the transcript is a line `$ command`, which goes on behind a backslash, or `<!-- NAME -->`, then its output. On the
page the output of a command is what is indented below it, as the command is; that of a name reaches to `<!-- end -->`. A block
whose output is `(not run)` stays as the page has it. Exit code 1 when one has a block that the other has not.
"""

import re
import sys
from pathlib import Path

INDENT = "    "
NOT_RUN = ["(not run)"]
END = "<!-- end -->"
NAMED = re.compile(r"<!-- \w+ -->")


def without_empty_ends(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


def is_command(line: str) -> bool:
    return line.startswith("$ ")


def is_named(line: str) -> bool:
    return bool(NAMED.fullmatch(line)) and line != END


def take_key(lines: list[str], at: int, indent: str) -> tuple[str, int]:
    """The block's first line, or lines where a command goes on, and where its output begins."""
    end = at + 1
    while lines[end - 1].endswith("\\") and end < len(lines):
        end += 1
    return "\n".join(line.removeprefix(indent) for line in lines[at:end]), end


def read_transcript(text: str) -> dict[str, list[str]]:
    blocks: dict[str, list[str]] = {}
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        key, end = take_key(lines, at, "")
        at = end
        while at < len(lines) and not is_command(lines[at]) and not is_named(lines[at]):
            at += 1
        blocks[key] = without_empty_ends([line.rstrip() for line in lines[end:at]])
    return blocks


def end_of_output(lines: list[str], at: int, key: str) -> int:
    """Where the output that stands on the page ends; the empty lines behind a command's are none of it."""
    end = at
    if is_named(key):
        while end < len(lines) and lines[end] != END:
            end += 1
        return end
    while end < len(lines) and (not lines[end] or lines[end].startswith(INDENT)):
        if is_command(lines[end].removeprefix(INDENT)):
            break
        end += 1
    return at + len(without_empty_ends(lines[at:end]))


def fill(page: str, blocks: dict[str, list[str]]) -> tuple[str, list[str]]:
    """The filled page, and what is wrong."""
    lines = page.splitlines()
    filled: list[str] = []
    missing = dict.fromkeys(blocks)
    problems = []
    at = 0
    while at < len(lines):
        line = lines[at]
        indent = INDENT if line.startswith(INDENT) else ""
        if not (indent and is_command(line.removeprefix(indent))) and not is_named(line):
            filled.append(line)
            at += 1
            continue
        key, begin = take_key(lines, at, indent)
        end = end_of_output(lines, begin, key)
        filled += lines[at:begin]
        missing.pop(key, None)
        if key not in blocks:
            problems.append(f"the script does not run: {key}")
        if blocks.get(key, NOT_RUN) == NOT_RUN:
            filled += lines[begin:end]
        else:
            filled += [indent + output if output else "" for output in blocks[key]]
        at = end
    problems += [f"the page does not show: {key}" for key in missing]
    return "\n".join(filled) + "\n", problems


def main() -> None:
    page, transcript = Path(sys.argv[1]), Path(sys.argv[2])
    filled, problems = fill(page.read_text(), read_transcript(transcript.read_text()))
    for problem in problems:
        print(f"{page}: {problem}", file=sys.stderr)
    if problems:
        sys.exit(1)
    sys.stdout.write(filled)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
