#!/usr/bin/env python3
"""Makes of published tables of times what `hone learn` reads.

usage: class_tables.py GROUND_TRUTH_FOLDER OUTPUT_FOLDER

Writes a CSV file for each class of devices, with the columns below.
What the tables do not say (which network, which cores) is in class_facts.toml beside this file.
"""

import csv
import pathlib
import statistics
import sys
import tomllib

FACTS = tomllib.loads((pathlib.Path(__file__).parent / "class_facts.toml").read_text())
COLUMNS = ["device", "group", "threads", "gops", "model", "shapes", "latency_ms", "library"]
MOST_THREADS = 8  # More are servers'.
MOST_TIMES_OF_FEWER = 1.25  # What another version of a library may cost.
CELLS_APART = 32  # Of NAS-Bench-201, in its order.


def read(folder, name):
    with open(folder / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(folder, name, rows):
    with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(row + [""] * (len(COLUMNS) - len(row)) for row in rows)
    print(f"{name}: {len(rows)} rows of {len({row[0] for row in rows})} devices")


def chip_of(device):
    """Boards and slices of one chip are one device, so that none tells of the others in validation."""
    for key, chip in FACTS["chips"].items():
        if key in device:
            return chip
    return device


def network(name, table):
    """Model and shapes of a row; None where there is no such network here."""
    meant = FACTS[table]["networks"].get(name)
    if meant is None:
        return None
    model, _, shapes = meant.partition(" ")
    return [model, shapes]


def cores_used(cores, threads):
    """Peak of threads on the fastest cores, the group of the fastest, and the threads there are.

    Threads have equal parts, so that the slowest core that is used says when all are done."""
    used = 0
    for core, ghz, count in cores:
        if used >= threads:
            break
        used = min(threads, used + count)
        slowest = ghz * FACTS["cores"][core]["flops"]
    return used * slowest, FACTS["cores"][cores[0][0]]["group"], used


def undisturbed(rows):
    """Without runs whose times are longer than with fewer threads on equal cores of the same board.

    Something else ran there, or the threads shared a core: no time of that chip."""
    runs = {}
    for _, _, threads, gops, model, _, ms, board in rows:
        times = runs.setdefault((board, gops / threads), {}).setdefault(threads, {})
        times[model] = min(float(ms), times.get(model, float(ms)))

    def is_disturbed(threads, of_cores):
        for fewer, times in of_cores.items():
            both = of_cores[threads].keys() & times.keys()
            longer = [of_cores[threads][model] / times[model] for model in both]
            if fewer < threads and longer and statistics.median(longer) > MOST_TIMES_OF_FEWER:
                return True
        return False

    return [row for row in rows if not is_disturbed(row[2], runs[row[7], row[3] / row[2]])]


def era_of(date, kernels, int8):
    """Empty since the last of the dates that changed the kernels."""
    changes = FACTS["ncnn"][kernels]["int8" if int8 else "fp32"]
    return next((f"before {change}" for change in changes if date < change), "")


def group_then(group, date, int8):
    """Cores of Arm, apart where they ran through other kernels than since."""
    era = era_of(date, "arm_kernels", int8)
    if era:
        return f"{group} {era}"
    floats = FACTS["half_floats"]
    return f"{group}-fp32" if group in floats["groups"] and date < floats["since"] else group


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
        if int(row["num_threads"]) > sum(count for _, _, count in cores):
            continue  # They wait for one another's cores.
        gops, group, threads = cores_used(cores, int(row["num_threads"]))
        group = group_then(group, row["readme_line_date"], int8)
        if meant and threads <= MOST_THREADS:
            rows.append([chip_of(row["device"]), group, threads, round(gops, 2), *meant,
                         row["min_ms"], row["device"]])
    return undisturbed(rows)


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
            now = "" if int8 else f"{flops} flops a cycle"  # Of floats: in 8 bits kernels say more.
            group = era_of(row["readme_line_date"], "x86_kernels", int8) or now
            rows.append([row["device"], group, threads, round(gops, 2), *meant, row["min_ms"]])
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
        if key not in best or ms < best[key][6]:
            best[key] = [chip_of(row["chipset"]), group, 1, gops, *meant, ms, row["chipset"]]
    return list(best.values())


def alone(times):
    """Without those that are far longer than the shortest of the same network on the same machine.

    Something else ran there, or several samples at a time, of which latency times throughput tells."""
    return [ms for ms in times if ms <= MOST_TIMES_OF_FEWER * min(times)]


def tx2(folder):
    """TensorRT by itself and through TensorFlow, which were measured in other modes of power: apart."""
    rows = []
    for row in read(folder, "jetson_tx2.csv"):
        meant = network(row["model"], "jetson_tx2")
        if row["runtime"] in ("TensorRT", "TF-TRT") and meant:
            gops = FACTS["gpus"][row["device"]][row["precision"]]
            rows.append([row["device"], "cuda-cores", 1, gops, *meant, row["latency_ms"], row["runtime"]])
    return rows


def mlperf_gpus(folder):
    """One GPU: one sample at a time, and as many as it takes to keep it busy."""
    times = {}
    for row in read(folder, "mlperf_gpu.csv"):
        meant = FACTS["mlperf_gpu"]["networks"].get(f"{row['model']} {row['scenario']}")
        if row["accelerator"] not in FACTS["gpus"] or meant is None:
            continue
        if row["scenario"] == "Offline":
            ms = meant["batch"] * 1e3 * int(row["accelerators_per_node"]) / float(row["samples_per_s"])
        elif row["latency_p90_ms"]:
            ms = float(row["latency_p90_ms"])
        else:
            continue
        gops = FACTS["gpus"][row["accelerator"]][meant["precision"]]
        key = (row["accelerator"], "tensor-cores", 1, gops, *meant["model"].split(" "))
        times.setdefault(key, []).append(ms)
    return [[chip_of(key[0]), *key[1:], statistics.median(alone(ms)), key[0]] for key, ms in times.items()]


def openvino(folder):
    """One sample at a time on one of two sockets, and as many as it takes to keep both busy."""
    times = {}
    for row in read(folder, "openvino_xeon.csv"):
        meant = network(row["model"].lower(), "openvino")
        platform = row["platform"].removesuffix(" CPU-only")
        gops = FACTS["openvino"]["gops"].get(platform, {}).get(row["precision"])
        if meant is None or gops is None:
            continue
        batch = FACTS["openvino"]["batch"]
        model, one = meant
        name, extents = one.split(":")
        many = f"{name}:{batch}x{extents.partition('x')[2]}"
        device = (platform, "avx512", 1)
        latency, throughput = float(row["latency_ms"] or 0), float(row["throughput_fps"] or 0)
        is_mistake = throughput > 0 and latency * throughput < 1e3  # Less than one sample in flight.
        if latency > 0 and not is_mistake:
            key = (*device, gops / 2, model, one)
            times.setdefault(key, []).append(latency)
        if throughput > 0:
            key = (*device, gops, model, many)
            times.setdefault(key, []).append(batch * 1e3 / throughput)
    return [[*key, statistics.median(alone(ms))] for key, ms in times.items()]


def microcontroller(board, core, mhz):
    """Device, group, threads and peak: a core does so many multiply-adds in a cycle."""
    macs = FACTS["microcontrollers"]["macs"].get(core.lower())
    return macs and [chip_of(board.lower().removesuffix("-q")), core.lower(), 1, 2e-3 * macs * float(mhz)]


def mlperf_tiny(folder):
    rows = []
    for row in read(folder, "mlperf_tiny.csv"):
        meant = network(row["benchmark"], "mlperf_tiny")
        if row["division"] != "closed" or row["accelerator"] or row["precision"] != "int8":
            continue
        if row["framework"].startswith(tuple(FACTS["mlperf_tiny"]["left_out"])):
            continue
        device = row["frequency_MHz"] and microcontroller(row["board"], row["cpu"], row["frequency_MHz"])
        if meant and device and row["latency_ms"]:
            rows.append([*device, *meant, row["latency_ms"], f"{row['framework']} {row['libraries']} {row['round']}"])
    return rows


def stm32(folder):
    rows = {}
    for row in read(folder, "stm32.csv"):
        size = "x".join(row["resolution"].split("x")[:2])
        meant = network(f"{row['model'].removesuffix(' fft').removesuffix(' tfs')} {size}", "stm32")
        known = FACTS["stm32"]["boards"].get(row["board"])
        if meant is None or known is None or row["precision"].lower() != "int8":
            continue
        device = microcontroller(*known)
        key = (*device, *meant, row["tool_version"])
        rows[key] = [*device, *meant, row["inference_ms"], f"STM32Cube.AI {row['tool_version']}"]
    return list(rows.values())


def nas201(folder, kind):
    """Some of the cells: the others are there to try the class on."""
    rows = []
    for row in read(folder, "nas201.csv")[::CELLS_APART]:
        for device, (gops, threads) in FACTS["nas201"][kind].items():
            model = f"zoo:nas201:{row['arch']}"
            rows.append([device, "", threads, gops, model, "", row[f"lat_ms_{device}"]])
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
    write(target, "cortex-m-int8", mlperf_tiny(source) + stm32(source))
    write(target, "openvino", openvino(source))
    write(target, "nvidia", tx2(source) + mlperf_gpus(source))
    write(target, "eager-cpu", nas201(source, "eager-cpu"))
    write(target, "eager-gpu", nas201(source, "eager-gpu"))


if __name__ == "__main__":
    main()
