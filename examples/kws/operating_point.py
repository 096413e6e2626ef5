#!/usr/bin/env python3
"""Chooses the threshold of an always-on keyword spotter: false accepts per hour and misses, over thresholds.

Usage: operating_point.py HONE MODEL CONFIG FOLDER [HOURS [PER_HOUR]]

Makes HOURS (1) of sound without the keywords of CONFIG (a stream.toml), and 200 utterances of each of them at known
moments, lets `HONE stream` listen to both, and prints what each threshold would have given, for all keywords alike. The
operating point is the lowest threshold with at most PER_HOUR (1) false accepts. Leaves in FOLDER: background.wav,
words.wav, words.csv, what was heard (*.json), and the curve (operating_point.svg). Sound that is there is not made
again. Voices, accents and noises are those of the test set. Needs espeak-ng, sox and numpy.
"""

import csv
import json
import shutil
import subprocess
import sys
import tomllib
import wave
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("operating_point.py: needs numpy for python3; apt-get install python3-numpy", file=sys.stderr)
    sys.exit(5)
from synthesize import RATE, SPEEDS, TEST, make_noises, power, spoken, without_silence

# Said in the background: none is a keyword, or sounds like one.
WORDS = """about above after again air all along always and animal answer apple around asked away back ball bank
be because been before began behind below best better between big black blue boat body book both box boy bread bring brother
brought build busy buy by call came can car care carry chair change children clean clear clock close clothes cloud
color come corner could country cross cut dance dark day deep did different dinner do door draw dream drink drive dry
each ear early earth east eat egg end engine enough even evening every eye face fact fall family farm fast feel feet
few field figure fill final find fine finger finish first fish floor flower fly food foot force forest form found free fresh
friend from front full game gave girl give glass good grass great ground group grow had half hand hard has have he head hear
heart heavy help her here high hill him his hold home hope horse hot hour how hundred idea if in inch island it just keep
kind king kitchen land language large last late laugh lead learn leave less let life like line list listen little live
long look lost love low machine made make man many map mark market may mean measure meet might mile milk mind minute
miss moon more morning most mountain mouth move much must my name near need new next nothing notice of often old
only or order other our out over own page part pass past pattern person picture piece place plain plan plane plant
play point poor power present probably problem product pull push put question quick quiet rain ran reach read ready real
record red rest ring rise road rock room round rule run safe said sail same save say school science sea second see
seem sell send sentence serve several shape she ship short should show side sign silver simple since sing size
sleep slow small snow so soft some song soon sound south space speak spring stand star start state station stay step
still stone store story street strong study such sun sure surface swim system tail take talk teach tell ten test than that
the their them then there these they thing think this those though thought thousand through time tiny to today together told
too took top town train travel true try turn under understand unit until use usual very view village visit voice wait walk
wall want war warm was wash watch wave way we weather week weight well went were west wheel when where which while white
who whole why wide wild will wind winter with woman wonder wood word work world would wrong year you young your""".split()
SCENE = 60  # Seconds with one noise, one loudness.
GAP = (1.5, 3.0)  # Seconds between keywords.
PER_KEYWORD = 200
LATEST = 1.5  # Seconds after a keyword's end in which it may be heard.
THRESHOLDS = [t / 100 for t in [*range(50, 95, 5), *range(95, 100)]]


def utterance(rng: np.random.Generator, text: str) -> np.ndarray:
    """As the test set says its words; mean power 0.05."""
    voice = f"{rng.choice(TEST.accents)}+{rng.choice(TEST.variants)}"
    effects = ["speed", round(rng.uniform(0.9, 1.1), 3), "norm", -1]
    speech = spoken(text, voice, int(rng.integers(*SPEEDS, endpoint=True)), int(rng.integers(20, 80)), effects)
    speech = without_silence(speech)
    return speech * np.sqrt(0.05 / power(speech))


