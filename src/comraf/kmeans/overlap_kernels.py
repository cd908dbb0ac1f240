"""Kernels of overlapping clustering: the search over memberships, divergences and their sums.

Tables are read by rows as sparse ones are: where a row starts, columns, entries. Components come
transposed, so that all entries of one column lie together.
"""

from __future__ import annotations

import numpy as np

from comraf.kernels.jit import jit, jit_part

__all__ = ["TINY", "divergence", "ratios", "search"]

# A change of memberships must pay this part of what it is compared with; below lies rounding.
_NOISE = 1e-12
# Single memberships from which the search for a row's memberships starts, the best ones.
_STARTS = 4
#: Stands for 0 where a logarithm or a quotient is taken.
TINY = 1e-300


@jit_part
def _links(i, Z, price, shut, links):  # type: ignore[no-untyped-def]
    """Price of each membership of row i, and those closed to it."""
    own, (mp, mi, md), (cp, ci, cd), (fp, fi, _) = links
    k = Z.shape[1]
    size = 0.0
    for h in range(k):
        price[h] = own[i]
        shut[h] = False
    for p in range(mp[i], mp[i + 1]):
        size += md[p]
        for h in range(k):
            price[h] += -md[p] if Z[mi[p], h] else md[p]
    for p in range(cp[i], cp[i + 1]):
        size += cd[p]
        for h in range(k):
            if Z[ci[p], h]:
                price[h] += cd[p]
    for p in range(fp[i], fp[i + 1]):
        for h in range(k):
            if Z[fi[p], h]:
                shut[h] = True
    return size


@jit_part
def _best_singles(values, shut, out):  # type: ignore[no-untyped-def]
    """The best open single memberships, best first; how many there are."""
    found = 0
    for h in range(values.shape[0]):
        if shut[h]:
            continue
        at = found if found < out.shape[0] else out.shape[0] - 1
        if found == out.shape[0] and values[h] >= values[out[at]]:
            continue
        while at > 0 and values[out[at - 1]] > values[h]:
            out[at] = out[at - 1]
            at -= 1
        out[at] = h
        found = min(found + 1, out.shape[0])
    return found


@jit_part
def _single_squares(i, w, price, single, squares):  # type: ignore[no-untyped-def]
    """Value of each membership of row i alone."""
    fits, gram, _ = squares
    for h in range(single.shape[0]):
        single[h] = w * (gram[h, h] - 2 * fits[i, h]) + price[h]


@jit_part
def _climb_square(z, i, w, price, shut, most, pull, least, squares):  # type: ignore[no-untyped-def]
    """Add, drop and swap memberships of one row while it pays; its value, but for a constant."""
    fits, gram, _ = squares
    k = z.shape[0]
    size, value = 0, 0.0
    for h in range(k):
        pull[h] = 0.0
    for h in range(k):
        if z[h]:
            size += 1
            for g in range(k):
                pull[g] += gram[h, g]
    for h in range(k):
        if z[h]:
            value += w * (pull[h] - 2 * fits[i, h]) + price[h]
    for _ in range(4 * k):
        best, out, into = -least, -1, -1
        for h in range(k):
            if z[h]:
                drop = w * (2 * fits[i, h] - 2 * pull[h] + gram[h, h]) - price[h]
                if size > 1 and drop < best:
                    best, out, into = drop, h, -1
                for g in range(k):
                    if z[g] or shut[g]:
                        continue
                    add = (
                        w * (2 * pull[g] - 2 * fits[i, g] + gram[g, g] - 2 * gram[h, g]) + price[g]
                    )
                    if drop + add < best:
                        best, out, into = drop + add, h, g
            elif not shut[h] and size < most:
                add = w * (2 * pull[h] - 2 * fits[i, h] + gram[h, h]) + price[h]
                if add < best:
                    best, out, into = add, -1, h
        if out < 0 and into < 0:
            break
        value += best
        if out >= 0:
            z[out] = False
            size -= 1
            for g in range(k):
                pull[g] -= gram[out, g]
        if into >= 0:
            z[into] = True
            size += 1
            for g in range(k):
                pull[g] += gram[into, g]
    return value


@jit_part
def _entry(x, m, kl):  # type: ignore[no-untyped-def]
    """What one entry adds to a divergence, but for constants and the mass of components."""
    return -x * np.log(m) if kl else x / m + np.log(m)


@jit_part
def _longest(parts):  # type: ignore[no-untyped-def]
    """Most entries of a row."""
    starts = parts[0][0]
    longest = 0
    for i in range(starts.shape[0] - 1):
        longest = max(longest, starts[i + 1] - starts[i])
    return longest


@jit_part
def _single_divergences(i, w, price, single, parts):  # type: ignore[no-untyped-def]
    """Value of each membership of row i alone."""
    (starts, columns, data), M, mass, kl = parts
    for h in range(single.shape[0]):
        value = mass[h] if kl else 0.0
        for p in range(starts[i], starts[i + 1]):
            value += _entry(data[p], M[columns[p], h], kl)
        single[h] = w * value + price[h]


