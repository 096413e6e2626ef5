"""What a command found."""

import html as _html
import json as _json
from typing import Any, Dict, List

_COLUMNS = ("layer", "operator", "kernel", "us", "share", "output")


class Report:
    """What a command prints (`text`), what `--json` writes (`json`), and a page of it (`html`)."""

    def __init__(self, made: Any) -> None:
        self._made = made

    @property
    def text(self) -> str:
        return self._made.text

    @property
    def json(self) -> Dict[str, Any]:
        """The whole result file: model, command, tool and `results`."""
        return _json.loads(self._made.json)

    @property
    def results(self) -> Dict[str, Any]:
        return self.json["results"]

    @property
    def passed(self) -> bool:
        """False where a budget does not hold, where that cannot be told, or where the model does not fit."""
        return self._made.exit_code == 0

    @property
    def exit_code(self) -> int:
        return self._made.exit_code

    def html(self) -> str:
        """A page that needs nothing else."""
        return self._made.html()

    def save(self, path: str) -> None:
        """Writes the page (.html) or the result file (anything else)."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html() if str(path).endswith(".html") else self._made.json)

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{_html.escape(self.text)}</pre>"


class Profile(Report):
    """Where the time of a model goes."""

    @property
    def _measured(self) -> Dict[str, Any]:
        """Of a diagnosis, the profile it stands on."""
        return self.results.get("profile", self.results)

    @property
    def latency_ms(self) -> float:
        """The median run, or NaN where there is none; `latency` says where it comes from."""
        value = self.latency.get("value")
        return float("nan") if value is None else value

    @property
    def latency(self) -> Dict[str, Any]:
        """The median run with its unit, interval and provenance."""
        metrics = {metric["name"]: metric for metric in self._measured["latency"]}
        return metrics.get("median") or metrics.get("mean") or {}

    @property
    def layers(self) -> List[Dict[str, Any]]:
        """A row for every layer, the slowest first."""
        steps = self._measured["steps"]
        rows = []
        for group in self._measured["layers"]:
            ran = [steps[i] for i in group["steps"]]
            rows.append({
                "layer": group["name"],
                "operator": ran[0]["op"] if ran else "",
                "kernel": ran[0]["kernel"] if ran else group["ended"],
                "us": group["us"],
                "share": group["share"],
                "output": ran[-1]["output"] if ran else "",
            })
        return sorted(rows, key=lambda row: -row["us"])

    def frame(self) -> Any:
        """The layers as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.layers, columns=_COLUMNS)

    def _repr_html_(self) -> str:
        latency = self.latency
        if latency.get("value") is None:
            head = "latency unavailable: " + latency.get("note", "")
        else:
            head = f"{latency['value']:.4g} {latency['unit']} ({latency['mode']})"
        cells = "".join(f"<th>{name}</th>" for name in _COLUMNS)
        rows = "".join("<tr>" + "".join(_cell(row[name], name) for name in _COLUMNS) + "</tr>" for row in self.layers)
        results = self._measured
        title = f"{results['model']} on {results['target']}: {head}"
        return f"<p><b>{_html.escape(title)}</b></p><table><tr>{cells}</tr>{rows}</table>"


def _cell(value: Any, name: str) -> str:
    if name == "share":
        return f"<td style='text-align:right'>{100 * value:.1f} %</td>"
    if isinstance(value, float):
        return f"<td style='text-align:right'>{value:.1f}</td>"
    return f"<td>{_html.escape(str(value))}</td>"
