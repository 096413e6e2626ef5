"""Hone sharpens neural networks for the hardware they will run on.

    import hone
    model = hone.load("mobilenet_v2.onnx")
    outputs = model.run({"input": image})
    model.profile(target="cortex-m7")
"""

import os as _os
import tempfile as _tempfile
import threading as _threading
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as _numpy

from . import _hone
from .errors import BadInput, HoneError, Resource, Unsupported
from .progress import on_progress
from .report import Profile, Report

__version__ = _hone.version
__all__ = ["BadInput", "HoneError", "Model", "Profile", "Report", "Resource", "Unsupported", "command", "compare",
           "load", "on_progress"]

Arrays = Union[Mapping[str, _numpy.ndarray], Sequence[_numpy.ndarray], _numpy.ndarray]


def load(model: Any, *example_inputs: Any, shapes: Optional[Mapping[str, Sequence[int]]] = None) -> "Model":
    """Opens an .onnx or .tflite file, "zoo:NAME" or "op:NAME:SHAPE".

    `shapes` binds extents that the model leaves open: {"x": (1, 3, 224, 224)}. A torch.nn.Module is exported to ONNX
    first, with the example inputs behind it.
    """
    kept = None
    if not isinstance(model, (str, _os.PathLike)):
        model, kept = _exported(model, example_inputs)
    words = [f"{name}:{'x'.join(str(n) for n in shape)}" for name, shape in (shapes or {}).items()]
    return Model(_hone.open(_os.fspath(model), words), kept)


def _exported(module: Any, example_inputs: Sequence[Any]) -> Any:
    """A PyTorch module as a file, and the folder that keeps it."""
    try:
        import torch
    except ImportError:
        raise BadInput(f"{type(module).__name__} is no file, and there is no torch to export it with") from None
    if not isinstance(module, torch.nn.Module):
        raise BadInput(f"{type(module).__name__} is neither a file nor a torch.nn.Module")
    if not example_inputs:
        raise BadInput("a torch.nn.Module is exported with example inputs: hone.load(module, torch.zeros(...))")
    folder = _tempfile.TemporaryDirectory(prefix="hone_")
    path = _os.path.join(folder.name, type(module).__name__ + ".onnx")
    _export(torch, module.eval(), tuple(example_inputs), path)
    return path, folder


def _export(torch: Any, module: Any, example_inputs: Any, path: str) -> None:
    try:
        torch.onnx.export(module, example_inputs, path)
    except ImportError:  # Newer ones ask for a package of their own, unless told to trace.
        torch.onnx.export(module, example_inputs, path, dynamo=False)


