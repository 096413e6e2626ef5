#!/usr/bin/env python3
"""Makes of published tables of times what `hone learn` reads.

usage: class_tables.py GROUND_TRUTH_FOLDER OUTPUT_FOLDER

Writes a CSV file for each class of devices: device,group,threads,gops,model,shapes,latency_ms.
What the tables do not say (which network, which cores) is in class_facts.toml beside this file.
"""

import csv
import pathlib
import sys
import tomllib

FACTS = tomllib.loads((pathlib.Path(__file__).parent / "class_facts.toml").read_text())
COLUMNS = ["device", "group", "threads", "gops", "model", "shapes", "latency_ms"]
MOST_THREADS = 8  # More are servers'.


def read(folder, name):
    with open(folder / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(folder, name, rows):
    with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    print(f"{name}: {len(rows)} rows of {len({row[0] for row in rows})} devices")


def network(name, table):
    """Model and shapes of a row; None where there is no such network here."""
    meant = FACTS[table]["networks"].get(name)
    if meant is None:
        return None
    model, _, shapes = meant.partition(" ")
    return [model, shapes]


def cores_used(cores, threads):
    """The peak of the threads on the fastest cores, and the group of those."""
    gops, left = 0.0, threads
    for core, ghz, count in cores:
        used = min(left, count)
        gops += used * ghz * FACTS["cores"][core]["flops"]
        left -= used
    return gops, FACTS["cores"][cores[0][0]]["group"], threads - left


def ncnn_arm(folder, int8):
    rows, measured = [], {}
    for row in read(folder, "ncnn.csv"):
        known = [key for key in FACTS["ncnn"]["arm"] if key in row["device"]]
        if row["backend"] != "cpu" or not known or row["model"].endswith("_int8") != int8:
            continue
        meant = network(row["model"].removesuffix("_int8"), "ncnn")
        cores = FACTS["ncnn"]["arm"][known[0]]
        again = (row["device"], row["num_threads"], row["model"])
        measured[again] = measured.get(again, 0) + 1
        always = FACTS["ncnn"]["arm_small_threads"].get(known[0]) == int(row["num_threads"])
        if measured[again] == 2 or always:
            cores = FACTS["ncnn"]["arm_small_cores"].get(known[0], cores)
        gops, group, threads = cores_used(cores, int(row["num_threads"]))
        if meant and threads <= MOST_THREADS:
            rows.append([row["device"], group, threads, round(gops, 2), *meant, row["min_ms"]])
    return rows


def ncnn_x86(folder, int8):
    rows = []
    for row in read(folder, "ncnn.csv"):
        known = [key for key in FACTS["ncnn"]["x86"] if key in row["device"]]
        if row["backend"] != "cpu" or not known or row["model"].endswith("_int8") != int8:
            continue
        meant = network(row["model"].removesuffix("_int8"), "ncnn")
        flops, ghz, cores = FACTS["ncnn"]["x86"][known[0]]
        threads = min(int(row["num_threads"]), cores)
        if meant and threads <= MOST_THREADS:
            gops = threads * flops * ghz
            rows.append([row["device"], f"{flops} flops a cycle", threads, round(gops, 2), *meant,
                         row["min_ms"]])
    return rows


def aihub(folder, precision):
    """Whole networks on the NPU, through the faster of the runtimes that users choose from."""
    best = {}
    for row in read(folder, "aihub.csv"):
        if row["precision"] != precision or row["primary_compute_unit"] != "NPU":
            continue
        if row["layers_npu"] != row["layers_total"] or row["runtime"] not in ("tflite", "qnn_dlc"):
            continue
        meant = network(row["model_id"], "aihub")
        chip = FACTS["aihub"]["chips"].get(row["chipset"])
        if meant is None or chip is None or not row["inference_time_ms"]:
            continue
        gops, group = chip
        key = (row["chipset"], *meant)
        ms = float(row["inference_time_ms"])
        if key not in best or ms < best[key][-1]:
            best[key] = [row["chipset"], group, 1, gops, *meant, ms]
    return list(best.values())


def jetson(folder, precision):
    rows = []
    for row in read(folder, "jetson_tx2.csv"):
        meant = network(row["model"], "jetson_tx2")
        if row["runtime"] == "TensorRT" and row["precision"] == precision and meant:
            gops = FACTS["jetson_tx2"]["gops"][precision]
            rows.append([row["device"], "pascal", 1, gops, *meant, row["latency_ms"]])
    return rows


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    source, target = map(pathlib.Path, sys.argv[1:])
    target.mkdir(parents=True, exist_ok=True)
    write(target, "arm-cpu", ncnn_arm(source, False))
    write(target, "arm-cpu-int8", ncnn_arm(source, True))
    write(target, "x86-cpu", ncnn_x86(source, False))
    write(target, "x86-cpu-int8", ncnn_x86(source, True))
    write(target, "hexagon-fp16", aihub(source, "float"))
    write(target, "hexagon-int8", aihub(source, "w8a8"))
    write(target, "jetson-fp32", jetson(source, "fp32"))
    write(target, "jetson-fp16", jetson(source, "fp16"))


if __name__ == "__main__":
    main()
