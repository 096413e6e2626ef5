#!/usr/bin/env python3
"""Writes pictures to try a network on where there is no data set: waves of random direction, length and colour.

Usage: make_pictures.py OUT.npy COUNT SIDE

Seeded, [COUNT, 3, SIDE, SIDE] in float32, mean 0 and deviation about 1. Needs nothing but Python.
"""

import array
import math
import random
import struct
import sys

WAVES = 4


def picture(side: int, rng: random.Random) -> array.array:
    """A wave is a product of functions of x and of y, so that rows are cheap."""
    channels = array.array("f")
    waves = []
    for _ in range(WAVES):
        rows = [math.sin(0.3 + y * 2**-rng.uniform(1, 6)) for y in range(side)]
        columns = [math.sin(x * 2**-rng.uniform(1, 6) + rng.uniform(0, 0.2)) for x in range(side)]
        waves.append((rows, columns, [rng.gauss(0, 1) for _ in range(3)]))
    for c in range(3):
        for y in range(side):
            row = [rng.uniform(-0.2, 0.2)] * side
            for rows, columns, colour in waves:
                scale = rows[y] * colour[c]
                row = [a + scale * b for a, b in zip(row, columns)]
            channels.extend(row)
    return channels


def main() -> None:
    path, count, side = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(0)
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count}, 3, {side}, {side}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for _ in range(count):
            values = picture(side, rng)
            if sys.byteorder == "big":
                values.byteswap()
            file.write(values.tobytes())


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main()
