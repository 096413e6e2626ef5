#!/usr/bin/env python3
"""Synthesises the clips that the keyword-spotting example is trained and tested with.

Usage: synthesize.py FOLDER

Each clip is one second at 16 kHz: a word spoken by espeak-ng, varied by sox, placed at a random
moment and mixed with noise here. Every choice comes from a generator seeded with the clip's number, so
clips can be made in any order. The test set has voices that training never hears, and some accents, noises
and unknown words of its own.

Leaves in FOLDER: clips/*.wav, and for each of train, test, eval (a part of test) and calibration (a part
of train) a list of clips NAME.txt and their classes NAME_labels.npy.
"""

import os
import subprocess
import sys
import wave
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

RATE = 16000
KEYWORDS = ["down", "go", "left", "no", "off", "on", "right", "stop", "up", "yes"]
CLASSES = KEYWORDS + ["silence", "unknown"]  # The order of MLPerf Tiny.
SPEEDS = (110, 230)  # Words a minute.


@dataclass(frozen=True)
class Split:
    """What a set of clips is drawn from."""

    seed: int
    clips_per_class: int
    accents: list[str]
    variants: list[str]
    words: list[str]  # Of class unknown.
    noises: list[str]
    snrs: list[float]  # dB of the word's mean power over the noise's.
    part: str  # The set made of the first clips of each class,
    part_per_class: int  # and of how many.


TRAIN = Split(
    seed=1,
    clips_per_class=1000,
    accents=["en-us", "en-gb", "en-gb-x-rp", "en-gb-x-gbclan", "en-029", "en-us-nyc"],
    variants="""m1 m2 m3 m4 m5 f1 f2 f3 Alex Alicia Andrea Andy Denis Diogo Hugo Lee Marco Mario Mike Nguyen
                adam anika antonio aunty benjamin boris caleb david ed grandma gustave iven john linda
                marcelo max miguel norbert pablo paul quincy robert sandro shelby steph travis zac""".split(),
    words="""bird cat dog eight five four happy house one seven six tree two wow zero three nine bed
             music table garden window yellow paper summer river open close begin never money doctor
             city number people letter mother father sister light night fire cold note dawn cow""".split(),
    noises=["white", "pink", "brown", "babble1"],
    snrs=[40, 20, 15, 10, 5, 0],
    part="calibration",
    part_per_class=6,
)
TEST = Split(
    seed=2,
    clips_per_class=100,
    accents=["en-us", "en-gb", "en-gb-x-rp", "en-gb-scotland"],
    variants="m6 m7 m8 f4 f5 Annie Gene Jacky Michael belinda grandpa pedro rob victor".split(),
    words="""bird dog five house one six two zero nine music paper never follow learn visual forward
             backward green water gold knee far""".split(),
    noises=["white", "pink", "machine", "babble2"],
    snrs=[20, 15, 10, 5],
    part="eval",
    part_per_class=20,
)

# For babble: read over each other by several voices.
TEXT = """The morning train was late again and nobody on the platform seemed surprised. Somebody had
left a bicycle beside the wall with a basket of apples and a folded newspaper. We walked along the
harbour while the boats came in, and talked about the weather, the price of bread and the new bridge.
In the evening the shops were closed, the streets were quiet, and a band played behind the town hall."""
NOISE_SECONDS = 60


def run(*command, **options) -> bytes:
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, **options).stdout


def sox_samples(*command, **options) -> np.ndarray:
    """Samples between -1 and 1 that sox leaves of its input; `command` ends in effects after '--'."""
    at = command.index("--")
    raw = ("-t", "raw", "-r", RATE, "-c", 1, "-b", 16, "-e", "signed-integer", "-")
    data = run("sox", "-V1", "-R", "-D", *command[:at], *raw, *command[at + 1 :], **options)
    return np.frombuffer(data, "<i2").astype(np.float64) / 32768


def spoken(text: str, voice: str, speed: int, pitch: int, effects: list) -> np.ndarray:
    speech = run("espeak-ng", "-v", voice, "-s", speed, "-p", pitch, "--stdout", text)
    # espeak-ng cannot know the length of what it pipes; sox is told not to mind.
    return sox_samples("--ignore-length", "-t", "wav", "-", "--", *effects, input=speech)


def write_wav(path: Path, samples: np.ndarray) -> None:
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, len(samples), "NONE", ""))
        file.writeframes(np.round(samples * 32767).astype("<i2").tobytes())


def power(samples: np.ndarray) -> float:
    return float(np.mean(samples**2)) + 1e-12


