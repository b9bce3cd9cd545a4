"""No regular expression takes much longer than its text is long, whatever the text is.

Texts are made of the pattern itself: what leads to a repetition, something that may be repeated
there, and an end that does not match. They grow until one takes more than a linear pattern needs
on a quiet machine; a pattern is slow if that is much more than four times the time that a quarter
of the text takes.
"""

import ast
import re
from functools import cache
from importlib import import_module
from itertools import product
from re import _parser
from time import thread_time

import pytest

from tests.test_architecture import MODULES, nodes

METHODS = {"match", "fullmatch", "search", "split", "findall", "finditer", "sub", "subn"}
USED = {  # on patterns that are called by another name
    "_EMAIL": {"fullmatch"},
    "_MEDIA_TYPE": {"fullmatch"},
    "_CLOSED_STRINGS": {"match"},
    "_TO_QUOTE": {"match"},
    "LANGUAGE": {"findall"},
}
LOCAL = {  # what an expression in a function stands for
    "part": "BESIDE",
    "pattern": "()",
    "'|'.join(of_method)": "'/v1/uploads/[^/]+|/s/uploads/[^/]+'",
}
SIGNS = "a0 \n\t;=\"'<>()/\\.,:-_!\0é"
CHOICES = 4  # signs of a set, and branches, are tried: `\s` begins with a blank and a line end
CATEGORIES = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}
GROUPS = {"SUBPATTERN", "ATOMIC_GROUP"}
TIMES = range(6, 28, 3)  # few at first: each more may take twice the time of the one before
CHARACTERS = 500, 4000
SECONDS = 0.004  # of the processor, for 4,000 characters: what takes less is not looked at
GROWTH = (
    7  # times the time of a quarter of the text: 4 if the time is linear, 16 if it is quadratic
)
LOOKS = 3  # each must find it slow: on a shared machine one may err


def patterns(module):
    """Each compiled pattern of a module, and the methods that are called on it."""
    names = {
        id(one.value): ast.unparse(getattr(one, "target", None) or one.targets[0])
        for one in nodes(module)
        if isinstance(one, ast.Assign | ast.AnnAssign)
    }
    for node in nodes(module):
        function = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if not re.fullmatch(r"re\.(?!escape)[a-z]+|_matching", function):
            continue
        method = "fullmatch" if function == "_matching" else function.removeprefix("re.")
        place = {"compile": 1, "split": 3, "sub": 4, "subn": 4}.get(method, 2)
        flags = [] if function == "_matching" else node.args[place:]
        for source in sources(node.args[0], module):
            compiled = re.compile(source, *(value_of(one, module) for one in flags))
            name = names.get(id(node), "")
            yield compiled, methods_of(name, module) if method == "compile" else {method}


def methods_of(name, module):
    return (
        methods_by_name(module).get(name) or USED.get(name) or methods_by_name().get(name, METHODS)
    )


def sources(expression, module):
    """The patterns that an expression may be."""
    if isinstance(expression, ast.IfExp):
        return [value_of(one, module) for one in (expression.body, expression.orelse)]
    value = value_of(LOCAL.get(ast.unparse(expression), expression), module)
    return [value] if isinstance(value, str | bytes) else list(value)


def value_of(expression, module):
    text = expression if isinstance(expression, str) else ast.unparse(expression)
    return eval(text, names_in(module))


def names_in(module):
    try:
        return vars(import_module(module))
    except ModuleNotFoundError:  # of a library that is optional
        return {"re": re}


@cache
def methods_by_name(*modules):
    """The methods that are called on what has a name, in these modules or in all."""
    found = {}
    for module in modules or MODULES:
        for node in nodes(module):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                name = ast.unparse(node.value).rpartition(".")[2]
                found.setdefault(name, set()).add(node.attr)
    return found


