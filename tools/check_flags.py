#!/usr/bin/env python3
"""Checks that no text outside hone/cli and hone/library, which calls it, names a flag or a command of hone.

Messages speak of meanings; the command line adds its own words (hone/cli/hint_words.cc).

Usage: check_flags.py [REPOSITORY]
"""

import re
import sys
from pathlib import Path

# Flags of other programs, by the file that names them.
OTHERS = {
    "hone/device/host_programs.cc": {"--version"},
    "hone/profile/import/import.cc": {"--csv", "--page"},
    "hone/profile/import/nsight_compute.cc": {"--csv", "--page"},
    "hone/profile/import/tflite.cc": {"--enable_op_profiling"},
    "hone/profile/import/trtexec_profile.cc": {"--exportProfile"},
    "hone/profile/import/trtexec_times.cc": {"--exportTimes"},
    "hone/profile/import/vela.cc": {"--verbose-performance"},
    "hone/targets/cortex_m/firmware_run.cc": {"--gc-sections", "--specs"},
    "hone/targets/hexagon/dsp_run.cc": {"--mattr", "--mcpu", "--no-show-raw-insn", "--target"},
    "hone/workbench/points/benchmark_app.cc": {"--path_to_model"},
    "hone/workbench/points/trtexec_log.cc": {"--loadEngine", "--onnx"},
}
# Nobody but tests sees what is in these.
TESTS = re.compile(r"_test\.cc$|_bench\.cc$|_fuzz\.cc$|testing\.h$|report_examples\.h$")
SOURCES = {".h", ".cc", ".cu", ".c", ".inc"}
PAGES = {".js", ".html"}

TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])'|R"(\w*)\((?P<raw>.*?)\)\1"|"(?P<plain>(?:\\.|[^"\\\n])*)\"""",
    re.DOTALL)
FLAG = re.compile(r"(?<![\w-])--[a-zA-Z][\w-]*")
COMMAND_NAME = re.compile(r'\.name = "(\w+)"')


def strings_of(source: str) -> list[tuple[int, str]]:
    """The string literals of C++, each with its line."""
    literals = []
    for match in TOKEN.finditer(source):
        text = match["raw"] if match["raw"] is not None else match["plain"]
        if text is not None:
            literals.append((source.count("\n", 0, match.start()) + 1, text))
    return literals


def own_flags(root: Path) -> set[str]:
    """Those that the sources of the command line name."""
    return {flag for path in (root / "hone/cli").rglob("*.cc") for flag in FLAG.findall(path.read_text())}


def command_pattern(root: Path) -> re.Pattern:
    sources = [path.read_text() for path in (root / "hone/cli/commands").glob("*.cc")]
    names = sorted({name for source in sources for name in COMMAND_NAME.findall(source)})
    return re.compile(rf"\bhone (?:{'|'.join(names)})\b")


def problems_in(root: Path) -> list[str]:
    own = own_flags(root)
    command = command_pattern(root)
    problems = [] if own else [f"{root}: no flags in hone/cli"]
    for path in sorted((root / "hone").rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith(("hone/cli/", "hone/library/")) or TESTS.search(name) or path.suffix not in SOURCES | PAGES:
            continue
        page = path.suffix in PAGES
        texts = enumerate(path.read_text().splitlines(), 1) if page else strings_of(path.read_text())
        for line, text in texts:
            flags = set(FLAG.findall(text)) - OTHERS.get(name, set())
            if page:
                flags &= own  # Variables of CSS look like flags.
            for word in sorted(flags | set(command.findall(text))):
                problems.append(f"{name}:{line}: names {word}, which is for hone/cli to say")
    return problems


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems = problems_in(root)
    print("\n".join(problems or ["only hone/cli names its flags"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
