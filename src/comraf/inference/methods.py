"""The inference methods: one file a method, one line here.

A new method is a file beside this one with a `Method` in it, and a line in `METHODS`; see
"Adding an inference method" in CONTRIBUTING.md.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from comraf.errors import InputError, Parameter
from comraf.registry import Registry

if TYPE_CHECKING:
    from comraf.inference.problem import Outcome

__all__ = ["METHODS", "Method", "method_of"]


@dataclass(frozen=True)
class Method:
    """An inference method: what runs it, what can be asked of it, whose values it clusters.

    Attributes
    ----------
    name : str
        As in ``method=...`` and ``--method``.
    run : callable
        From a problem, options, a seed, a number of threads and a `Control` to an `Outcome`.
    options : callable
        Makes its options, mostly a dataclass. Its parameters are what can be asked of the
        method; commands and `comraf.Organizer` offer those that they know.
    sides : bool
        Whether the values of sides are clustered with the items; otherwise they stand as they are.
    more : tuple of str
        Other options that it heeds: ``checkpoint``, ``direction``, ``engine``, ``scheduler``.
    estimator : str
        The estimator of tables that runs it; answers go by this name.
    """

    name: str
    run: Callable[..., Outcome]
    options: Callable[..., Any]
    sides: bool = True
    more: tuple[str, ...] = ()
    estimator: str = ""

    @property
    def title(self) -> str:
        """What answers call it."""
        return self.estimator or self.name

    @property
    def defaults(self) -> dict[str, Any]:
        """What can be asked of its search, and the defaults.

        Examples
        --------
        >>> METHODS["cliquewise"].defaults["passes"]
        1.0
        """
        given = inspect.signature(self.options).parameters.values()
        return {one.name: one.default for one in given}

    @property
    def takes(self) -> tuple[str, ...]:
        """The options that it heeds."""
        columns = ("column_clusters",) if self.sides else ()
        resume = ("resume",) if "checkpoint" in self.more else ()
        return (*columns, *self.defaults, *self.more, *resume)

    def check(self, name: str, asked: object) -> None:
        """Refuse an option that was asked for and that the method does not heed.

        Examples
        --------
        >>> METHODS["itcc"].check("effort", "quick")
        Traceback (most recent call last):
        ...
        comraf.errors.InputError: effort has no meaning for method='itcc'; it is for mdc, ib
        """
        if asked and name not in self.takes:
            raise InputError(
                "{name} has no meaning for {given}; it is for {those:,}",
                "method",
                self.name,
                name=Parameter(name),
                those=[other for other, method in METHODS.items() if name in method.takes],
            )

    def made(self, given: Mapping[str, Any]) -> Any:
        """Its options of those that are given; None stands for its own default.

        Examples
        --------
        >>> METHODS["sequential"].made({"n_restarts": 3, "effort": "quick", "tol": None})
        SequentialOptions(n_restarts=3, max_passes=30, tol=0.0)
        """
        known = self.defaults
        return self.options(**{name: given[name] for name in known if given.get(name) is not None})


_HERE = "comraf.inference"
METHODS: Registry[Method] = Registry(
    {
        "mdc": f"{_HERE}.mdc:METHOD",
        "cliquewise": f"{_HERE}.cliquewise:METHOD",
        "itcc": f"{_HERE}.itcc:METHOD",
        "sequential": f"{_HERE}.sequential:METHOD",
        "agglomerative": f"{_HERE}.agglomerative:METHOD",
        "ib": f"{_HERE}.mdc:IB",
    }
)
"""Inference methods by name."""


def method_of(given: str | Method) -> Method:
    """A method by its name, or one of the caller's own.

    Examples
    --------
    >>> method_of("ib").estimator
    'InformationBottleneck'
    >>> method_of("kmeans")
    Traceback (most recent call last):
    ...
    comraf.errors.InputError: method='kmeans' is unknown; choose one of ['mdc', 'cliquewise',
    'itcc', 'sequential', 'agglomerative', 'ib']
    """
    if isinstance(given, Method):
        return given
    if not isinstance(given, str) or given not in METHODS:
        raise InputError(parameter="method", given=given, allowed=METHODS)
    return METHODS[given]
