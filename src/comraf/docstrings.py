"""Docstrings of classes that share parameters: each parameter is described in one class.

A class that derives from `comraf.docstrings.DocumentedOnce` describes its own parameters and
attributes. Those that its bases describe are added when it is imported, so that ``help()`` and the
pages of the documentation have all of them.
"""

from __future__ import annotations

import inspect
import re

__all__ = ["DocumentedOnce", "entries", "meanings", "sections"]

_TITLE = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


class DocumentedOnce:
    """Base of classes whose docstrings get what their bases describe.

    What a class describes itself stands before what its bases say, and in place of it where the
    name is the same; positional parameters of dataclasses stand first. Parameters that an
    ``__init__`` written in the class does not take are left out.

    Examples
    --------
    >>> class Method(DocumentedOnce):
    ...     '''What all methods share.
    ...
    ...     Parameters
    ...     ----------
    ...     seed : int
    ...         Seed of random numbers.
    ...     '''
    >>> class Merging(Method):
    ...     '''A method that merges.
    ...
    ...     Parameters
    ...     ----------
    ...     size : int
    ...         Where it ends.
    ...     '''
    >>> list(entries(sections(Merging.__doc__)["Parameters"]))
    ['size', 'seed']
    """

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        own = sections(vars(cls).get("__doc__"))
        if not own[""]:
            return
        taken = set(inspect.signature(cls).parameters) if "__init__" in vars(cls) else None
        whole = {"": own.pop("")}
        for title in ("Parameters", "Attributes"):
            found = entries(own.pop(title, ""))
            for base in cls.__mro__[1:]:
                if issubclass(base, DocumentedOnce) and base is not DocumentedOnce:
                    inherited = entries(sections(base.__doc__).get(title, ""))
                    if title == "Parameters" and taken is not None:
                        inherited = {k: v for k, v in inherited.items() if k in taken}
                    found = found | {k: v for k, v in inherited.items() if k not in found}
            positional = [
                name
                for base in cls.__mro__[1:]
                for name, one in vars(base).get("__dataclass_fields__", {}).items()
                if not one.kw_only
            ]
            found = {name: found[name] for name in positional if name in found} | found
            if found:
                whole[title] = "\n".join(dict.fromkeys(found.values()))
        parts = [f"{t}\n{'-' * len(t)}\n{text}" if t else text for t, text in (whole | own).items()]
        cls.__doc__ = "\n\n".join(parts) + "\n"


def sections(docstring: str | None) -> dict[str, str]:
    r"""Sections of a docstring in NumPy's form by title; what stands before them under ``""``.

    Examples
    --------
    >>> sections("A sum.\n\nParameters\n----------\nx : int\n    One part.")
    {'': 'A sum.', 'Parameters': 'x : int\n    One part.'}
    """
    first, *rest = _TITLE.split(inspect.cleandoc(docstring or ""))
    titled = zip(rest[::2], rest[1::2], strict=True)
    return {"": first.strip()} | {title: text.strip("\n") for title, text in titled}


def entries(section: str) -> dict[str, str]:
    r"""What a section says of each name; of names that share an entry the same.

    Examples
    --------
    >>> entries("x, y : int\n    Parts.\nz : int\n    Another.")["y"]
    'x, y : int\n    Parts.'
    """
    found = re.split(r"\n(?=\S)", section) if section else []
    return {
        name.strip("*"): entry
        for entry in found
        for name in entry.partition("\n")[0].partition(" : ")[0].split(", ")
    }


def meanings(docstring: str | None) -> dict[str, str]:
    r"""What a docstring says of each parameter, on one line and without its type.

    Examples
    --------
    >>> meanings("A sum.\n\nParameters\n----------\nx : int\n    One\n    part.")
    {'x': 'One part.'}
    """
    described = entries(sections(docstring).get("Parameters", ""))
    return {name: " ".join(entry.partition("\n")[2].split()) for name, entry in described.items()}