def babble(split: Split) -> np.ndarray:
    voices = [f"{split.accents[i % len(split.accents)]}+{name}" for i, name in enumerate(split.variants[:6])]
    total = np.zeros(NOISE_SECONDS * RATE)
    for i, voice in enumerate(voices):
        speech = spoken(TEXT, voice, 150 + 10 * i, 40 + 5 * i, [])
        shift = i * len(speech) // len(voices)
        total += np.resize(np.roll(speech, shift), len(total)) / np.sqrt(power(speech))
    return total / np.abs(total).max()


def synthesized_noise(*effects) -> np.ndarray:
    return sox_samples("-n", "-r", RATE, "--", "synth", NOISE_SECONDS, *effects, "norm", -1)


def make_noises() -> dict[str, np.ndarray]:
    return {
        "white": synthesized_noise("whitenoise"),
        "pink": synthesized_noise("pinknoise"),
        "brown": synthesized_noise("brownnoise"),
        "machine": synthesized_noise("sawtooth", 97, "synth", "pinknoise", "mix", "tremolo", 9, 60, "lowpass", 3000),
        "babble1": babble(TRAIN),
        "babble2": babble(TEST),
    }


def without_silence(samples: np.ndarray) -> np.ndarray:
    """From the first to the last sample louder than 2 % of the loudest."""
    loud = np.flatnonzero(np.abs(samples) > 0.02 * np.abs(samples).max())
    return samples[loud[0] : loud[-1] + 1] if len(loud) else samples[:1]


def word_in_second(rng: np.random.Generator, word: str, split: Split) -> np.ndarray:
    voice = f"{rng.choice(split.accents)}+{rng.choice(split.variants)}"
    speed = int(rng.integers(*SPEEDS, endpoint=True))
    pitch = int(rng.integers(20, 80, endpoint=True))
    effects = ["speed", round(rng.uniform(0.9, 1.1), 3)]
    if rng.random() < 0.4:
        effects += ["reverb", int(rng.integers(10, 60))]
    speech = without_silence(spoken(word, voice, speed, pitch, effects + ["norm", -1]))[:RATE]
    second = np.zeros(RATE)
    start = int(rng.integers(0, RATE - len(speech), endpoint=True))
    second[start : start + len(speech)] = speech
    return second * np.sqrt(0.05 / power(speech))


def make_clip(path: Path, name: str, number: int, split: Split, noises: dict[str, np.ndarray]) -> None:
    rng = np.random.default_rng([split.seed, number])
    snr = rng.choice(split.snrs)
    kinds = [kind for kind in split.noises if name != "silence" or not kind.startswith("babble")]
    noise = noises[rng.choice(kinds)]
    start = int(rng.integers(0, len(noise) - RATE))
    noise = noise[start : start + RATE]
    clip = noise * np.sqrt(0.05 / 10 ** (snr / 10) / power(noise))
    if name != "silence":
        word = str(rng.choice(split.words)) if name == "unknown" else name
        clip = clip + word_in_second(rng, word, split)
    gain = 10 ** (rng.uniform(-20, -1) / 20)  # The loudest sample, from a tenth to nearly full scale.
    write_wav(path, clip * gain / np.abs(clip).max())


def write_set(folder: Path, name: str, clips: list[tuple[str, int]]) -> None:
    (folder / f"{name}.txt").write_text("".join(f"{path}\n" for path, _ in clips))
    np.save(folder / f"{name}_labels.npy", np.array([label for _, label in clips], np.int64))


def make_split(folder: Path, name: str, split: Split, noises: dict[str, np.ndarray]) -> None:
    clips, part, jobs = [], [], []
    for label, word in enumerate(CLASSES):
        for i in range(split.clips_per_class):
            clip = f"clips/{name}_{word}_{i:04}.wav"
            jobs.append((folder / clip, word, label * split.clips_per_class + i, split, noises))
            clips.append((clip, label))
            if i < split.part_per_class:
                part.append((clip, label))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, _ in enumerate(pool.map(lambda job: make_clip(*job), jobs), 1):
            if done % 500 == 0 or done == len(jobs):
                print(f"{name}: {done} of {len(jobs)} clips", flush=True)
    write_set(folder, name, clips)
    write_set(folder, split.part, part)


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 3
    folder = Path(sys.argv[1])
    (folder / "clips").mkdir(parents=True, exist_ok=True)
    noises = make_noises()
    make_split(folder, "train", TRAIN, noises)
    make_split(folder, "test", TEST, noises)
    return 0


if __name__ == "__main__":
    sys.exit(main())
