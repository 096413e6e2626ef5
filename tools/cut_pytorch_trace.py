#!/usr/bin/env python3
"""Cuts one run out of a trace of PyTorch's profiler, small enough to be a test.

Usage: cut_pytorch_trace.py TRACE.json[.gz] OUT.json --mark NAME --run N [--most-us US]

Keeps the operators and calls of the host that begin in the N-th mark of that name, what the GPU did
for them, the mark, and the device. Times count from the mark. Of arguments only those are kept that
Hone reads, shapes only of products; names stay as they are but for what follows their first 160
letters. --most-us ends the mark early, and what begins later is left out.
"""

import argparse
import gzip
import json

KEPT_ARGS = ["correlation", "stream", "bytes", "grid", "block", "registers per thread", "shared memory",
             "est. achieved occupancy %"]
PRODUCTS = {"aten::mm", "aten::bmm", "aten::addmm", "aten::baddbmm"}
GPU = {"kernel", "gpu_memcpy", "gpu_memset"}
CALLS = {"cuda_runtime", "cuda_driver"}
LONGEST_NAME = 160


def read_trace(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt") as file:
        return json.load(file)


def shortened(event, start):
    args = {key: event["args"][key] for key in KEPT_ARGS if key in event["args"]}
    if event["name"] in PRODUCTS:
        args["Input Dims"] = event["args"].get("Input Dims", [])
    if event["cat"] == "user_annotation":
        args["External id"] = event["args"].get("External id", 0)
    kept = {key: event[key] for key in ["ph", "cat", "name", "tid"]}
    kept["name"] = kept["name"][:LONGEST_NAME]
    kept["ts"] = round(event["ts"] - start, 3)
    kept["dur"] = event["dur"]
    if args:
        kept["args"] = args
    return kept


def cut(trace, mark_name, run, most_us):
    events = [e for e in trace["traceEvents"] if e.get("ph") == "X" and "args" in e]
    marks = [e for e in events if e["cat"] == "user_annotation" and e["name"] == mark_name]
    mark = dict(sorted(marks, key=lambda e: e["ts"])[run])
    start = mark["ts"]
    mark["dur"] = min(mark["dur"], most_us)
    end = start + mark["dur"]
    host = [e for e in events if e["cat"] in CALLS | {"cpu_op"} and start <= e["ts"] <= end]
    asked = {e["args"].get("correlation") for e in host if e["cat"] in CALLS}
    gpu = [e for e in events if e["cat"] in GPU and e["args"].get("correlation") in asked]
    device = {key: trace["deviceProperties"][0][key] for key in ["id", "name", "computeMajor", "computeMinor", "numSms"]}
    kept = sorted([mark] + host + gpu, key=lambda e: e["ts"])
    return device, [shortened(event, start) for event in kept]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("out")
    parser.add_argument("--mark", default="iteration")
    parser.add_argument("--run", type=int, default=1)
    parser.add_argument("--most-us", type=float, default=float("inf"))
    options = parser.parse_args()
    device, events = cut(read_trace(options.trace), options.mark, options.run, options.most_us)
    lines = ",\n".join(json.dumps(event, separators=(",", ":")) for event in events)
    with open(options.out, "w") as file:
        file.write('{"schemaVersion":1,"deviceProperties":[' + json.dumps(device) + '],\n"traceEvents":[\n' + lines + "\n]}\n")


if __name__ == "__main__":
    main()
