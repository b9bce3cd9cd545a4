"""How a library that not every service needs is installed."""


def installing(extra: str) -> str:
    """Return the commands that install an extra of `pyproject.toml`, in a checkout and elsewhere.

    Nobody is told to install by name alone: at an index of packages the name may be anybody's.
    """
    wheel = f"./document_service-VERSION-py3-none-any.whl[{extra}]"
    return f"pip install -e '.[{extra}]' in a checkout, else pip install '{wheel}'"
