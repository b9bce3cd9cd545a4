"""Lists what comes with the service, and its licences: python3 deploy/licenses.py [--texts]

It reads the metadata of the distributions that the Python which runs it has installed: those that
pyproject.toml names, for the service and the extras of the image, and those that they need in turn.
`--texts` prints the texts of the licences, too. Exit code 1 names what has no known licence.
"""

import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
EXTRAS = ("s3", "postgres", "oidc")
KNOWN = {  # SPDX expressions of licences under which all of this may be used and handed out
    "0BSD",
    "Apache-2.0 AND BSD-2-Clause",
    "Apache-2.0 OR BSD-2-Clause",
    "Apache-2.0 OR BSD-3-Clause",
    "BSD-2-Clause",
    "BSD-2-Clause AND HPND",
    "BSD-2-Clause AND LicenseRef-Public-Domain",
    "BSD-3-Clause",
    "BSD-3-Clause AND Apache-2.0",
    "BSD-3-Clause AND LGPL-3.0-only",  # LGPL: a library of its own, which anybody may replace
    "LGPL-3.0-only",
    "MIT",
    "MIT-0",
    "MIT-CMU",
    "PSF-2.0",
    "ZPL-2.1",
}
SEEN = {  # whose metadata has no SPDX expression: what the text of the licence says
    "cobble": "BSD-2-Clause",
    "itsdangerous": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "libpass": "BSD-3-Clause",
    "mammoth": "BSD-2-Clause",
    "olefile": "BSD-2-Clause AND HPND",  # HPND: what it took over from the Python Imaging Library
    "peewee": "MIT",
    "pi-heif": "BSD-3-Clause AND LGPL-3.0-only",  # LGPL: libheif and libde265, which it contains
    "pycryptodomex": "BSD-2-Clause AND LicenseRef-Public-Domain",
    "pypdfium2": "BSD-3-Clause AND Apache-2.0",  # PDFium and its libraries have texts of their own
    "segno": "BSD-3-Clause",
    "waitress": "ZPL-2.1",
}
MIT = "License :: OSI Approved :: MIT License"


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def needed_by_project():
    project = tomllib.loads(PROJECT.read_text())["project"]
    needs = list(project["dependencies"])
    for extra in EXTRAS:
        for need in project["optional-dependencies"][extra]:
            needs.append(f"{need}; extra == '{extra}'")
    return needs


def needs_of(distribution, extras):
    """Yield the needs of a distribution for itself and these extras, each as its metadata says."""
    for need in distribution.requires or ():
        extra = re.search(r"""extra\s*==\s*['"]([^'"]+)['"]""", need.partition(";")[2])
        if extra is None or extra[1] in extras:
            yield need


def installed(needs):
    """The distributions by their names, in alphabetical order.

    A distribution that is not installed is left out if its need has a marker, as for an extra or
    for another system. Without a marker it raises `PackageNotFoundError`.
    """
    found, tried, waiting = {}, set(), list(needs)
    while waiting:
        need = waiting.pop()
        name, extras = re.match(r"([\w.-]+)\s*(?:\[(.*?)\])?", need).groups()
        extras = frozenset((extras or "").replace(" ", "").split(","))
        if (canonical(name), extras) in tried:
            continue
        tried.add((canonical(name), extras))
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            if ";" in need:
                continue
            raise
        found[canonical(name)] = distribution
        waiting += needs_of(distribution, extras)
    return dict(sorted(found.items()))


def licence_of(name, distribution):
    """An SPDX expression; where none is known, the words of the metadata, or `unknown`."""
    stated = distribution.metadata
    classifiers = [one for one in stated.get_all("Classifier", ()) if one.startswith("License")]
    if expression := stated.get("License-Expression"):
        return expression
    if name in SEEN:
        return SEEN[name]
    if classifiers == [MIT] or stated.get("License") == "MIT":
        return "MIT"
    return "; ".join([*classifiers, *(stated.get("License") or "").splitlines()[:1]]) or "unknown"


def texts_of(distribution):
    """The licences' texts that it brings, after their names."""
    for file in distribution.files or ():
        if ".dist-info" in file.parts[0] and re.search(
            r"licen[cs]e|copying|notice", str(file), re.I
        ):
            yield f"--- {distribution.name}: {file}\n{file.read_binary().decode(errors='replace')}"


def main():
    distributions = installed(needed_by_project())
    licences = {name: licence_of(name, one) for name, one in distributions.items()}
    for name, licence in licences.items():
        print(f"{name:24} {distributions[name].version:12} {licence}")
    if "--texts" in sys.argv[1:]:
        for one in distributions.values():
            print(*texts_of(one), sep="\n")
    if unknown := [name for name, licence in licences.items() if licence not in KNOWN]:
        sys.exit(f"These have no known licence: {', '.join(unknown)}.")


if __name__ == "__main__":
    main()
