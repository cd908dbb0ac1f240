"""What answers about pairs of items say together, kept up to date answer by answer."""

from __future__ import annotations

from collections import defaultdict

from comraf.errors import ConflictError, InputError

__all__ = ["Answers", "ordered"]


def ordered(i: int, j: int) -> tuple[int, int]:
    """The pair with its smaller row first: a question has no direction.

    Examples
    --------
    >>> ordered(5, 2)
    (2, 5)
    """
    return (i, j) if i < j else (j, i)


class Answers:
    """Groups of items that belong together, and which groups do not.

    `comraf.supervision.close` does the same for all links at once; between two questions only
    one answer is new, and following that one alone keeps a long session quick.

    Parameters
    ----------
    n : int
        Number of items.

    Examples
    --------
    >>> answers = Answers(4)
    >>> answers.tell(0, 1, True)
    >>> answers.tell(1, 2, False)
    >>> answers.tell(2, 3, None)
    >>> answers.follows(0, 2), answers.follows(2, 3), answers.unsure(3, 2)
    (False, None, True)
    """

    def __init__(self, n: int) -> None:
        self._above = list(range(n))
        self._members: dict[int, list[int]] = {}
        self._apart: defaultdict[int, set[int]] = defaultdict(set)
        self._unsure: set[tuple[int, int]] = set()

    def tell(self, i: int, j: int, same: bool | None) -> None:
        """Take one answer in; None is "don't know", and says nothing about other pairs.

        Raises
        ------
        ConflictError
            The opposite follows from earlier answers.
        """
        if not 0 <= min(i, j) <= max(i, j) < len(self._above):
            raise InputError(
                f"items {i} and {j} are answered, but there are items 0 to {len(self._above) - 1}"
            )
        if same is None:
            self._unsure.add(ordered(i, j))
            return
        known = self.follows(i, j)
        if known is not None:
            if known is not same:
                raise ConflictError(
                    f"items {i} and {j} are said to be {_word(same)}, but earlier answers say "
                    f"that they are {_word(known)}; take one of these answers back"
                )
            return
        a, b = self._root(i), self._root(j)
        if same:
            self._join(a, b)
        else:
            self._apart[a].add(b)
            self._apart[b].add(a)

    def follows(self, i: int, j: int) -> bool | None:
        """Whether two items belong together as far as answers tell; None where they don't."""
        a, b = self._root(i), self._root(j)
        if a == b:
            return True
        return False if b in self._apart.get(a, ()) else None

    def unsure(self, i: int, j: int) -> bool:
        """Whether this very pair was answered with "don't know"."""
        return ordered(i, j) in self._unsure

    def groups(self) -> list[list[int]]:
        """Groups of two items or more, each sorted, in the order of their first items."""
        return sorted(sorted(group) for group in self._members.values())

    def _root(self, i: int) -> int:
        above = self._above
        while above[i] != i:
            above[i] = above[above[i]]
            i = above[i]
        return i

    def _join(self, a: int, b: int) -> None:
        one, other = self._members.pop(a, [a]), self._members.pop(b, [b])
        if len(one) < len(other):
            a, b, one, other = b, a, other, one
        one.extend(other)
        self._members[a] = one
        self._above[b] = a
        for group in self._apart.pop(b, ()):
            self._apart[group].discard(b)
            self._apart[group].add(a)
            self._apart[a].add(group)


def _word(same: bool) -> str:
    return "together" if same else "apart"
