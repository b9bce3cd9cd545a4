"""Packages of npm, which lie beside the programs of npm that are on the PATH."""

import os
from pathlib import Path

import pytest


def package(name):
    """The folder of a package; without it the test is skipped."""
    for folder in os.environ["PATH"].split(os.pathsep):
        found = Path(folder).parent / name
        if Path(folder).name == ".bin" and found.is_dir():
            return found
    return pytest.skip(f"{name} is not installed: npm install {name}, and its .bin on the PATH")
