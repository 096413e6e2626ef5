#!/usr/bin/env python3
"""Checks that headers include what declares the standard names they use, by themselves or through others of Hone.

The compiler cannot tell: the headers of tools/standard_headers.h are parsed ahead when every header
is compiled by itself.

Usage: check_standard_includes.py [REPOSITORY]
"""

import re
import sys
from functools import cache
from pathlib import Path

AHEAD = "tools/standard_headers.h"
STANDARD = re.compile(r"^\s*#\s*include\s+<([\w/.+]+)>", re.MULTILINE)
OWN = re.compile(r'^\s*#\s*include\s+"(hone/[^"]+)"', re.MULTILINE)
NAME = re.compile(r"\bstd::(?:ranges::|filesystem::)?\w+")
INTEGER = re.compile(r"(?<![\w:])(?:std::)?u?int(?:8|16|32|64)_t\b")
COMMENT = re.compile(r"//.*")

# The names that Hone's headers use of each; others are added when a check asks for them.
DECLARES = {
    "algorithm": "min max clamp copy copy_n fill fill_n all_of any_of equal sort find lower_bound "
                 "ranges::find ranges::any_of ranges::all_of ranges::copy ranges::fill ranges::equal "
                 "ranges::max_element ranges::sort",
    "array": "array",
    "cmath": "abs round sqrt floor ceil pow log2 log10 exp isnan isfinite nearbyint ldexp frexp cos sin tanh",
    "filesystem": "filesystem::path filesystem::remove filesystem::remove_all filesystem::exists "
                  "filesystem::temp_directory_path",
    "functional": "function greater plus multiplies hash reference_wrapper",
    "map": "map multimap",
    "memory": "unique_ptr shared_ptr weak_ptr make_unique make_shared",
    "optional": "optional nullopt",
    "span": "span as_bytes as_writable_bytes",
    "string": "string to_string",
    "string_view": "string_view",
    "unordered_map": "unordered_map",
    "variant": "variant get_if visit holds_alternative monostate",
    "vector": "vector",
}
DECLARED_BY = {f"std::{name}": header for header, names in DECLARES.items() for name in names.split()}
# What a header brings along.
BRINGS = {"string": {"string_view"}}


def uses(text: str) -> set[tuple[str, str]]:
    """Pairs of a name and the header that declares it."""
    found = {(name, DECLARED_BY[name]) for name in NAME.findall(text) if name in DECLARED_BY}
    return found | {(name, "cstdint") for name in INTEGER.findall(text)}


def problems_in(root: Path) -> list[str]:
    @cache
    def includes(path: Path) -> frozenset[str]:
        """The standard headers that `path` includes, by itself or through others of Hone."""
        text = path.read_text()
        found = set(STANDARD.findall(text))
        for own in OWN.findall(text):
            if (root / own).exists() and own.endswith(".h"):
                found |= includes(root / own)
        return frozenset(found.union(*(BRINGS.get(header, set()) for header in found)))

    problems = [f"{AHEAD}: which names does <{header}> declare? {Path(__file__).name} has none"
                for header in STANDARD.findall((root / AHEAD).read_text())
                if header not in DECLARES and header != "cstdint"]
    for path in sorted((root / "hone").rglob("*.h")):
        text = COMMENT.sub("", path.read_text())
        problems += [f"{path.relative_to(root)}: uses {name} without <{header}>"
                     for name, header in sorted(uses(text)) if header not in includes(path)]
    return problems


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems = problems_in(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
