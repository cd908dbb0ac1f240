"""Compiled twins of `comraf.kernels.reference`.

They all live in one file because numba's cache does not see changes in other files. What Python
calls is a `jit`, what kernels alone call is a `jit_part`, which compiles in half the time. No
``fastmath`` (results must not depend on the machine), no ``parallel`` (restarts run in
threads over these ``nogil`` loops). Loops that can last are sliced by their callers
through ``start``/``stop`` arguments, so that Ctrl-C and progress get a turn.
"""

from __future__ import annotations

import math

import numpy as np

from comraf.kernels.jit import jit, jit_part

# A move must pay this much per unit of the element's mass; below lies rounding noise, and
# noise would keep elements wandering between equally good clusters for ever.
TOLERANCE = 1e-9
# In nats per unit of the element's mass: a cluster that is so much worse than another by the screen
# gets no exact look, and an element that is so much better where it is gets none at all. Screened
# differences are off by a tenth of that, mostly.
NEAR, CLEAR = 0.1, 0.2


@jit_part
def next_uniform(state):  # type: ignore[no-untyped-def]
    """One draw from (0, 1); ``state`` is a uint64 array of length 1 (splitmix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (np.float64(z >> np.uint64(11)) + 0.5) * (1.0 / 9007199254740992.0)


@jit_part
def phi_step(t, v, phi):  # type: ignore[no-untyped-def]
    """phi(t + v) - phi(t) for any size of count, without cancellation beyond the table."""
    if t + v < phi.shape[0]:
        return phi[t + v] - phi[t]
    if t == 0:
        return v * math.log(v)
    whole = np.float64(t + v)
    x = v / np.float64(t)
    if x < 0.015625:  # t log(1 + x) by its series, to ten digits
        rest = 1.0 - x * (0.5 - x * (0.3333333333333333 - x * (0.25 - x * 0.2)))
        return v * (math.log(whole) + rest)
    return whole * math.log(whole) - t * math.log(np.float64(t))


@jit
def aggregate(indptr, indices, data, labels, k):  # type: ignore[no-untyped-def]
    """Rows of a CSR table with its columns put together by ``labels``.

    Within a row, clusters stand in the order in which they are met; one column more, the
    last, holds the row's sum. Empty rows stay empty.
    """
    n = indptr.shape[0] - 1
    out_indptr = np.zeros(n + 1, np.int64)
    most = np.int64(0)
    for i in range(n):
        length = indptr[i + 1] - indptr[i]
        if length:
            most += min(length, k) + 1
    out_indices = np.empty(most, np.int32)
    out_data = np.empty(most, data.dtype)
    row = np.full(k, -1, np.int64)  # the last row that a cluster was met in
    place = np.empty(k, np.int64)
    fill = np.int64(0)
    for i in range(n):
        row_sum = np.int64(0)
        for p in range(indptr[i], indptr[i + 1]):
            c = labels[indices[p]]
            v = data[p]
            row_sum += v
            if row[c] == i:
                out_data[place[c]] += v
            else:
                row[c] = i
                place[c] = fill
                out_indices[fill] = c
                out_data[fill] = v
                fill += 1
        if indptr[i + 1] > indptr[i]:
            out_indices[fill] = k
            out_data[fill] = row_sum
            fill += 1
        out_indptr[i + 1] = fill
    return out_indptr, out_indices[:fill].copy(), out_data[:fill].copy()


@jit
def tally(indptr, indices, data, labels, n_columns, k):  # type: ignore[no-untyped-def]
    """Counts of every column of a CSR table in every cluster of its rows, (columns, k)."""
    counts = np.zeros((n_columns, k), data.dtype)
    for i in range(labels.shape[0]):
        c = labels[i]
        for p in range(indptr[i], indptr[i + 1]):
            counts[indices[p], c] += data[p]
    return counts


@jit
def count(plan, labels, k):  # type: ignore[no-untyped-def]
    """Counts of every column in every cluster, (columns, k)."""
    return tally(plan.indptr, plan.indices, plan.data, labels, plan.coef.shape[0], k)


@jit
def row_sums(indptr, indices, data, weights):  # type: ignore[no-untyped-def]
    """Sum of each row of a CSR table, its columns weighted."""
    out = np.zeros(indptr.shape[0] - 1)
    for i in range(out.shape[0]):
        for p in range(indptr[i], indptr[i + 1]):
            out[i] += data[p] * weights[indices[p]]
    return out


@jit
def typical(plan):  # type: ignore[no-untyped-def]
    """The mean of each column's counts, rounded to a whole number of 1 or more."""
    sums = np.zeros(plan.coef.shape[0])
    entries = np.zeros(plan.coef.shape[0])
    for p in range(plan.data.shape[0]):
        sums[plan.indices[p]] += plan.data[p]
        entries[plan.indices[p]] += 1.0
    out = np.ones(sums.shape[0], np.int64)
    for col in range(sums.shape[0]):
        if sums[col] > entries[col]:
            out[col] = np.int64(sums[col] / entries[col] + 0.5)
    return out


