"""Runs a Python file of cells and writes it with what they give as a notebook beside it.

    make_notebook.py [--check] FILE.py...

Cells begin with `# %%`, those of text with `# %% [markdown]`, as editors know them. What a cell prints, and what its last
expression is, stands below it in FILE.ipynb. --check runs the cells as well, but writes nothing: exit code 1 where a
notebook has other cells than its file. Needs no Jupyter; the package `hone` has to be importable.
"""

import ast
import contextlib
import io
import json
import pathlib
import sys


def cells_of(text):
    """Pairs of a kind, "code" or "markdown", and the text of a cell."""
    for part in text.split("# %%")[1:]:
        head, _, body = part.partition("\n")
        if "[markdown]" not in head:
            yield "code", body.strip("\n")
            continue
        lines = [line.removeprefix("#").removeprefix(" ") for line in body.strip("\n").split("\n")]
        yield "markdown", "\n".join(lines).strip("\n")


def run(source, names):
    """What a cell prints, and its last expression, or None."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
    return printed.getvalue(), value


def lines_of(text):
    return text.splitlines(keepends=True)


def outputs_of(printed, value, count):
    outputs = []
    if printed:
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines_of(printed)})
    if value is not None:
        data = {"text/plain": lines_of(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines_of(value._repr_html_())
        outputs.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return outputs


def notebook_of(text):
    names, cells, count = {"__name__": "__main__"}, [], 0
    for kind, source in cells_of(text):
        cell = {"cell_type": kind, "id": f"cell-{len(cells)}", "metadata": {}, "source": lines_of(source)}
        if kind == "code":
            count += 1
            printed, value = run(source, names)
            cell.update(execution_count=count, outputs=outputs_of(printed, value, count))
        cells.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def same_cells(one, other):
    def plain(notebook):
        return [(cell["cell_type"], cell["source"]) for cell in notebook["cells"]]
    return plain(one) == plain(other)


def main():
    files = [pathlib.Path(word) for word in sys.argv[1:] if word != "--check"]
    if not files:
        sys.exit(__doc__)
    stale = []
    for file in files:
        made = notebook_of(file.read_text(encoding="utf-8"))
        path = file.with_suffix(".ipynb")
        if "--check" not in sys.argv:
            path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        elif not same_cells(made, json.loads(path.read_text(encoding="utf-8"))):
            stale.append(f"{path}: other cells than {file.name}; tools/make_notebook.py {file} makes it anew")
    sys.exit("\n".join(stale) or 0)


if __name__ == "__main__":
    main()
