#!/usr/bin/env python3
"""Checks that includes between modules follow hone_module(... DEPENDS ...) and form no cycle.

Usage: check_layers.py [REPOSITORY]
"""

import re
import sys
from pathlib import Path

MODULE = re.compile(r"^\s*hone_module\(\s*(\w+)([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+"hone/(\w+)/', re.MULTILINE)
COMMENT = re.compile(r"#.*")
SOURCES = {".h", ".cc", ".cu", ".c", ".inc"}


def section(arguments: str, keyword: str) -> list[str]:
    """The words between `keyword` and the next keyword."""
    found = re.search(rf"\b{keyword}\b(.*?)(?:\b(?:DEPENDS|LINK)\b|$)", arguments, re.DOTALL)
    return found.group(1).split() if found else []


def allowed_by_module(root: Path) -> dict[str, set[str]]:
    allowed = {}
    for cmake in sorted((root / "hone").glob("*/CMakeLists.txt")):
        for name, arguments in MODULE.findall(COMMENT.sub("", cmake.read_text())):
            allowed[name] = set(section(arguments, "DEPENDS")) | {name}
    return allowed


def cycle(allowed: dict[str, set[str]]) -> list[str]:
    """The modules left once every module whose dependencies are all gone is taken away."""
    left = {name: deps - {name} for name, deps in allowed.items()}
    while free := [name for name, deps in left.items() if not deps & left.keys()]:
        for name in free:
            del left[name]
    return sorted(left)


def problems_in(root: Path) -> list[str]:
    allowed = allowed_by_module(root)
    problems = []
    if not allowed:
        problems.append(f"{root}: no hone/*/CMakeLists.txt with a hone_module line")
    if ring := cycle(allowed):
        problems.append(f"cycle among: {', '.join(ring)}")
    for name, deps in allowed.items():
        problems += [f"{name} depends on {dep}, which is no module" for dep in sorted(deps - allowed.keys())]
    for path in sorted((root / "hone").rglob("*")):
        if path.suffix not in SOURCES:
            continue
        module = path.relative_to(root / "hone").parts[0]
        for included in INCLUDE.findall(path.read_text()):
            if module in allowed and included not in allowed[module]:
                problems.append(f"{path.relative_to(root)}: {module} may not include {included}")
    return problems


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems = problems_in(root)
    print("\n".join(problems or ["all includes follow the layers"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
