#!/usr/bin/env python3
"""Prints what Hone's firmware takes beside what libraries took on the same boards, as tables for docs/howto/firmware.md
and docs/accuracy.md.

usage: firmware_tables.py HONE MODELS_FOLDER mlperf_tiny.csv

MODELS_FOLDER has the four networks of MLPerf Tiny as NAME_int8.tflite; the table is that of published runs.
"""

import csv
import json
import math
import re
import statistics
import subprocess
import sys
from pathlib import Path

NETWORKS = ("ad", "ic", "kws", "vww")
# A device of the catalog, and the board in the table of published runs.
BOARDS = {
    "cortex-m7": ("NUCLEO-H7A3ZI", 280),
    "cortex-m7-216": ("DISCO-F746NG", 216),
    "cortex-m4": ("NUCLEO-L4R5ZI", 120),
    "cortex-m33": ("NUCLEO-U575ZI-Q", 160),
}
# Libraries whose kernels are of the same kind, in C and assembler for the DSP extension.
TUNED = ("X-CUBE-AI", "Plumerai", "Bosch")


def metric(metrics, name):
    return next(m["value"] for m in metrics if m["name"] == name)


def profile(hone, model, device, *flags):
    command = [hone, "profile", model, "-d", device, "--json", "-", *flags]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["results"]


def macs_of(hone, model):
    """Those of the network as its file has it; firmware may leave some out."""
    return sum(step["macs"] for step in profile(hone, model, "cortex-m7", "--estimate")["steps"])


def cycles_per_mac(result):
    return metric(result["counters"], "cycles") / result["macs"]


def published(table):
    """Milliseconds by board, library and network: the least of its runs."""
    best = {}
    with open(table, newline="") as file:
        for row in csv.DictReader(file):
            if row["precision"] != "int8" or row["division"] != "closed" or row["accelerator"]:
                continue
            for board, (name, mhz) in BOARDS.items():
                if not row["board"].upper().startswith(name) or float(row["frequency_MHz"]) != mhz:
                    continue
                key = (board, row["framework"].split(" (")[0].strip(), row["benchmark"])
                best[key] = min(best.get(key, math.inf), float(row["latency_ms"]))
    return best


def line(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(titles, rows):
    return "\n".join([line(titles), "|" + "---|" * len(titles), *(line(row) for row in rows)])


def sizes_table(runs):
    rows = []
    for network in NETWORKS:
        result = runs["cortex-m7", network]
        memory = result["memory"]
        code, weights = (int(metric(memory, name)) for name in ("code", "weights"))
        instructions = metric(result["counters"], "instructions")
        macs = result["macs"]
        rows.append(
            [network, f"{int(metric(memory, 'activations')):,}", f"{int(metric(memory, 'stack')):,}", f"{weights:,}", f"{code:,}", f"{code + weights:,}",
             f"{instructions / 1e6:.2f} M", f"{instructions / macs:.2f}"]
        )
    titles = ["network", "RAM, bytes", "stack", "weights and tables", "code", "all of flash", "instructions of a run", "of a multiply-add"]
    return table(titles, rows)


def time_table(runs, best):
    rows = []
    for network in NETWORKS:
        row = [network]
        for board in ("cortex-m7", "cortex-m4"):
            latency = runs[board, network]["latency"][0]
            times = {key[1]: ms for key, ms in best.items() if key[0] == board and key[2] == network}
            library = min(times, key=times.get)
            row += [f"{latency['value']:.2f} ({latency['low']:.2f} to {latency['high']:.2f})",
                    f"{times[library]:.2f}, {library}"]
        rows.append(row)
    titles = ["network", "M7 at 280 MHz, ms", "best published", "M4 at 120 MHz, ms", "best published"]
    return table(titles, rows)


def ratio_rows(runs, best):
    """Published cycles of a multiply-add over those that are predicted for Hone's firmware."""
    for board, (name, mhz) in BOARDS.items():
        for library in sorted({key[1] for key in best if key[0] == board and key[1].startswith(TUNED)}):
            ratios = []
            for network in NETWORKS:
                ms = best.get((board, library, network))
                ratios.append(ms and ms / runs[board, network]["latency"][0]["value"])
            yield name, mhz, library, ratios


def accuracy_table(runs, best):
    rows = []
    for board, (name, mhz) in BOARDS.items():
        cells = []
        for network in NETWORKS:
            result = runs[board, network]
            cells.append(f"{cycles_per_mac(result):.2f}")
        rows.append([f"{name}, {mhz} MHz", "Hone, predicted", *cells, ""])
        for of, _, library, ratios in ratio_rows(runs, best):
            if of != name:
                continue
            cells = []
            for network, ratio in zip(NETWORKS, ratios):
                predicted = cycles_per_mac(runs[board, network])
                cells.append(f"{ratio * predicted:.2f} ({ratio:.2f})" if ratio else "")
            known = [ratio for ratio in ratios if ratio]
            spread = math.exp(statistics.pstdev([math.log(ratio) for ratio in known]))
            rows.append(["", library, *cells, f"{spread:.2f}"])
    return table(["board", "software", *NETWORKS, "spread"], rows)


def deviation(logs_by_library):
    """Of what is left of the logarithms when every library is as fast as it is."""
    squares = sum((log - statistics.mean(logs)) ** 2 for logs in logs_by_library.values() for log in logs)
    free = sum(len(logs) - 1 for logs in logs_by_library.values())
    return math.sqrt(squares / free)


def leaves_channels_out(ratios):
    """Most channels of vww are always zero, which Hone's firmware does not compute; who computes them is slower there."""
    by_network = dict(zip(NETWORKS, ratios))
    return by_network["vww"] < 1.3 * by_network["kws"]


def spread_row(title, logs):
    deviated = deviation(logs)
    return [title, sum(map(len, logs.values())), "", f"{math.exp(deviated):.2f}",
            f"nine of ten within a factor of {math.exp(1.645 * deviated):.2f}"]


def spread_table(runs, best):
    """How constant the ratio of a library to Hone is over boards and networks."""
    logs, alike = {}, {}
    for _, _, library, ratios in ratio_rows(runs, best):
        library = re.sub(r"( v\d+\.\d+)\.0$", r"\1", library)
        known = [math.log(ratio) for ratio in ratios if ratio]
        logs.setdefault(library, []).extend(known)
        if leaves_channels_out(ratios):
            alike.setdefault(library, []).extend(known)
    rows = [
        [library, len(own), f"{math.exp(statistics.mean(own)):.2f}", f"{math.exp(statistics.stdev(own)):.2f}",
         f"{math.exp(min(own)):.2f} to {math.exp(max(own)):.2f}"]
        for library, own in sorted(logs.items())
    ]
    rows.append(spread_row("all, each about its own mean", logs))
    rows.append(spread_row(f"of these {', '.join(sorted(alike))}", alike))
    return table(["software", "runs", "ratio, mean", "deviation", "from, to"], rows)


def main():
    hone, models, csv_file = sys.argv[1:]
    runs = {}
    for network in NETWORKS:
        model = str(Path(models) / f"{network}_int8.tflite")
        macs = macs_of(hone, model)
        for device in BOARDS:
            runs[device, network] = {**profile(hone, model, device), "macs": macs}
    best = published(csv_file)
    print("<!-- sizes -->\n" + sizes_table(runs))
    print("<!-- times -->\n" + time_table(runs, best))
    print("<!-- cycles -->\n" + accuracy_table(runs, best))
    print("<!-- spread -->\n" + spread_table(runs, best))


if __name__ == "__main__":
    main()