def in_noise(rng: np.random.Generator, scene: np.ndarray, noises: dict[str, np.ndarray], quiet: bool) -> np.ndarray:
    """With noise of the test set and its loudness, or so little of both that a gate may close."""
    noise = np.resize(np.roll(noises[rng.choice(TEST.noises)], rng.integers(60 * RATE)), len(scene))
    snr = rng.choice(TEST.snrs) + (45 if quiet else 0)
    scene = scene + noise * np.sqrt(0.05 / 10 ** (snr / 10) / power(noise))
    if not quiet:
        scene = scene * 10 ** (rng.uniform(-20, -1) / 20) / np.abs(scene).max()
    return np.round(scene * 32767).astype("<i2")


def background_scene(seed: int, noises: dict[str, np.ndarray]) -> np.ndarray:
    """Of ten scenes six are speech, two noise, two next to nothing."""
    rng = np.random.default_rng([13, seed])
    scene, at = np.zeros(SCENE * RATE), 0
    while seed % 10 < 6:
        sentence = utterance(rng, " ".join(rng.choice(WORDS, rng.integers(3, 12))))
        at += int(rng.uniform(0.2, 1.5) * RATE)
        if at + len(sentence) > len(scene):
            break
        scene[at : at + len(sentence)] = sentence
        at += len(sentence)
    return in_noise(rng, scene, noises, quiet=seed % 10 >= 8)


def keyword_scene(seed: int, words: list[str], noises: dict[str, np.ndarray]) -> tuple[np.ndarray, list]:
    """The words one after the other, and where each begins and ends."""
    rng = np.random.default_rng([14, seed])
    parts, places, at = [], [], 0
    for word in words:
        gap, speech = np.zeros(int(rng.uniform(*GAP) * RATE)), utterance(rng, word)
        parts += [gap, speech]
        at += len(gap)
        places.append((word, at, at + len(speech)))
        at += len(speech)
    parts.append(np.zeros(2 * RATE))
    return in_noise(rng, np.concatenate(parts), noises, quiet=False), places


def write_scenes(path: Path, scenes: list[np.ndarray]) -> None:
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        for scene in scenes:
            file.writeframes(scene.tobytes())


def make_background(folder: Path, hours: float, noises: dict[str, np.ndarray]) -> None:
    with ThreadPoolExecutor() as pool:
        scenes = list(pool.map(lambda i: background_scene(i, noises), range(round(hours * 3600 / SCENE))))
    write_scenes(folder / "background.wav", scenes)


def make_words(folder: Path, keywords: list[str], noises: dict[str, np.ndarray]) -> None:
    order = np.random.default_rng(15).permutation(keywords * PER_KEYWORD).tolist()
    groups = [order[i : i + 10] for i in range(0, len(order), 10)]
    with ThreadPoolExecutor() as pool:
        scenes = list(pool.map(lambda i: keyword_scene(i, groups[i], noises), range(len(groups))))
    rows, at = [], 0
    for scene, places in scenes:
        rows += [(word, begin + at, end + at) for word, begin, end in places]
        at += len(scene)
    write_scenes(folder / "words.wav", [scene for scene, _ in scenes])
    with open(folder / "words.csv", "w", newline="") as file:
        csv.writer(file).writerows(rows)


def sweep_config(config: dict) -> str:
    """The same without thresholds and refractory time: every run of the network is told of."""
    lines = [f"classes = {json.dumps(config['classes'])}", "refractory_ms = 0"]
    lines += [f"{key} = {config[key]}" for key in ("hop_ms", "smoothing_ms") if key in config]
    for keyword in config["keyword"]:
        lines += ["[[keyword]]", f"name = {json.dumps(keyword['name'])}", "threshold = 0"]
    lines += ["[gate]", *(f"{key} = {value}" for key, value in config.get("gate", {}).items())]
    return "\n".join(lines) + "\n"


def heard(hone: str, model: str, folder: Path, name: str) -> tuple[list, int, int]:
    """(sample, keyword, score) of every run; pushes, and those with an open gate."""
    result = folder / f"{name}.json"
    command = [hone, "stream", model, "--config", folder / "sweep.toml", "--wav", folder / f"{name}.wav"]
    subprocess.run([*command, "--json", result, "--force"], check=True, stdout=subprocess.DEVNULL)
    found = json.loads(result.read_text())["results"]
    runs = [(run["sample"], run["keyword"], run["score_q15"]) for run in found["detections"]]
    return runs, found["pushes"], found["open_pushes"]


