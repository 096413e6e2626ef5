#!/usr/bin/env python3
"""Writes crops and mixtures of a few pictures, to quantize a network of photographs on where there is no data set.

Usage: make_crops.py PICTURES.npy OUT.npy COUNT

PICTURES is uint8 [N, side, side, 3], OUT float32 [COUNT, side, side, 3] in -1 .. 1. A sample is the mean of two crops, each
of half the side to all of it, some of them mirrored. Seeded, and needs nothing but Python.
"""

import array
import ast
import random
import struct
import sys


def read_pictures(path: str) -> tuple[int, list[bytes]]:
    with open(path, "rb") as file:
        content = file.read()
    (length,) = struct.unpack("<H", content[8:10])
    header = ast.literal_eval(content[10 : 10 + length].decode())
    count, side, width, channels = header["shape"]
    if header["descr"] != "|u1" or width != side or channels != 3:
        sys.exit(f"{path}: expected uint8 [N, side, side, 3], found {header}")
    size = side * side * 3
    pixels = content[10 + length :]
    return side, [pixels[i * size : (i + 1) * size] for i in range(count)]


def crop(picture: bytes, side: int, rng: random.Random) -> bytes:
    """A square part, drawn to the whole side again by repeating pixels."""
    part = rng.randint(side // 2, side)
    left, top = rng.randint(0, side - part), rng.randint(0, side - part)
    columns = [left + x * part // side for x in range(side)]
    if rng.random() < 0.5:
        columns.reverse()
    rows = []
    for y in range(side):
        start = (top + y * part // side) * side
        row = picture[3 * start : 3 * (start + side)]
        rows.append(b"".join(row[3 * x : 3 * x + 3] for x in columns))
    return b"".join(rows)


def main() -> None:
    source, out, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    side, pictures = read_pictures(source)
    rng = random.Random(0)
    level = [i / 255 - 1 for i in range(2 * 255 + 1)]
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count}, {side}, {side}, 3), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(out, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for _ in range(count):
            first, second = (crop(rng.choice(pictures), side, rng) for _ in range(2))
            values = array.array("f", [level[a + b] for a, b in zip(first, second)])
            if sys.byteorder == "big":
                values.byteswap()
            file.write(values.tobytes())


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main()