@jit_part
def screen_cell(coef, t, v, phi):  # type: ignore[no-untyped-def]
    """What a unit of a column is worth in a cluster that counts ``t`` of it."""
    return np.float32(coef * phi_step(t, v, phi) / v)


@jit
def screen(plan, counts, usual, phi):  # type: ignore[no-untyped-def]
    """What a unit of each column is worth in each cluster, if counts were the typical ones."""
    out = np.empty(counts.shape, np.float32)
    for col in range(counts.shape[0]):
        for c in range(counts.shape[1]):
            out[col, c] = screen_cell(plan.coef[col], counts[col, c], usual[col], phi)
    return out


@jit_part
def worth(plan, state, i, c, phi):  # type: ignore[no-untyped-def]
    """Gain of putting ``i`` into cluster ``c``; it is left out of its own one."""
    gain = 0.0
    mine = state.labels[i] == c
    for p in range(plan.indptr[i], plan.indptr[i + 1]):
        col = plan.indices[p]
        v = plan.data[p]
        t = state.counts[col, c] - (v if mine else 0)
        gain += plan.coef[col] * phi_step(t, v, phi)
    for p in range(plan.pair_indptr[i], plan.pair_indptr[i + 1]):
        if state.labels[plan.pair_indices[p]] == c:
            gain += plan.pair_weights[p]
    if plan.unary.shape[0] > 0:
        gain += plan.unary[i, c]
    return gain


@jit_part
def add_gains(out, row, v, w, ceiling, phi):  # type: ignore[no-untyped-def]
    """``out[c] += w * (phi(row[c] + v) - phi(row[c]))`` for all clusters."""
    if ceiling + v < phi.shape[0]:
        for c in range(out.shape[0]):
            t = row[c]
            out[c] += w * (phi[t + v] - phi[t])
    else:
        for c in range(out.shape[0]):
            out[c] += w * phi_step(row[c], v, phi)


@jit_part
def add_wishes(plan, state, i, out):  # type: ignore[no-untyped-def]
    """Add what pairs and unary scores say of ``i`` in each cluster."""
    for p in range(plan.pair_indptr[i], plan.pair_indptr[i + 1]):
        out[state.labels[plan.pair_indices[p]]] += plan.pair_weights[p]
    if plan.unary.shape[0] > 0:
        for c in range(out.shape[0]):
            out[c] += plan.unary[i, c]


@jit_part
def gains(plan, state, i, phi, out):  # type: ignore[no-untyped-def]
    """Gain of putting ``i`` into each cluster; it is left out of its own one, if it has one."""
    out[:] = 0.0
    for p in range(plan.indptr[i], plan.indptr[i + 1]):
        col = plan.indices[p]
        row = state.counts[col]
        v = plan.data[p]
        w = plan.coef[col]
        for c in range(out.shape[0]):
            out[c] += w * phi_step(row[c], v, phi)
    add_wishes(plan, state, i, out)
    if state.labels[i] >= 0:
        own = np.int64(state.labels[i])
        out[own] = worth(plan, state, i, own, phi)


@jit_part
def highest(values, lanes):  # type: ignore[no-untyped-def]
    """The largest of some float32 values; lane j keeps the largest of numbers j, j + 16, ...

    That is quick where there are many, and tells `best_within` where to look.
    """
    lanes[:] = -np.inf
    whole = values.shape[0] // 16 * 16
    for first in range(0, whole, 16):
        for j in range(16):
            value = values[first + j]
            lanes[j] = value if value > lanes[j] else lanes[j]
    for c in range(whole, values.shape[0]):
        lanes[c - whole] = max(lanes[c - whole], values[c])
    most = lanes[0]
    for j in range(1, 16):
        most = max(most, lanes[j])
    return most


