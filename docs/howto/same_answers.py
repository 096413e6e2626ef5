#!/usr/bin/env python3
"""Prints of how many samples the largest output is the same in two files, and how far apart single outputs are.

Usage: same_answers.py A.npy B.npy

Both are float32 [N, C]. Needs nothing but Python.
"""

import array
import ast
import struct
import sys


def read_rows(path: str) -> list[list[float]]:
    with open(path, "rb") as file:
        content = file.read()
    (length,) = struct.unpack("<H", content[8:10])
    header = ast.literal_eval(content[10 : 10 + length].decode())
    if header["descr"] != "<f4" or len(header["shape"]) != 2:
        sys.exit(f"{path}: expected float32 [N, C], found {header}")
    values = array.array("f", content[10 + length :])
    if sys.byteorder == "big":
        values.byteswap()
    count, classes = header["shape"]
    return [values[i * classes : (i + 1) * classes].tolist() for i in range(count)]


def main() -> None:
    pairs = list(zip(read_rows(sys.argv[1]), read_rows(sys.argv[2]), strict=True))
    same = sum(a.index(max(a)) == b.index(max(b)) for a, b in pairs)
    apart = max(abs(x - y) for a, b in pairs for x, y in zip(a, b, strict=True))
    print(f"{same} of {len(pairs)} | {apart:.3f}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
