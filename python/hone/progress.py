"""How far commands are: on a terminal by itself, in a notebook below its cell, elsewhere wherever it is brought."""

from typing import Any, Callable, Optional

from . import _hone


def on_progress(view: Optional[Callable[[str], Any]]) -> None:
    """Calls `view` with a line, some times a second, while a command goes on, and with an empty one at its end.

    Lines are such as "profile: measure [####....]  50 % 2.0 s left". It is called by whichever thread goes on, and must
    not call Hone. None brings lines to the terminal again, if there is one.
    """
    _hone.on_progress(view)


class _Cell:
    """A line below the cell that runs."""

    def __init__(self) -> None:
        self._shown: Any = None

    def __call__(self, line: str) -> None:
        from IPython.display import Pretty, display

        if self._shown is None:
            self._shown = display(Pretty(line), display_id=True)
        else:
            self._shown.update(Pretty(line))
        if not line:
            self._shown = None


def _is_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return hasattr(get_ipython(), "kernel")


if _is_notebook():
    on_progress(_Cell())
