#!/usr/bin/env python3
"""Prints how far classes of devices were off in cross-validation, as a table for docs/accuracy.md,
and a sentence for docs/howto/compare_devices.md.

usage: class_accuracy.py hone/device/classes/*.toml
"""

import sys
import tomllib

POINTS = (0, 1, 3, 10)


def cells(entries, held_out, planned, value):
    by_points = {
        entry["points"]: entry
        for entry in entries
        if entry["held_out"] == held_out and entry.get("planned", False) == planned
    }
    return [value(by_points[k]) if k in by_points else "-" for k in POINTS]


def error(entry):
    return f"{100 * entry['median_error']:.0f} %"


def width(entry):
    """How far an interval reaches up and down, and half of what is between its ends."""
    up = 1 + entry["half_width"]
    return f"+{100 * (up - 1):.0f}, -{100 * (1 - 1 / up):.0f} % ({50 * (up - 1 / up):.0f})"


def held(entry):
    return f"{100 * entry['held']:.0f} %"


def of_one_point(classes, planned):
    """From the least to the most over the classes, for devices that were held out."""
    errors = [
        round(100 * entry["median_error"])
        for known in classes
        for entry in known.get("accuracy", [])
        if entry["held_out"] == "device"
        and entry["points"] == 1
        and entry.get("planned", False) == planned
    ]
    return f"{min(errors)} to {max(errors)} %"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    print(
        "| class | devices, networks, times | not seen before | 0 points | 1 | 3 | 10 "
        "| 1 planned | 3 | 10 | interval, 1 | 1 planned | held, 1 |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    classes = []
    for path in sorted(sys.argv[1:]):
        with open(path, "rb") as file:
            known = tomllib.load(file)
        classes.append(known)
        source = known["learned_from"]
        counts = f"{source['devices']}, {source['networks']}, {source['rows']}"
        entries = known.get("accuracy", [])
        if not entries:
            print(f"| {known['name']} | {counts} | nothing held out: one device |" + " - |" * 10)
        for held_out in ("device", "device and network"):
            errors = cells(entries, held_out, False, error) + cells(entries, held_out, True, error)[1:]
            widths = [cells(entries, held_out, planned, width)[1] for planned in (False, True)]
            if entries:
                figures = " | ".join(errors + widths + [cells(entries, held_out, False, held)[1]])
                print(f"| {known['name']} | {counts} | {held_out} | {figures} |")
    print(
        f"\nOne planned point brings the median error on devices that nobody measured to "
        f"{of_one_point(classes, True)}, by class; one drawn at random to "
        f"{of_one_point(classes, False)}."
    )


if __name__ == "__main__":
    main()