class Model:
    """A network that was read."""

    def __init__(self, opened: Any, kept: Any = None) -> None:
        self._model = opened
        self._kept = kept  # What its file lies in.
        self._runners: Dict[Any, Any] = {}
        self._lock = _threading.Lock()

    @property
    def spec(self) -> str:
        """As it was opened."""
        return self._model.spec

    @property
    def inputs(self) -> List[Dict[str, Any]]:
        """name, type, shape (-1: only a run tells), scale and zero_point of each."""
        return self._model.inputs

    @property
    def outputs(self) -> List[Dict[str, Any]]:
        return self._model.outputs

    @property
    def parameters(self) -> int:
        return self._model.parameters

    @property
    def macs(self) -> int:
        """Of one run; a lower bound where extents are not known."""
        return self._model.macs

    def run(self, inputs: Arrays, target: str = "cpu", threads: int = 0, precision: str = "") -> Dict[str, Any]:
        """Results by name. Arrays are read where they lie if their elements lie one behind the other.

        The first run for a target makes the model ready for it. Threads may run at the same time.
        """
        runner = self._runner(target, threads, precision)
        results = runner.run(self._in_order(inputs))
        return {output["name"]: result for output, result in zip(self._outputs, results)}

    def inspect(self, **options: Any) -> Report:
        """What the model is made of and what it costs."""
        return self._command(Report, "inspect", [], options)

    def profile(self, target: str = "cpu", **options: Any) -> Profile:
        """Where the time goes, layer by layer: `hone profile`."""
        return self._command(Profile, "profile", ["-d", target], options)

    def diagnose(self, target: str = "cpu", **options: Any) -> Profile:
        """Why, what would fix it, and by how much: `hone diagnose`."""
        return self._command(Profile, "diagnose", ["-d", target], options)

    def optimize(self, output: str, target: str = "cpu", **options: Any) -> Report:
        """Tries it, measures it, writes what helps: `hone optimize`."""
        return self._command(Report, "optimize", ["-d", target, "-o", output], options)

    def quantize(self, data: str, output: str, **options: Any) -> "Model":
        """Writes the quantized model and opens it; its `report` says what that costs: `hone quantize`."""
        report = self._command(Report, "quantize", ["--data", data, "-o", output], options)
        quantized = load(output)
        quantized.report = report
        return quantized

    def validate(self, **options: Any) -> Report:
        """Still right, within budget? `hone validate`."""
        return self._command(Report, "validate", [], options)

    def compile(self, target: str, folder: str, **options: Any) -> Report:
        """Writes what a device loads: `hone compile`."""
        return self._command(Report, "compile", ["-d", target, "-o", folder], options)

    def convert(self, output: str, **options: Any) -> Report:
        """Writes the model in another form: `hone convert`."""
        return self._command(Report, "convert", ["-o", output], options)

    report: Optional[Report] = None

    def __repr__(self) -> str:
        return f"hone.load({self.spec!r})"

    def _runner(self, *key: Any) -> Any:
        with self._lock:
            if key not in self._runners:
                self._runners[key] = _hone.Runner(self._model, *key)
                self._inputs, self._outputs = self.inputs, self.outputs
            return self._runners[key]

    def _in_order(self, inputs: Arrays) -> List[_numpy.ndarray]:
        if isinstance(inputs, _numpy.ndarray):
            return [inputs]
        if isinstance(inputs, (str, bytes)) or not isinstance(inputs, (Mapping, Sequence)):
            raise BadInput(f"arrays are one, a list of them, or a dict by name; given was {type(inputs).__name__}")
        if not isinstance(inputs, Mapping):
            return list(inputs)
        names = [wanted["name"] for wanted in self._inputs]
        for name in inputs:
            if name not in names:
                raise BadInput(f"no input '{name}'; there are: {', '.join(names)}")
        for name in names:
            if name not in inputs:
                raise BadInput(f"no array for input '{name}'")
        return [inputs[name] for name in names]

    def _command(self, made: Any, name: str, words: List[str], options: Mapping[str, Any]) -> Any:
        shapes = ["--shapes", *self._model.shapes] if self._model.shapes else []
        return made(_hone.command(name, [self.spec, *words, *shapes, *_words_of(options)]))


def compare(models: Any, devices: Union[str, Sequence[str]], **options: Any) -> Report:
    """Which device should we buy, which model should we take? `hone compare`.

    `models` is one or several, as `load` gives or takes them; so are `devices`, by name.
    """
    devices = [devices] if isinstance(devices, str) else devices
    several = [models] if isinstance(models, (Model, str, _os.PathLike)) else list(models)
    several = [one if isinstance(one, Model) else load(one) for one in several]
    words = [model.spec for model in several] + ["-d", ",".join(devices)]
    return Report(_hone.command("compare", words + _words_of(options)))


def command(name: str, *words: str) -> Report:
    """What `hone NAME WORDS...` does."""
    return Report(_hone.command(name, list(words)))


def _words_of(options: Mapping[str, Any]) -> List[str]:
    """max_latency="5ms" as the program's --max-latency 5ms; True is an option alone, a list its values, a model its file."""
    words: List[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.rstrip("_").replace("_", "-"))
        if value is True:
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        words += [one.spec if isinstance(one, Model) else str(one) for one in values]
    return words
