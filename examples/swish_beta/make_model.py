#!/usr/bin/env python3
"""Puts an activation that no compiler knows into an ONNX file: each Relu becomes acme.SwishBeta, x*sigmoid(beta*x).

Usage: make_model.py IN.onnx OUT.onnx BETA

Needs nothing but Python: the file is read and written as protobuf fields, of which only the nodes' are looked into.
"""

import struct
import sys
from pathlib import Path

MODEL_GRAPH, MODEL_OPSET = 7, 8  # ModelProto
GRAPH_NODE = 1  # GraphProto
NODE_OP_TYPE, NODE_ATTRIBUTE, NODE_DOMAIN = 4, 5, 7  # NodeProto
ATTRIBUTE_NAME, ATTRIBUTE_F, ATTRIBUTE_TYPE = 1, 2, 20  # AttributeProto
OPSET_DOMAIN, OPSET_VERSION = 1, 2  # OperatorSetIdProto
VARINT, BYTES, FIXED32 = 0, 2, 5
FLOAT = 1  # AttributeProto.AttributeType


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(message: bytes):
    """Yields (number, wire type, value) of each field; the value of one with a length is its bytes."""
    at = 0
    while at < len(message):
        key, at = read_varint(message, at)
        kind = key & 7
        if kind == VARINT:
            value, at = read_varint(message, at)
        else:
            size, at = read_varint(message, at) if kind == BYTES else ({1: 8, FIXED32: 4}[kind], at)
            value = message[at : at + size]
            at += size
        yield key >> 3, kind, value


def field(number: int, kind: int, value) -> bytes:
    key = varint(number << 3 | kind)
    if kind == VARINT:
        return key + varint(value)
    return key + (varint(len(value)) if kind == BYTES else b"") + value


def changed(message: bytes, number: int, change) -> bytes:
    """The message with `change` applied to every field of that number."""
    return b"".join(
        field(n, kind, change(value) if n == number else value) for n, kind, value in fields(message)
    )


def swish(node: bytes, beta: float) -> bytes:
    if (NODE_OP_TYPE, BYTES, b"Relu") not in fields(node):
        return node
    attribute = (
        field(ATTRIBUTE_NAME, BYTES, b"beta")
        + field(ATTRIBUTE_F, FIXED32, struct.pack("<f", beta))
        + field(ATTRIBUTE_TYPE, VARINT, FLOAT)
    )
    named = changed(node, NODE_OP_TYPE, lambda _: b"SwishBeta")
    return named + field(NODE_ATTRIBUTE, BYTES, attribute) + field(NODE_DOMAIN, BYTES, b"acme")


def main() -> None:
    source, target, beta = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
    model = changed(
        source.read_bytes(), MODEL_GRAPH, lambda graph: changed(graph, GRAPH_NODE, lambda node: swish(node, beta))
    )
    opset = field(OPSET_DOMAIN, BYTES, b"acme") + field(OPSET_VERSION, VARINT, 1)
    target.write_bytes(model + field(MODEL_OPSET, BYTES, opset))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main()
