#!/usr/bin/env python3
"""Trains the keyword-spotting example and writes it as ONNX. Needs the Python packages torch and onnx.

Usage: train.py DATA MODEL.onnx

DATA holds train.npy and test.npy, [N, 49, 10, 1], with train_labels.npy and test_labels.npy. The test set is looked
at once, after the last epoch: it chooses nothing.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from synthesize import CLASSES
from torch import nn

FILTERS = 64
BLOCKS = 4
EPSILON = 1e-3  # Of batch norms, as in the Keras reference.
EPOCHS = 60
BATCH = 100


def conv_bn(inputs: int, kernel, stride: int = 1, groups: int = 1, padding=0) -> nn.Sequential:
    conv = nn.Conv2d(inputs, FILTERS, kernel, stride, padding, groups=groups)
    return nn.Sequential(conv, nn.BatchNorm2d(FILTERS, EPSILON), nn.ReLU())


class DsCnn(nn.Module):
    """The DS-CNN of MLPerf Tiny, layer for layer that of `zoo:ds_cnn_kws`."""

    def __init__(self):
        super().__init__()
        # TensorFlow's "same" for 49x10, kernel 10x4, stride 2: the odd row goes to the end.
        self.pad = nn.ZeroPad2d((1, 1, 4, 5))
        self.stem = conv_bn(1, (10, 4), stride=2)
        self.block = nn.ModuleList()
        for _ in range(BLOCKS):
            depthwise = conv_bn(FILTERS, 3, groups=FILTERS, padding=1)
            self.block.append(nn.ModuleDict({"depthwise": depthwise, "pointwise": conv_bn(FILTERS, 1)}))
        self.drop_early, self.drop_late = nn.Dropout(0.2), nn.Dropout(0.4)
        self.pool = nn.AvgPool2d((24, 5))
        self.classifier = nn.Linear(FILTERS, len(CLASSES))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.drop_early(self.stem(self.pad(x.permute(0, 3, 1, 2))))
        for block in self.block:
            x = block["pointwise"](block["depthwise"](x))
        return self.classifier(self.drop_late(self.pool(x).flatten(1)))


def load(folder: Path, name: str, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    inputs = torch.from_numpy(np.load(folder / f"{name}.npy").astype(np.float32))
    labels = torch.from_numpy(np.load(folder / f"{name}_labels.npy"))
    return inputs.to(device), labels.to(device)


def train(model: DsCnn, inputs: torch.Tensor, labels: torch.Tensor) -> None:
    steps = EPOCHS * (len(inputs) // BATCH)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=steps)
    model.train()
    for epoch in range(EPOCHS):
        total = 0.0
        for rows in torch.randperm(len(inputs), device=inputs.device).split(BATCH)[: len(inputs) // BATCH]:
            loss = nn.functional.cross_entropy(model(inputs[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * BATCH
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1}: loss {total / len(inputs):.4f}", flush=True)


@torch.no_grad()
def predict(model: DsCnn, inputs: torch.Tensor) -> torch.Tensor:
    model.eval()
    return torch.cat([model(part).argmax(1) for part in inputs.split(500)])


def print_confusion(found: torch.Tensor, labels: torch.Tensor) -> None:
    for label, name in enumerate(CLASSES):
        counts = torch.bincount(found[labels == label], minlength=len(CLASSES)).tolist()
        print(f"{name:>8}", " ".join(f"{count:4}" for count in counts))


class OnnxWriter:
    """Nodes and constants of a chain of layers, batch norms kept as they were trained."""

    def __init__(self, state: dict[str, np.ndarray]):
        self.state, self.nodes, self.constants = state, [], []
        self.last = "input"

    def add(self, op: str, name: str, parameters: list[str], **attributes) -> None:
        """A node on the last one's output, with parameters named as in the state."""
        names = [f"{name}.{parameter}" for parameter in parameters]
        self.constants += [numpy_helper.from_array(self.state[key], key) for key in names]
        self.nodes.append(helper.make_node(op, [self.last] + names, [name], name=name, **attributes))
        self.last = name

    def conv_bn(self, name: str, **attributes) -> None:
        self.add("Conv", f"{name}.0", ["weight", "bias"], **attributes)
        statistics = ["weight", "bias", "running_mean", "running_var"]
        self.add("BatchNormalization", f"{name}.1", statistics, epsilon=EPSILON)
        self.add("Relu", f"{name}.2", [])


def to_onnx(model: DsCnn) -> onnx.ModelProto:
    w = OnnxWriter({key: value.cpu().numpy() for key, value in model.state_dict().items()})
    w.add("Transpose", "to_nchw", [], perm=[0, 3, 1, 2])
    w.conv_bn("stem", kernel_shape=[10, 4], strides=[2, 2], pads=[4, 1, 5, 1])
    for i in range(BLOCKS):
        w.conv_bn(f"block.{i}.depthwise", kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=FILTERS)
        w.conv_bn(f"block.{i}.pointwise", kernel_shape=[1, 1])
    w.add("AveragePool", "pool", [], kernel_shape=[24, 5], strides=[24, 5])
    w.add("Flatten", "flatten", [])
    w.add("Gemm", "classifier", ["weight", "bias"], transB=1)
    w.add("Softmax", "output", [], axis=1)
    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 49, 10, 1])]
    outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, len(CLASSES)])]
    graph = helper.make_graph(w.nodes, "kws", inputs, outputs, w.constants)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="examples/kws/train.py")
    proto.ir_version = 8
    helper.set_model_props(proto, {"classes": " ".join(CLASSES)})
    onnx.checker.check_model(proto, full_check=True)
    return proto


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__)
        return 3
    folder = Path(sys.argv[1])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    model = DsCnn().to(device)
    train(model, *load(folder, "train", device))
    onnx.save(to_onnx(model), sys.argv[2])
    inputs, labels = load(folder, "test", device)
    found = predict(model, inputs)
    print_confusion(found, labels)
    right = int((found == labels).sum())
    print(f"test: {right} of {len(labels)} right, {100 * right / len(labels):.2f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
