"""Runs the tests beside it; exit code 77, which means skipped, where numpy or pytest is missing."""

import pathlib
import sys

try:
    import numpy  # noqa: F401
    import pytest
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", str(pathlib.Path(__file__).parent)]))
