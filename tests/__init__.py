"""Tests write bytecode, also where the environment forbids it: each process would compile all."""

import sys

sys.dont_write_bytecode = False
