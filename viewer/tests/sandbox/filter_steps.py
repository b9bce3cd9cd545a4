"""Runs the steps of a seccomp filter by hand"""

import struct

from viewer.sandbox import seccomp


def verdict(steps, architecture, number, *arguments):
    """What a filter answers to a call."""
    program = list(struct.iter_unpack("HBBI", steps))
    data = {0: number, 4: architecture} | {16 + 8 * n: 0 for n in range(6)}
    data |= {16 + 8 * n: argument for n, argument in enumerate(arguments)}
    value = 0
    at = 0
    while True:
        code, if_true, if_false, operand = program[at]
        if code == seccomp.RETURN:
            return operand
        if code == seccomp.LOAD:
            value = data[operand]
            at = at + 1
            continue
        holds = {
            seccomp.EQUAL: value == operand,
            seccomp.GREATER: value > operand,
            seccomp.ANY_BIT: bool(value & operand),
        }[code]
        at += 1 + (if_true if holds else if_false)
