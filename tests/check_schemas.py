#!/usr/bin/env python3
"""Holds real results of commands to the JSON Schemas of docs/generated.

Usage: check_schemas.py HONE SCHEMAS
Every key of a result must be one that its schema knows: what is added to a result is added there.
Where python3-jsonschema is installed, it has to agree.
"""

import array
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import jsonschema
except ImportError:
    jsonschema = None

MODEL = "zoo:ds_cnn_kws"
FAST = ["--threads", "1", "-t", "0.05"]

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def problems(value, schema, path="$"):
    """What of a value is not as its schema says; keys that it does not name count."""
    if "const" in schema and value != schema["const"]:
        return [f"{path} is {value!r}, expected {schema['const']!r}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{path} is {value!r}, expected one of {schema['enum']}"]
    if "anyOf" in schema:
        tried = [problems(value, each, path) for each in schema["anyOf"]]
        return [] if any(not found for found in tried) else tried[0]
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, each) for each in types):
        return [f"{path} is {type(value).__name__}, expected {' or '.join(types)}"]
    found = []
    if isinstance(value, dict) and "properties" in schema:
        found += [f"{path} has no {key}" for key in schema.get("required", []) if key not in value]
        for key, each in value.items():
            if key in schema["properties"]:
                found += problems(each, schema["properties"][key], f"{path}.{key}")
            else:
                found.append(f"{path}.{key} is not in the schema")
    if isinstance(value, list) and "items" in schema:
        for i, each in enumerate(value):
            found += problems(each, schema["items"], f"{path}[{i}]")
    return found


def commands(folder):
    """Each writes its result to standard output; earlier ones leave what later ones read."""
    profile = ["profile", MODEL, "--no-roofs", *FAST]
    return [
        ["targets"],
        ["targets", "jetson-nano"],
        ["ops"],
        ["passes"],
        ["doctor"],
        ["inspect", MODEL, "--memory"],
        ["bench", "models", "--models", MODEL, f"{folder}/none.onnx", *FAST],
        ["calibrate", "-d", "raspberry-pi-4", "--points", f"{folder}/points.csv", "-o",
         f"{folder}/fitted.toml"],
        ["run", MODEL, "--threads", "1"],
        profile,
        [*profile, "-d", "ethos-u55-128", "--estimate"],
        ["profile", f"{MODEL}:int8", "-d", "jetson-nano"],
        ["diff", f"{folder}/profile.json", f"{folder}/profile.json"],
        ["diagnose", MODEL, "--try", "0", *FAST],
        ["optimize", MODEL, "-o", f"{folder}/fast.onnx", *FAST],
        ["convert", MODEL, "-o", f"{folder}/plain.onnx"],
        ["quantize", MODEL, "--type", "fp16", "-o", f"{folder}/half.onnx"],
        ["quantize", MODEL, "--data", f"{folder}/data", "-o", f"{folder}/int8.onnx"],
        ["quantize", MODEL, "--data", f"{folder}/data", "-o", f"{folder}/int8.tflite"],
        ["validate", MODEL, "--max-peak-memory", "1GB"],
        ["validate", f"{folder}/int8.onnx", "--reference", MODEL, "--data", f"{folder}/data",
         "--layers", "--max-latency", "100s", *FAST],
        ["compare", MODEL, "-d", "jetson-nano,raspberry-pi-4"],
        ["compare", MODEL, "zoo:resnet8", "-d", "jetson-nano,ethos-u55-128"],
        ["compile", f"{MODEL}:int8", "-d", "npu", "-o", f"{folder}/program"],
    ]


def write_samples(hone, folder):
    """Four samples for the network's one input, as a .npy file."""
    shape = json.loads(run(hone, ["inspect", MODEL]))["results"]["inputs"][0]["shape"]
    shape = (4, *shape[1:])
    values = array.array("f", (i * 2654435761 % 1000 / 500 - 1 for i in range(math.prod(shape))))
    header = str({"descr": "<f4", "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    (folder / "data").mkdir()
    (folder / "data" / "inputs.npy").write_bytes(
        b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + values.tobytes())


def run(hone, command):
    ran = subprocess.run([hone, *command, "--json", "-"], capture_output=True, text=True)
    if ran.returncode not in (0, 1, 2):
        sys.exit(f"hone {' '.join(command)}: exit {ran.returncode}: {ran.stderr}")
    return ran.stdout


def standard_problems(result, schema):
    if jsonschema is None:
        return []
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(result)]


def main():
    hone, schemas = sys.argv[1], Path(sys.argv[2])
    seen = set()
    failed = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_samples(hone, folder)
        (folder / "points.csv").write_text(f"model,latency_ms\n{MODEL},5\n")
        for command in commands(folder):
            result = json.loads(run(hone, command))
            results = result["results"]
            kind = results.get("kind", "") if isinstance(results, dict) else ""
            path = schemas / f"{kind}.schema.json"
            seen.add(path.name if path.exists() else "result.schema.json")
            schema = json.loads((path if path.exists() else schemas / "result.schema.json").read_text())
            found = problems(result, schema) + standard_problems(result, schema)
            failed += [f"hone {' '.join(command)}: {each}" for each in found]
            if kind == "profile":
                (folder / "profile.json").write_text(json.dumps(result))
    for path in sorted(schemas.glob("*.schema.json")):
        if path.name not in seen:
            failed.append(f"{path.name}: no command here has such a result")
    if jsonschema is None:
        print("python3-jsonschema is not installed: held to the schemas by this program alone")
    print("\n".join(failed[:40]) or f"{len(seen)} schemas hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
