import gc
import os
import pathlib
import resource
import subprocess
import sys
import threading

import hone
import numpy
import pytest
from hone import _hone


@pytest.fixture(scope="module")
def kws():
    return hone.load("zoo:ds_cnn_kws")


def zeros_for(model):
    return numpy.zeros(model.inputs[0]["shape"], numpy.float32)


def test_runs_on_arrays():
    model = hone.load("op:add:2x3")
    a = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    names = [wanted["name"] for wanted in model.inputs]
    for inputs in ({names[0]: a, names[1]: 10 * a}, [a, 10 * a]):
        (result,) = model.run(inputs).values()
        numpy.testing.assert_array_equal(result, 11 * a)


def test_reads_arrays_where_they_lie():
    a = numpy.ones((2, 3), numpy.float32)
    assert _hone.address_of(a) == a.ctypes.data
    # Elements that do not lie one behind the other are copied.
    assert _hone.address_of(a.T) != a.ctypes.data
    (result,) = hone.load("op:relu:3x2").run(a.T).values()
    assert result.shape == (3, 2)


def test_results_stay(kws):
    first = kws.run(zeros_for(kws), threads=1)
    kept = {name: value.copy() for name, value in first.items()}
    kws.run(zeros_for(kws) + 1, threads=1)
    gc.collect()
    for name, value in kept.items():
        numpy.testing.assert_array_equal(first[name], value)


def test_threads_run_at_once(kws):
    x = zeros_for(kws)
    expected = list(kws.run(x, threads=1).values())[0]
    wrong = []

    def work():
        for _ in range(250):
            if not numpy.array_equal(list(kws.run(x, threads=1).values())[0], expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_keeps_nothing_of_what_it_ran():
    model = hone.load("op:relu:256x256")
    x = numpy.zeros((256, 256), numpy.float32)
    before = sys.getrefcount(x)
    for _ in range(100):
        model.run(x, threads=1)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(10000):  # 2.5 GiB of results.
        model.run(x, threads=1)
    assert sys.getrefcount(x) == before
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used < 64 * 1024


def test_open_extents_are_those_of_the_arrays(tmp_path):
    rows = tmp_path / "rows.onnx"
    rows.write_bytes(_softmax_of_rows())
    model = hone.load(rows)
    assert model.inputs[0]["shape"] == (-1, -1)
    wrong = []

    def work():
        for run in range(250):
            n, length = 1 + run % 3, 2 + run % 4
            (result,) = model.run(numpy.zeros((n, length), numpy.float32), threads=1).values()
            if result.shape != (n, length) or not numpy.allclose(result, 1 / length):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def _softmax_of_rows():
    """An ONNX file, by hand: y = Softmax(x) of x[N,T]."""

    def field(number, value):
        if isinstance(value, int):
            return bytes([number << 3, value])
        data = value.encode() if isinstance(value, str) else value
        return bytes([number << 3 | 2, len(data)]) + data

    def value_info(name):
        shape = b"".join(field(1, field(2, extent)) for extent in ("N", "T"))
        return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))

    node = field(1, "x") + field(2, "y") + field(4, "Softmax")
    graph = field(1, node) + field(2, "g") + field(11, value_info("x")) + field(12, value_info("y"))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


def test_errors_have_their_kind(kws):
    with pytest.raises(hone.BadInput, match="nowhere.onnx"):
        hone.load("nowhere.onnx")
    with pytest.raises(hone.BadInput, match="no input 'y'; there are: input"):
        kws.run({"y": zeros_for(kws)})
    with pytest.raises(hone.BadInput, match="no input 'y'"):
        kws.run({"input": zeros_for(kws), "y": zeros_for(kws)})
    with pytest.raises(hone.BadInput, match="f32.*given was f64"):
        kws.run(numpy.zeros(kws.inputs[0]["shape"]))
    with pytest.raises(hone.BadInput, match="given was str"):
        kws.run("abc")
    with pytest.raises(hone.BadInput, match="complex"):
        kws.run(numpy.zeros(kws.inputs[0]["shape"], numpy.complex64))
    with pytest.raises(hone.BadInput, match="torch"):
        hone.load(object())
    with pytest.raises(hone.HoneError) as raised:
        hone.load("zoo:resnet8").compile("cortex-m7", "nowhere/at/all")
    assert raised.value.exit_code == 4


def test_takes_modules_of_torch():
    torch = pytest.importorskip("torch")
    module = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(64, 5))
    x = torch.randn(1, 3, 6, 6)
    (result,) = hone.load(module, x).run(x.numpy()).values()
    numpy.testing.assert_allclose(result, module(x).detach().numpy(), atol=1e-5)


def test_profiles_show_themselves(kws):
    profile = hone.load("zoo:ds_cnn_kws:int8").profile(target="ethos-u55-128")
    assert profile.passed and profile.latency["mode"] == "simulated" and profile.latency_ms > 0
    assert sum(row["share"] for row in profile.layers) == pytest.approx(1, abs=0.05)
    assert "<table>" in profile._repr_html_() and "simulated" in profile._repr_html_()
    assert "latency" in repr(profile)
    assert "<html" in profile.html()


def test_what_does_not_fit_does_not_pass():
    profile = hone.load("zoo:resnet18:int8").profile(target="cortex-m4")
    assert not profile.passed and profile.exit_code == 5
    assert "does not fit" in profile._repr_html_()


def test_shapes_and_options_reach_commands():
    model = hone.load("zoo:ds_cnn_kws", shapes={"input": (3, 1, 49, 10)})
    assert model.inputs[0]["shape"] == (3, 1, 49, 10)
    assert "f32[3,1,49,10]" in model.inspect(layers=True).text
    compared = hone.compare([hone.load("zoo:ds_cnn_kws")], ["cortex-m7", "raspberry-pi-4"], precision="int8")
    assert "raspberry-pi-4" in compared.text
    assert "cortex-m7" in hone.compare(model, "cortex-m7", precision="int8").text


def test_options_may_be_models(tmp_path, kws):
    numpy.save(tmp_path / "inputs.npy", numpy.ones((4, *kws.inputs[0]["shape"][1:]), numpy.float32))
    assert kws.validate(reference=kws, data=tmp_path, max_drop="1%").passed


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_tells_how_far_it_is(kws):
    lines = []
    hone.on_progress(lines.append)
    try:
        kws.profile(threads=1)
        # The first command on a machine looks at it before.
        assert any(line.startswith("profile") for line in lines) and lines[-1] == ""
        hone.on_progress(lambda line: 1 / 0)  # Not the command's fault.
        assert kws.profile(threads=1).latency_ms > 0
    finally:
        hone.on_progress(None)
    told = len(lines)
    kws.profile(threads=1)
    assert len(lines) == told


def test_saves_pages(tmp_path, kws):
    report = kws.inspect()
    report.save(str(tmp_path / "r.json"))
    assert (tmp_path / "r.json").read_text().startswith("{")


def test_notebooks_run():
    source = pathlib.Path(os.environ.get("HONE_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
    files = [str(file) for file in sorted((source / "examples" / "notebooks").glob("*.py"))]
    assert files
    made = subprocess.run([sys.executable, str(source / "tools" / "make_notebook.py"), "--check", *files],
                          capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
