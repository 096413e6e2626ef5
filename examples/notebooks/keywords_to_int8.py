# %% [markdown]
# # Keywords, from floats to bytes
#
# A keyword spotter of 24 thousand parameters, trained on twelve words: where its time goes, what int8 costs in accuracy, what it
# would take on a microcontroller, and the code for it. Runs where `import hone` does: `docs/howto/python.md` says how.

# %%
import os
import tempfile

import hone
import numpy

kws = os.path.join(os.environ.get("HONE_SOURCE_DIR", "../.."), "examples", "kws")
out = tempfile.mkdtemp(prefix="hone_")
model = hone.load(os.path.join(kws, "kws.onnx"))
model.inputs, model.parameters, model.macs

# %% [markdown]
# Arrays go in where they lie, and come out by name.

# %%
inputs = numpy.load(os.path.join(kws, "eval", "inputs.npy"))
labels = numpy.load(os.path.join(kws, "eval", "labels.npy"))
probabilities = numpy.concatenate([list(model.run(one[numpy.newaxis]).values())[0] for one in inputs])
f"{(probabilities.argmax(axis=1) == labels).mean():.1%} of {len(labels)} are right"

# %% [markdown]
# Where the time goes on this machine: measured, layer by layer.

# %%
model.profile(threads=1)

# %% [markdown]
# As int8, calibrated on other words than those that judge it.

# %%
small = model.quantize(os.path.join(kws, "calibration"), os.path.join(out, "int8.onnx"))
small.validate(reference=model.spec, data=os.path.join(kws, "eval"), max_drop="1pt")

# %% [markdown]
# On a Cortex-M7 at 280 MHz, before there is a board: predicted, and the interval says how well.

# %%
predicted = small.profile(target="cortex-m7", estimate=True)
predicted.latency

# %% [markdown]
# Which of these boards would do? What does not fit has no latency.

# %%
hone.compare(small, ["cortex-m7", "cortex-m55", "cortex-m4", "raspberry-pi-4"])

# %% [markdown]
# The network as C, with a self-test: `make` runs it.

# %%
small.compile("cortex-m7", os.path.join(out, "firmware"))
sorted(os.listdir(os.path.join(out, "firmware")))