def slow_text(pattern, methods):
    """The method and the parts of a text that take the pattern too long, or None."""
    for (start, part), end, method in product(*texts(pattern), sorted(methods)):
        for times in (*TIMES, *(most // len(part) for most in CHARACTERS)):
            whole = start + part * times + end
            quarter = start + part * (times // 4) + end
            if all(is_slow(pattern, method, whole, quarter) for _ in range(LOOKS)):
                return method, start, part, times, end
    return None


def is_slow(pattern, method, whole, quarter):
    """Whether a text takes long, and much longer than a quarter of it."""
    took = seconds(pattern, method, whole)
    return took > SECONDS and took > seconds(pattern, method, quarter) * GROWTH


def seconds(pattern, method, text):
    """The time of the processor that one search takes."""
    if isinstance(pattern.pattern, bytes):
        text = text.encode("latin-1")
    if method in {"sub", "subn", "finditer"}:
        method = "findall"  # the same search, all of it
    began = thread_time()
    getattr(pattern, method)(text)
    return thread_time() - began


def texts(pattern):
    """Pairs of a beginning and what may be repeated behind it; and ends."""
    source = pattern.pattern
    source = source.decode("latin-1") if isinstance(source, bytes) else source
    tree = _parser.parse(source, pattern.flags)
    signs = "".join(dict.fromkeys(SIGNS + "".join(c for c in source if not c.isalnum())))
    pairs = {pair for choice in range(CHOICES) for pair in repeated(tree, "", choice, signs)}
    ends = {"\0"} | {outside(one, signs) for one in sets(tree)}
    return sorted(pair for pair in pairs if pair[1]), sorted(ends)


def repeated(items, start, choice, signs):
    """For each repetition among the items: the text before it, and what the text may go on with.

    That is what is repeated, or all since the start or since an earlier repetition.
    """
    text, places = start, [start]
    for op, argument in flat(items, choice):
        if str(op) in REPEATS:
            one = sample(argument[2], choice, signs)
            yield text, one
            yield from ((place, text[len(place) :] + one) for place in places)
            yield from repeated(argument[2], text, choice, signs)
            places.append(text)
        text += sample([(op, argument)], choice, signs)


def flat(items, choice):
    """The items with those of groups in their place, and of branches the chosen one's."""
    for op, argument in items:
        if str(op) in GROUPS:
            yield from flat(argument[-1] if str(op) == "SUBPATTERN" else argument, choice)
        elif str(op) == "BRANCH":
            yield from flat(argument[1][choice % len(argument[1])], choice)
        else:
            yield op, argument


def sample(items, choice, signs):
    """A text that the items match, but for what they look at around it."""
    text = ""
    for op, argument in flat(items, choice):
        if str(op) in REPEATS:
            times = max(argument[0], choice % 2)
            text += sample(argument[2], choice, signs) * times
        elif str(op) == "LITERAL":
            text += chr(argument)
        elif str(op) in {"IN", "NOT_LITERAL", "ANY"}:
            known = [sign for sign in signs if holds(op, argument, sign)] or [any_of(argument)]
            text += known[choice % len(known)]
    return text


def any_of(members):
    """The first of a set that has none of the signs."""
    op, argument = members[0]
    return chr(argument[0] if str(op) == "RANGE" else argument)


def holds(op, argument, sign):
    code = ord(sign)
    if str(op) == "NOT_LITERAL":
        return code != argument
    if str(op) == "ANY":
        return sign != "\n"
    is_negated = str(argument[0][0]) == "NEGATE"
    return is_negated != any(is_member(*one, sign) for one in argument)


def is_member(op, argument, sign):
    if str(op) == "RANGE":
        return argument[0] <= ord(sign) <= argument[1]
    if str(op) == "CATEGORY":
        name = str(argument).rpartition("_")[2]
        return ("_NOT_" in str(argument)) != bool(re.match(CATEGORIES[name], sign))
    return str(op) == "LITERAL" and ord(sign) == argument


def sets(items):
    """The sets of characters among the items and in them."""
    for op, argument in items:
        if str(op) in {"IN", "NOT_LITERAL", "ANY"}:
            yield op, argument
        elif str(op) == "BRANCH":
            for one in argument[1]:
                yield from sets(one)
        elif str(op) in GROUPS | REPEATS:
            yield from sets(argument if str(op) == "ATOMIC_GROUP" else argument[-1])


def outside(kind, signs):
    return next((sign for sign in signs if not holds(*kind, sign)), "")


@pytest.mark.slow
def test_no_pattern_takes_long():
    slow = [
        (module, pattern.pattern, found)
        for module in MODULES
        for pattern, methods in patterns(module)
        if (found := slow_text(pattern, methods))
    ]
    assert not slow


def test_a_pattern_that_takes_long_is_found():
    exponential = r"/app/(?!/)(?:[^\\/\x00-\x1f\x7f]+/?)*", r"(?:a|ab|b)*c"
    quadratic = r"\w+:[ \t]*[^\n]*", r"[\d.]*\d[\d.]*"
    for source in exponential + quadratic:
        assert slow_text(re.compile(source), {"fullmatch"}), source
    assert slow_text(re.compile(rb"\s*[^ \r\n]+ /"), {"match"})  # both take a tab
    for source in r"\s+$", r"<!--.*?-->", rb"row\s[^<>]*?r=":
        assert slow_text(re.compile(source), {"findall"}), source