def detections(runs: list, threshold: float, refractory: int) -> list[tuple[int, str]]:
    """What the program says with this threshold: the likeliest keyword is the best of all that reach one for all."""
    found, deaf_until = [], 0
    for sample, keyword, score in runs:
        if score >= round(threshold * 32768) and sample >= deaf_until:
            found.append((sample, keyword))
            deaf_until = sample + refractory
    return found


def misses(found: list[tuple[int, str]], places: list[tuple[str, int, int]]) -> int:
    right = 0
    for word, begin, end in places:
        right += any(keyword == word and begin < sample <= end + LATEST * RATE for sample, keyword in found)
    return len(places) - right


def curve_svg(points: list[tuple[float, float, float]]) -> str:
    """Misses over false accepts per hour, a point for each threshold."""
    most = max(max(point[1] for point in points), 1)
    share = max(max(point[2] for point in points), 0.05)
    xy = [(60 + 500 * rate / most, 280 - 240 * missed / share, t) for t, rate, missed in points]
    text = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y, _ in xy)
    text += "".join(f'<text x="{x + 5:.1f}" y="{y - 5:.1f}">{t:.2f}</text>' for x, y, t in xy)
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in xy)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 330" font-family="sans-serif" font-size="11">'
        f'<path d="M60 40V280H560" fill="none" stroke="gray"/><polyline points="{line}" fill="none" stroke="black"/>'
        f'{text}<text x="210" y="315">false accepts an hour, up to {most:.0f}</text>'
        f'<text x="10" y="25">misses, up to {100 * share:.0f} %; points are thresholds</text></svg>\n'
    )


def missing_tool() -> str | None:
    return next((tool for tool in ("espeak-ng", "sox") if shutil.which(tool) is None), None)


def read_places(folder: Path) -> list[tuple[str, int, int]]:
    with open(folder / "words.csv", newline="") as file:
        return [(word, int(begin), int(end)) for word, begin, end in csv.reader(file)]


def tabulate(background: list, hours: float, words: list, places: list, refractory: int) -> list:
    """Prints and gives (threshold, false accepts an hour, share of misses)."""
    points = []
    print("| threshold | false accepts | an hour | misses, % |\n|---|---|---|---|")
    for threshold in THRESHOLDS:
        accepts = len(detections(background, threshold, refractory))
        missed = misses(detections(words, threshold, refractory), places) / len(places)
        points.append((threshold, accepts / hours, missed))
        print(f"| {threshold:.2f} | {accepts} | {accepts / hours:.1f} | {100 * missed:.1f} |")
    return points


def main() -> int:
    if len(sys.argv) not in (5, 6, 7):
        print(__doc__)
        return 3
    if tool := missing_tool():
        print(f"operating_point.py: needs {tool}; apt-get install {tool}", file=sys.stderr)
        return 5
    hone, model, config_file, folder = sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4])
    hours, per_hour = [float(value) for value in (sys.argv[5:] + ["1", "1"])[:2]]
    config = tomllib.loads(Path(config_file).read_text())
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "words.csv").exists():
        noises = make_noises()
        make_background(folder, hours, noises)
        make_words(folder, [keyword["name"] for keyword in config["keyword"]], noises)
    (folder / "sweep.toml").write_text(sweep_config(config))
    background, pushes, opened = heard(hone, model, folder, "background")
    words, _, _ = heard(hone, model, folder, "words")
    places = read_places(folder)
    print(f"{pushes / 360000:.2f} h without keywords (gate open {100 * opened / pushes:.0f} %), {len(places)} keywords\n")
    refractory = config.get("refractory_ms", 1000) * RATE // 1000
    points = tabulate(background, pushes / 360000, words, places, refractory)
    (folder / "operating_point.svg").write_text(curve_svg(points))
    chosen = next((point for point in points if point[1] <= per_hour), None)
    if chosen is None:
        print(f"\nno threshold has at most {per_hour:g} false accepts an hour")
        return 1
    print(f"\noperating point {chosen[0]:.2f}: {chosen[1]:.1f} false accepts an hour, {100 * chosen[2]:.1f} % missed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