@jit_part
def best_within(values, lanes, least):  # type: ignore[no-untyped-def]
    """Like `best_three`, of the values of ``least`` and more; ``lanes`` are those of `highest`."""
    one, two, three = -1, -1, -1
    x, y, z = -np.inf, -np.inf, -np.inf
    for j in range(min(16, values.shape[0])):
        if lanes[j] < least:
            continue
        for c in range(j, values.shape[0], 16):
            value = values[c]
            if value < least or value < z or (value == z and c > three):
                continue
            if value > y or (value == y and c < two):
                three, z = two, y
                if value > x or (value == x and c < one):
                    two, y = one, x
                    one, x = c, value
                else:
                    two, y = c, value
            else:
                three, z = c, value
    return one, two, three, x, y, z


@jit_part
def best_three(values, own):  # type: ignore[no-untyped-def]
    """The three clusters with the largest values, without ``own``, and these values.

    The first of equals; -1 and minus infinity where there are no more.
    """
    one, two, three = -1, -1, -1
    x, y, z = -np.inf, -np.inf, -np.inf
    for c in range(values.shape[0]):
        value = values[c]
        if value > z and c != own:
            if value > y:
                three, z = two, y
                if value > x:
                    two, y = one, x
                    one, x = c, value
                else:
                    two, y = c, value
            else:
                three, z = c, value
    return one, two, three, x, y, z


@jit_part
def worth_of_two(plan, state, i, c, phi):  # type: ignore[no-untyped-def]
    """Gains of putting ``i`` into its own cluster, from which it is left out, and into ``c``."""
    a = state.labels[i]
    here, there = 0.0, 0.0
    for p in range(plan.indptr[i], plan.indptr[i + 1]):
        col = plan.indices[p]
        v = plan.data[p]
        w = plan.coef[col]
        here += w * phi_step(state.counts[col, a] - v, v, phi)
        there += w * phi_step(state.counts[col, c], v, phi)
    for p in range(plan.pair_indptr[i], plan.pair_indptr[i + 1]):
        other = state.labels[plan.pair_indices[p]]
        if other == a:
            here += plan.pair_weights[p]
        elif other == c:
            there += plan.pair_weights[p]
    if plan.unary.shape[0] > 0:
        here += plan.unary[i, a]
        there += plan.unary[i, c]
    return here, there


@jit_part
def screened(plan, state, i, out):  # type: ignore[no-untyped-def]
    """About what putting ``i`` into each cluster gains, but for what is equal for all."""
    out[:] = 0.0
    p, end = plan.indptr[i], plan.indptr[i + 1]
    while p + 4 <= end:  # four at a time, in the same order, costs half of one at a time
        v1, row1 = np.float32(plan.data[p]), state.screen[plan.indices[p]]
        v2, row2 = np.float32(plan.data[p + 1]), state.screen[plan.indices[p + 1]]
        v3, row3 = np.float32(plan.data[p + 2]), state.screen[plan.indices[p + 2]]
        v4, row4 = np.float32(plan.data[p + 3]), state.screen[plan.indices[p + 3]]
        for c in range(out.shape[0]):
            out[c] = (((out[c] + v1 * row1[c]) + v2 * row2[c]) + v3 * row3[c]) + v4 * row4[c]
        p += 4
    while p < end:
        v, row = np.float32(plan.data[p]), state.screen[plan.indices[p]]
        for c in range(out.shape[0]):
            out[c] += v * row[c]
        p += 1


@jit_part
def own_share(plan, state, i):  # type: ignore[no-untyped-def]
    """About what ``i`` itself adds to its screened value in its own cluster."""
    # The screen rises with the count t about as log(t + u/2), u being the typical count; for
    # log x - log y stands 2 (x - y) / (x + y), more where all of t is the element's own.
    a = state.labels[i]
    total = 0.0
    for p in range(plan.indptr[i], plan.indptr[i + 1]):
        col = plan.indices[p]
        v = np.float64(plan.data[p])
        t = np.float64(state.counts[col, a])
        step = 2.0 * v / (2.0 * t - v + state.typical[col])
        total += plan.coef[col] * v * step * (1.0 + 0.39 * (v / t) * (v / t))
    return total


