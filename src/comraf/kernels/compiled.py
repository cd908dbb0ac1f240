"""Compiled twins of `comraf.kernels.reference`.

They all live in one file because numba's cache does not see changes in other files. No
``fastmath`` (results must not depend on the machine), no ``parallel`` (restarts run in
threads over these ``nogil`` loops). Loops that can last are sliced by their callers
through ``start``/``stop`` arguments, so that Ctrl-C and progress get a turn.
"""

from __future__ import annotations

import math

import numpy as np

from comraf.kernels.jit import jit

# A move must pay this much per unit of the element's mass; below lies rounding noise, and
# noise would keep elements wandering between equally good clusters for ever.
TOLERANCE = 1e-9


@jit
def next_uniform(state):  # type: ignore[no-untyped-def]
    """One draw from (0, 1); ``state`` is a uint64 array of length 1 (splitmix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (np.float64(z >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0)


@jit
def phi_step(t, v, phi):  # type: ignore[no-untyped-def]
    """phi(t + v) - phi(t) for any size of count, without cancellation beyond the table."""
    if t + v < phi.shape[0]:
        return phi[t + v] - phi[t]
    if t == 0:
        return v * math.log(v)
    return v * math.log(np.float64(t + v)) + t * math.log1p(v / t)


@jit
def aggregate(indptr, indices, data, labels, k):  # type: ignore[no-untyped-def]
    """Rows of a CSR table with its columns put together by ``labels``.

    Within a row, clusters stand in the order in which they are met; one column more, the
    last, holds the row's sum. Empty rows stay empty.
    """
    n = indptr.shape[0] - 1
    out_indptr = np.zeros(n + 1, np.int64)
    seen = np.full(k, -1, np.int64)
    for i in range(n):
        distinct = 0
        for p in range(indptr[i], indptr[i + 1]):
            c = labels[indices[p]]
            if seen[c] != i:
                seen[c] = i
                distinct += 1
        out_indptr[i + 1] = out_indptr[i] + distinct + (1 if distinct else 0)
    nnz = out_indptr[n]
    out_indices = np.empty(nnz, np.int32)
    out_data = np.empty(nnz, np.int64)
    seen[:] = -1
    total = np.zeros(k, np.int64)
    for i in range(n):
        first = out_indptr[i]
        fill = first
        row_sum = np.int64(0)
        for p in range(indptr[i], indptr[i + 1]):
            c = labels[indices[p]]
            if seen[c] != i:
                seen[c] = i
                total[c] = 0
                out_indices[fill] = c
                fill += 1
            total[c] += data[p]
            row_sum += data[p]
        if fill > first:
            for p in range(first, fill):
                out_data[p] = total[out_indices[p]]
            out_indices[fill] = k
            out_data[fill] = row_sum
    return out_indptr, out_indices, out_data


@jit
def count(plan, labels, k):  # type: ignore[no-untyped-def]
    """Counts of every column in every cluster, (columns, k)."""
    counts = np.zeros((plan.coef.shape[0], k), np.int64)
    for i in range(labels.shape[0]):
        c = labels[i]
        for p in range(plan.indptr[i], plan.indptr[i + 1]):
            counts[plan.indices[p], c] += plan.data[p]
    return counts


@jit
def add_gains(out, row, v, w, ceiling, phi):  # type: ignore[no-untyped-def]
    """``out[c] += w * (phi(row[c] + v) - phi(row[c]))``: the innermost loop of everything."""
    if ceiling + v < phi.shape[0]:
        for c in range(out.shape[0]):
            t = row[c]
            out[c] += w * (phi[t + v] - phi[t])
    else:
        for c in range(out.shape[0]):
            out[c] += w * phi_step(row[c], v, phi)


@jit
def put(plan, state, i, c, sign):  # type: ignore[no-untyped-def]
    """Put element ``i`` into cluster ``c`` (sign 1) or pull it out of it (sign -1)."""
    for p in range(plan.indptr[i], plan.indptr[i + 1]):
        col = plan.indices[p]
        t = state.counts[col, c] + sign * plan.data[p]
        state.counts[col, c] = t
        if t > state.cell_max[col]:
            state.cell_max[col] = t


@jit
def gains(plan, state, i, phi, out):  # type: ignore[no-untyped-def]
    """Gain of putting ``i``, which is in no cluster now, into each cluster."""
    out[:] = 0.0
    for p in range(plan.indptr[i], plan.indptr[i + 1]):
        col = plan.indices[p]
        add_gains(out, state.counts[col], plan.data[p], plan.coef[col], state.cell_max[col], phi)
    for p in range(plan.pair_indptr[i], plan.pair_indptr[i + 1]):
        out[state.labels[plan.pair_indices[p]]] += plan.pair_weights[p]
    if plan.unary.shape[0] > 0:
        for c in range(out.shape[0]):
            out[c] += plan.unary[i, c]


@jit
def sweep(plan, state, order, start, stop, phi, temperature, random, out):  # type: ignore[no-untyped-def]
    """Offer elements ``order[start:stop]`` their best cluster, one after the other.

    With ``temperature > 0`` the choice is a draw from the softmax of gain per mass divided
    by the temperature (annealing). An element alone in its cluster stays, so that no
    cluster vanishes. Returns (elements moved, gain of the objective).
    """
    moved = 0
    gained = 0.0
    for position in range(start, stop):
        i = order[position]
        a = state.labels[i]
        if state.sizes[a] == 1:
            continue
        put(plan, state, i, a, -1)
        gains(plan, state, i, phi, out)
        b = a
        if temperature > 0.0:
            heat = temperature * plan.mass[i]
            best = -np.inf
            for c in range(out.shape[0]):
                draw = out[c] - heat * math.log(-math.log(next_uniform(random)))
                if draw > best:
                    best = draw
                    b = c
        else:
            best = out[a] + TOLERANCE * plan.mass[i]
            for c in range(out.shape[0]):
                if out[c] > best:
                    best = out[c]
                    b = c
        put(plan, state, i, b, 1)
        if b != a:
            state.labels[i] = b
            state.sizes[a] -= 1
            state.sizes[b] += 1
            moved += 1
            gained += out[b] - out[a]
    return moved, gained


@jit
def shuffle(plan, state, elements, n_trials, phi, random):  # type: ignore[no-untyped-def]
    """Try ``n_trials`` random (element, cluster) pairs; move where that raises the objective."""
    moved = 0
    gained = 0.0
    k = state.sizes.shape[0]
    for _ in range(n_trials):
        i = elements[int(next_uniform(random) * elements.shape[0])]
        b = int(next_uniform(random) * k)
        a = state.labels[i]
        if a == b or state.sizes[a] == 1:
            continue
        gain = 0.0
        for p in range(plan.indptr[i], plan.indptr[i + 1]):
            col = plan.indices[p]
            v = plan.data[p]
            gain += plan.coef[col] * (
                phi_step(state.counts[col, b], v, phi) - phi_step(state.counts[col, a] - v, v, phi)
            )
        for p in range(plan.pair_indptr[i], plan.pair_indptr[i + 1]):
            other = state.labels[plan.pair_indices[p]]
            if other == b:
                gain += plan.pair_weights[p]
            elif other == a:
                gain -= plan.pair_weights[p]
        if plan.unary.shape[0] > 0:
            gain += plan.unary[i, b] - plan.unary[i, a]
        if gain > TOLERANCE * plan.mass[i]:
            put(plan, state, i, a, -1)
            put(plan, state, i, b, 1)
            state.labels[i] = b
            state.sizes[a] -= 1
            state.sizes[b] += 1
            moved += 1
            gained += gain
    return moved, gained


@jit
def value(counts, coef, phi):  # type: ignore[no-untyped-def]
    """``sum coef[col] * phi(counts[col, c])``: the part of the objective that can change."""
    total = 0.0
    for col in range(counts.shape[0]):
        part = 0.0
        for c in range(counts.shape[1]):
            t = counts[col, c]
            if t > 0:
                part += phi_step(np.int64(0), t, phi)
        total += coef[col] * part
    return total


@jit
def merge_costs(plan, counts, cell_max, i, first, per_mass, phi, loss, out):  # type: ignore[no-untyped-def]
    """Cost of merging cluster ``i`` with clusters ``first, first + 1, ...``, into ``out``.

    The loss of the objective, or (``per_mass``) the sum over edges of weight times the
    Jensen-Shannon divergence: the loss of each edge divided by the mass it falls on.
    ``loss`` is scratch of the length of ``out``.
    """
    out[:] = 0.0
    for e in range(plan.segments.shape[0]):
        mass_col = plan.segments[e, 1]
        own_mass = counts[mass_col, i]
        if own_mass == 0:
            continue
        loss[:] = 0.0
        alone = 0.0
        for col in range(plan.segments[e, 0], mass_col + 1):
            v = counts[col, i]
            if v > 0:
                alone += plan.coef[col] * phi_step(np.int64(0), v, phi)
                add_gains(loss, counts[col, first:], v, plan.coef[col], cell_max[col], phi)
        for c in range(out.shape[0]):
            # a loss of exactly zero comes out of a difference: clip what rounding leaves
            lost = max(0.0, alone - loss[c])
            mass = counts[mass_col, first + c]
            if per_mass:
                if mass > 0:
                    out[c] += lost * plan.totals[e] / (own_mass + mass)
            else:
                out[c] += lost


@jit
def tie_breaker(i, j):  # type: ignore[no-untyped-def]
    """A number for the pair i < j that looks random: equal costs are decided by it."""
    z = (np.uint64(i) << np.uint64(32)) ^ np.uint64(j)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@jit
def nearest(plan, counts, cell_max, pull, start, stop, per_mass, phi, peer, cost, tie):  # type: ignore[no-untyped-def]
    """Closest peer of each cluster, and the cost of merging with it, for slice ``start:stop``.

    ``pull`` is what preferences of pairs gain by a merger: a sparse symmetric matrix of
    clusters as ``(indptr, indices, weights)``; per mass it counts by the first edge's.

    Each pair is looked at once, from its lower number, and told to both; ``peer`` and
    ``cost`` are whole after every slice has been seen. Among equal costs the pair with the
    lowest ``tie`` wins: were it the lowest number, all of many equal clusters would name
    the same peer, and a matching would find one pair of them at a time.
    """
    k = counts.shape[1]
    for i in range(start, min(stop, k - 1)):
        loss = np.empty(k - i - 1)
        costs = np.empty(k - i - 1)
        merge_costs(plan, counts, cell_max, i, i + 1, per_mass, phi, loss, costs)
        for p in range(pull[0][i], pull[0][i + 1]):
            j = pull[1][p]
            if j > i:
                share = 1.0
                if per_mass:
                    first = plan.segments[0, 1]
                    share = max(1, counts[first, i] + counts[first, j]) / plan.totals[0]
                costs[j - i - 1] -= pull[2][p] / share
        for j in range(i + 1, k):
            c = costs[j - i - 1]
            if c > cost[i] and c > cost[j]:
                continue
            t = tie_breaker(i, j)
            if c < cost[i] or (c == cost[i] and t < tie[i]):
                cost[i] = c
                peer[i] = j
                tie[i] = t
            if c < cost[j] or (c == cost[j] and t < tie[j]):
                cost[j] = c
                peer[j] = i
                tie[j] = t


@jit
def scores(plan, state, own, start, stop, phi, out):  # type: ignore[no-untyped-def]
    """Gain of each element ``start:stop`` in each cluster, into rows of ``out``.

    With ``own`` each element is left out of its own cluster while it is looked at, unless its
    label is -1; otherwise all are new, and the counts stand.
    """
    for i in range(start, stop):
        inside = own and state.labels[i] >= 0
        if inside:
            put(plan, state, i, state.labels[i], -1)
        gains(plan, state, i, phi, out[i - start])
        if inside:
            put(plan, state, i, state.labels[i], 1)


@jit
def not_inside(plan, state):  # type: ignore[no-untyped-def]
    """Set to -1 the label of elements that have more than their cluster counts; how many."""
    found = 0
    for i in range(plan.indptr.shape[0] - 1):
        c = state.labels[i]
        if c < 0:
            continue
        for p in range(plan.indptr[i], plan.indptr[i + 1]):
            if state.counts[plan.indices[p], c] < plan.data[p]:
                state.labels[i] = -1
                found += 1
                break
    return found


@jit
def add_products(indptr, indices, data, column, out):  # type: ignore[no-untyped-def]
    """Add to ``out`` each row's sum of counts times their column's number, modulo 2 ** 64."""
    for i in range(out.shape[0]):
        for p in range(indptr[i], indptr[i + 1]):
            out[i] += column[indices[p]] * np.uint64(data[p])