@jit_part
def _climb_divergence(z, i, w, price, shut, most, sums, least, parts):  # type: ignore[no-untyped-def]
    """Add and drop memberships of one row while it pays; its value, but for a constant."""
    (starts, columns, data), M, mass, kl = parts
    a, b = starts[i], starts[i + 1]
    k = z.shape[0]
    now = np.inf
    size = 0
    for h in range(k):
        size += z[h]
    change = -1
    for _ in range(4 * k):
        linear = 0.0
        for h in range(k):
            if z[h]:
                linear += price[h] + (w * mass[h] if kl else 0.0)
        value = 0.0
        for p in range(a, b):
            m = 0.0
            for h in range(k):
                if z[h]:
                    m += M[columns[p], h]
            sums[p - a] = m
            value += _entry(data[p], m, kl)
        now = linear + w * value
        best, change = now - least, -1
        for h in range(k):
            if (z[h] and size == 1) or (not z[h] and (shut[h] or size >= most)):
                continue
            sign = -1.0 if z[h] else 1.0
            value = 0.0
            for p in range(a, b):
                part = M[columns[p], h]
                # a component is never below its floor, and neither is a sum of others
                m = max(sums[p - a] + sign * part, TINY)
                value += _entry(data[p], m, kl)
            value = w * value + linear + sign * (price[h] + (w * mass[h] if kl else 0.0))
            if value < best:
                best, change = value, h
        if change < 0:
            break
        size += -1 if z[change] else 1
        z[change] = not z[change]
    return now


@jit
def search(order, Z, weights, most, links, squares, parts):  # type: ignore[no-untyped-def]
    """Search the memberships of rows, in place.

    By squared error, ``squares`` are products of rows with components, of components with each
    other, and of rows with themselves. By a divergence, ``parts`` are the table, components, the
    mass of each, and whether it is the I-divergence. The other one is None.
    """
    k = Z.shape[1]
    price, single = np.empty(k), np.empty(k)
    shut, z, top = np.empty(k, np.bool_), np.empty(k, np.bool_), np.empty(k, np.bool_)
    starts = np.empty(min(k, _STARTS), np.int64)
    room = np.empty(k if parts is None else _longest(parts))
    for step in range(order.shape[0]):
        i = order[step]
        w = weights[i]
        least = _links(i, Z, price, shut, links)
        if squares is not None:
            _single_squares(i, w, price, single, squares)
        if parts is not None:
            _single_divergences(i, w, price, single, parts)
        n_starts = _best_singles(single, shut, starts)
        if squares is not None:
            least += w * squares[2][i]
        elif n_starts:
            least += abs(single[starts[0]])
        least *= _NOISE
        z[:] = Z[i]
        best = np.inf
        for s in range(-1, n_starts):  # from what it has, then from the best single ones
            if s >= 0:
                z[:] = False
                z[starts[s]] = True
            if squares is not None:
                value = _climb_square(z, i, w, price, shut, most, room, least, squares)
            if parts is not None:
                value = _climb_divergence(z, i, w, price, shut, most, room, least, parts)
            if s < 0 or value < best - least:
                best = value
                top[:] = z
        Z[i] = top


@jit
def divergence(starts_at, columns, data, M, Z, kl):  # type: ignore[no-untyped-def]
    """Divergence of each row from the sum of its components."""
    n, k = Z.shape
    out = np.zeros(n)
    mass = np.zeros(k)
    for j in range(M.shape[0]):
        for h in range(k):
            mass[h] += M[j, h]
    for i in range(n):
        if kl:
            for h in range(k):
                if Z[i, h]:
                    out[i] += mass[h]
        for p in range(starts_at[i], starts_at[i + 1]):
            m = 0.0
            for h in range(k):
                if Z[i, h]:
                    m += M[columns[p], h]
            x = data[p]
            if not kl:
                out[i] += x / m - np.log(x / m) - 1
            elif x > 0:
                out[i] += x * np.log(x / m) - x
    return out


@jit
def ratios(starts_at, columns, data, M, Z, weights, kl):  # type: ignore[no-untyped-def]
    """Sums over members for a multiplicative step: of x/m; of x/m² and of 1/m."""
    n, k = Z.shape
    up = np.zeros(M.shape)
    down = np.zeros((1, 1) if kl else M.shape)
    for i in range(n):
        for p in range(starts_at[i], starts_at[i + 1]):
            j = columns[p]
            m = 0.0
            for h in range(k):
                if Z[i, h]:
                    m += M[j, h]
            for h in range(k):
                if Z[i, h]:
                    if kl:
                        up[j, h] += weights[i] * data[p] / m
                    else:
                        up[j, h] += weights[i] * data[p] / (m * m)
                        down[j, h] += weights[i] / m
    return up, down