@jit
def room(k):  # type: ignore[no-untyped-def]
    """Scratch for a look at one element: screened values, exact ones, lanes."""
    return np.empty(k, np.float32), np.empty(k), np.empty(16, np.float32)


@jit_part
def propose(plan, state, i, exact, phi, scratch):  # type: ignore[no-untyped-def]
    """The best other cluster for ``i``, and what moving there gains.

    Where the state has a screen, the three clusters that are best by it are looked at exactly,
    the second and third only if they come near; with ``exact``, and without a screen, all are.
    """
    approx, out, lanes = scratch
    own = np.int64(state.labels[i])
    best = -1
    if exact or state.screen.shape[0] == 0:
        if out.shape[0] == 2:
            here, gain = worth_of_two(plan, state, i, 1 - own, phi)
            return 1 - own, gain - here
        gains(plan, state, i, phi, out)
        gain = -np.inf
        for c in range(out.shape[0]):
            if c != own and out[c] > gain:
                best, gain = c, out[c]
        return best, gain - out[own]
    screened(plan, state, i, approx)
    stay = approx[own] - own_share(plan, state, i)
    if plan.unary.shape[0] == 0 and plan.pair_indptr[i] == plan.pair_indptr[i + 1]:
        approx[own] = -np.inf
        most = highest(approx, lanes)
        if most < stay - CLEAR * plan.mass[i]:
            return best, most - stay
        # the second and third count only if they come near
        least = np.float32(most - NEAR * plan.mass[i])
        best, two, three, first, second, third = best_within(approx, lanes, least)
    else:
        for c in range(approx.shape[0]):
            out[c] = approx[c]
        out[own] = stay
        add_wishes(plan, state, i, out)
        best, two, three, first, second, third = best_three(out, own)
        if first < out[own] - CLEAR * plan.mass[i]:
            return best, first - out[own]
    here, gain = worth_of_two(plan, state, i, best, phi)
    # what a screened value lacks is much the same for all clusters
    near = max(here, gain) - NEAR * plan.mass[i] + first - gain
    if second >= near:
        there = worth(plan, state, i, two, phi)
        if there > gain:
            best, gain = two, there
        if third >= near:
            there = worth(plan, state, i, three, phi)
            if there > gain:
                best, gain = three, there
    return best, gain - here


@jit
def choose(plan, state, start, stop, phi, best):  # type: ignore[no-untyped-def]
    """Find the best cluster of elements ``start:stop``, which are in none."""
    approx, out, _ = room(state.sizes.shape[0])
    for i in range(start, stop):
        if state.screen.shape[0] == 0:
            gains(plan, state, i, phi, out)
            best[i] = np.argmax(out)
            continue
        screened(plan, state, i, approx)
        gain = -np.inf
        for c in best_three(approx, -1)[:3]:
            there = worth(plan, state, i, c, phi)
            if there > gain:
                best[i], gain = c, there


@jit_part
def shift(plan, state, i, b):  # type: ignore[no-untyped-def]
    """Put element ``i`` into cluster ``b``, and leave the screen as it is."""
    a = state.labels[i]
    for p in range(plan.indptr[i], plan.indptr[i + 1]):
        col = plan.indices[p]
        state.counts[col, a] -= plan.data[p]
        state.counts[col, b] += plan.data[p]
    state.labels[i] = b
    state.sizes[a] -= 1
    state.sizes[b] += 1


@jit_part
def move(plan, state, i, b, phi):  # type: ignore[no-untyped-def]
    """Put element ``i`` into cluster ``b``."""
    a = state.labels[i]
    shift(plan, state, i, b)
    if state.screen.shape[0] > 0:
        for p in range(plan.indptr[i], plan.indptr[i + 1]):
            col = plan.indices[p]
            usual = state.typical[col]
            coef = plan.coef[col]
            state.screen[col, a] = screen_cell(coef, state.counts[col, a], usual, phi)
            state.screen[col, b] = screen_cell(coef, state.counts[col, b], usual, phi)


