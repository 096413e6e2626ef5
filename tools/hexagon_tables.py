#!/usr/bin/env python3
"""Prints what the kernels of the Hexagon DSP reach, by vectors and by scalar code, and what threads bring, as the tables of
docs/howto/hexagon.md.

usage: hexagon_tables.py HONE hone/device/catalog/hexagon.toml

Scalar code is that of the same device without HVX: a copy of its file says so. Figures of the first table are of packets that an
emulator counted on one thread, those of the second are predicted from such packets.
"""

import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MACS = "multiply-adds"
ELEMENTS = "elements"
POINTWISE = ("hvx_pixels", "pixels", "pixels_fours", "dense", "dense_fours")
TABLES = ("hvx_look_up", "look_up")
DEPTHWISE = ("hvx_depthwise", "depthwise", "depthwise_channels")
# What, the network, the kernels (none: all of it), what is counted.
ROWS = (
    ("1x1 convolutions of mobilenet_v2", "mobilenet_v2", POINTWISE, MACS),
    ("depthwise layers of mobilenet_v2", "mobilenet_v2", DEPTHWISE, MACS),
    ("mobilenet_v2, the whole network", "mobilenet_v2", None, MACS),
    ("3x3 and other convolutions of resnet18", "resnet18", ("hvx_conv", "conv", "conv_fours"), MACS),
    ("resnet18, the whole network", "resnet18", None, MACS),
    ("ds_cnn_kws, the whole network", "ds_cnn_kws", None, MACS),
    ("tables of mobilenet_v3_large", "mobilenet_v3_large", TABLES, ELEMENTS),
)
THREADED = ("mobilenet_v2", "resnet18", "ds_cnn_kws")
THREADS = (1, 2, 4)


def metric(metrics, name):
    return next(m["value"] for m in metrics if m["name"] == name)


def profile(hone, network, device, threads=1):
    command = [hone, "profile", f"zoo:{network}:int8", "-d", str(device), "--threads", str(threads), "--json", "-"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["results"]


def elements(step):
    """Those of "i8[1,56,56,24]"."""
    return math.prod(int(extent) for extent in re.findall(r"\d+", step["output"].partition("[")[2]))


def per_packet(result, kernels, unit):
    steps = [step for step in result["steps"] if kernels is None or step["kernel"] in kernels]
    packets = sum(metric(step["counters"], "packets") for step in steps)
    if kernels is None:
        packets = metric(result["counters"], "packets")
    return sum(step["macs"] if unit == MACS else elements(step) for step in steps) / packets


def without_vectors(device, folder):
    text = device.read_text()
    name = re.search(r'^name = "(.*)"$', text, re.MULTILINE).group(1)
    file = folder / f"{name}_scalar.toml"
    text = text.replace(f'name = "{name}"', f'name = "{name}_scalar"', 1)
    file.write_text(text.replace("[dsp]\n", "[dsp]\nhvx = false\n", 1))
    return file


def print_threads(hone, device, one_thread):
    print("\n| network | threads | layers in parts | ms | times | waits for main memory |\n|---|---|---|---|---|---|")
    for network in THREADED:
        for threads in THREADS:
            result = one_thread[network, device] if threads == 1 else profile(hone, network, device, threads)
            ms = metric(result["latency"], "median")
            first = ms if threads == 1 else first
            waits = metric(result["counters"], "waits") / metric(result["counters"], "cycles")
            parts = sum(any(m["name"] == "parts" and m["value"] > 1 for m in s["counters"]) for s in result["steps"])
            cut = f"{parts} of {len(result['steps'])}"
            print(f"| {network} | {threads} | {cut} | {ms:.3g} | {first / ms:.2f} | {100 * waits:.0f} % |", flush=True)


def main():
    hone, device = sys.argv[1], Path(sys.argv[2])
    print("| layers | by vectors, a packet | by scalar code, a packet | times |\n|---|---|---|---|")
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        devices = (device, without_vectors(device, Path(folder)))
        for what, network, kernels, unit in ROWS:
            for file in devices:
                if (network, file) not in results:
                    results[network, file] = profile(hone, network, file)
            vectors, scalars = (per_packet(results[network, file], kernels, unit) for file in devices)
            print(f"| {what} | {vectors:.3g} {unit} | {scalars:.2g} | {vectors / scalars:.3g} |", flush=True)
    print_threads(hone, device, results)


if __name__ == "__main__":
    main()