@jit_part
def look(plan, state, order, start, stop, exact, phi, to, gain, scratch):  # type: ignore[no-untyped-def]
    """Find the best other cluster of elements ``order[start:stop]``; nothing moves."""
    for position in range(start, stop):
        i = order[position]
        if state.sizes[state.labels[i]] > 1:
            to[i], gain[i] = propose(plan, state, i, exact, phi, scratch)
        else:  # alone in its cluster it stays, so that no cluster vanishes
            to[i], gain[i] = -1, -np.inf


@jit
def act(plan, state, order, start, stop, phi, to, gain):  # type: ignore[no-untyped-def]
    """Move elements ``order[start:stop]`` to where `look` said, as far as that still gains."""
    moved = 0
    gained = 0.0
    changed = np.zeros(state.sizes.shape[0], np.bool_)
    for position in range(start, stop):
        i = order[position]
        least = TOLERANCE * plan.mass[i]
        b = np.int64(to[i])
        if not gain[i] > least:
            continue
        a = state.labels[i]
        if changed[a] or changed[b]:
            if state.sizes[a] == 1:
                continue
            here, there = worth_of_two(plan, state, i, b, phi)
            gain[i] = there - here
            if not gain[i] > least:
                continue
        move(plan, state, i, b, phi)
        changed[a] = changed[b] = True
        moved += 1
        gained += gain[i]
    return moved, gained


@jit
def sweep(plan, state, order, start, stop, batch, exact, phi, to, gain):  # type: ignore[no-untyped-def]
    """Offer elements ``order[start:stop]`` their best cluster, ``batch`` of them at a time.

    Elements of a batch look at the same counts; those that gain by it then move, one after
    the other. ``to`` and ``gain`` keep what each element was offered last. An element alone
    in its cluster stays. Returns (elements moved, gain of the objective).
    """
    moved = 0
    gained = 0.0
    scratch = room(state.sizes.shape[0])
    for first in range(start, stop, batch):
        last = min(stop, first + batch)
        look(plan, state, order, first, last, exact, phi, to, gain, scratch)
        m, g = act(plan, state, order, first, last, phi, to, gain)
        moved += m
        gained += g
    return moved, gained


@jit
def look_apart(plan, state, order, start, stop, exact, phi, to, gain):  # type: ignore[no-untyped-def]
    """`look`, by itself: threads share a batch."""
    look(plan, state, order, start, stop, exact, phi, to, gain, room(state.sizes.shape[0]))


@jit
def anneal(plan, state, order, start, stop, phi, temperature, random, out):  # type: ignore[no-untyped-def]
    """Put elements ``order[start:stop]`` where a draw says, one after the other.

    The draw is from the softmax of gain per mass divided by the temperature. An element alone
    in its cluster stays. Returns (elements moved, gain of the objective).
    """
    moved = 0
    gained = 0.0
    for position in range(start, stop):
        i = order[position]
        a = state.labels[i]
        if state.sizes[a] == 1:
            continue
        gains(plan, state, i, phi, out)
        heat = temperature * plan.mass[i]
        best = -np.inf
        b = np.int64(a)
        for c in range(out.shape[0]):
            draw = out[c] - heat * math.log(-math.log(next_uniform(random)))
            if draw > best:
                best = draw
                b = np.int64(c)
        if b != a:
            move(plan, state, i, b, phi)
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
        here, there = worth_of_two(plan, state, i, b, phi)
        gain = there - here
        if gain > TOLERANCE * plan.mass[i]:
            move(plan, state, i, b, phi)
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


@jit_part
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
def merge_costs_apart(plan, counts, cell_max, i, phi, loss, out):  # type: ignore[no-untyped-def]
    """`merge_costs` of cluster ``i`` with all clusters: the loss of the objective."""
    merge_costs(plan, counts, cell_max, i, 0, False, phi, loss, out)


@jit_part
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
def scores(plan, state, start, stop, phi, out):  # type: ignore[no-untyped-def]
    """Gain of each element ``start:stop`` in each cluster, into rows of ``out``.

    Each element is left out of its own cluster while it is looked at, unless its label is -1.
    """
    for i in range(start, stop):
        gains(plan, state, i, phi, out[i - start])


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
