"""Scenes for sample photos, each painted anew: where the horizon lies, what grows there.

Some resemble each other on purpose. Beach and desert have the same sand and sky, forest and
meadow the same greens, an autumn wood has the trunks of the one and the reds of a sunset.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from comraf.images._sample_brush import Canvas, Colour


def _sky(canvas: Canvas, horizon: float) -> None:
    """A day's sky: clear, cloudy, or grey all over."""
    rng = canvas.rng
    grey = rng.random() < 0.18
    top = (
        canvas.pick((0.62, 0.66, 0.7)) if grey else canvas.pick((0.2, 0.45, 0.8), (0.3, 0.55, 0.85))
    )
    low = (
        canvas.pick((0.8, 0.82, 0.83))
        if grey
        else canvas.pick((0.7, 0.83, 0.93), (0.85, 0.88, 0.9))
    )
    canvas.paint(1.0, canvas.fade(top, low, 0.0, horizon))
    if rng.random() < 0.75:
        clouds = canvas.grain(int(rng.integers(2, 5)), 5, stretch=2.2)
        cover = rng.uniform(0.45, 0.7)
        canvas.paint((clouds - cover) * 4 * (1 - 0.5 * canvas.y), (0.97, 0.97, 0.98))


def beach(canvas: Canvas) -> None:
    """Sand, a strip of sea, sky; now and then a parasol."""
    rng = canvas.rng
    horizon = rng.uniform(0.25, 0.5)
    shore = horizon + rng.uniform(0.1, 0.28)
    _sky(canvas, horizon)
    sea = canvas.fade(canvas.pick((0.1, 0.35, 0.6)), canvas.pick((0.3, 0.68, 0.7)), horizon, shore)
    canvas.paint(canvas.below(horizon), sea)
    waves = canvas.grain(5, 4, stretch=7)
    canvas.paint(canvas.below(horizon) * np.clip((waves - 0.62) * 4, 0, 0.8), (0.93, 0.97, 0.97))
    line = canvas.ridge(shore + 0.03, 0.06, 3)
    canvas.paint(canvas.below(line - 0.025), (0.95, 0.96, 0.94))
    canvas.shade(
        canvas.below(line), (0.72, 0.6, 0.42), (0.9, 0.8, 0.62), canvas.grain(6, 6, keep=0.8)
    )
    if rng.random() < 0.55:
        for _ in range(int(rng.integers(1, 4))):
            x, y, size = (
                rng.uniform(0.1, 0.9),
                rng.uniform(shore + 0.08, 0.85),
                rng.uniform(0.05, 0.1),
            )
            canvas.rectangle(x - 0.004, y - size, x + 0.004, y + size, (0.35, 0.3, 0.25))
            cloth = canvas.disc(x, y - size / 2, size) * (1 - canvas.below(y - size / 2))
            canvas.paint(cloth, canvas.pick((0.85, 0.2, 0.2), (0.95, 0.8, 0.2), (0.2, 0.4, 0.75)))


def desert(canvas: Canvas) -> None:
    """Dunes behind dunes, lit from one side and rippled by the wind."""
    rng = canvas.rng
    horizon = rng.uniform(0.3, 0.55)
    _sky(canvas, horizon)
    level, dunes = horizon, int(rng.integers(3, 5))
    for i in range(dunes):
        line = canvas.ridge(level + 0.1, rng.uniform(0.1, 0.22), int(rng.integers(1, 3)), 0.15)
        slope = np.gradient(line[0])[None, :] * canvas.width
        ripples = np.sin(
            (canvas.y * rng.uniform(40, 70) + line * 30 + canvas.x * rng.uniform(-9, 9)) * 2
        )
        grain = 0.5 + 1.5 * slope + 0.13 * ripples * i / dunes + 0.12 * (canvas.grain(8, 4) - 0.5)
        canvas.shade(canvas.below(line), (0.62, 0.42, 0.24), (0.93, 0.78, 0.53), grain)
        level += (1.0 - horizon) / dunes


def sunset(canvas: Canvas) -> None:
    """The sun low over the sea, and its light on the water."""
    rng = canvas.rng
    horizon = rng.uniform(0.5, 0.72)
    top, low = (
        canvas.pick((0.25, 0.2, 0.4), (0.35, 0.25, 0.35)),
        canvas.pick((0.98, 0.6, 0.25), (0.95, 0.5, 0.35)),
    )
    canvas.paint(1.0, canvas.fade(top, low, 0.0, horizon))
    clouds = canvas.grain(3, 5, stretch=4)
    canvas.paint(
        (clouds - rng.uniform(0.5, 0.65)) * 3, canvas.pick((0.6, 0.28, 0.3), (0.9, 0.45, 0.3))
    )
    x, y, size = rng.uniform(0.2, 0.8), horizon - rng.uniform(-0.02, 0.2), rng.uniform(0.04, 0.09)
    canvas.paint(canvas.disc(x, y, size * 3, 60) * 0.6, (1.0, 0.75, 0.4))
    canvas.paint(canvas.disc(x, y, size), (1.0, 0.93, 0.7))
    water = canvas.fade(canvas.pick((0.6, 0.35, 0.3)), canvas.pick((0.12, 0.1, 0.2)), horizon, 1.0)
    canvas.paint(canvas.below(horizon), water)
    near = np.exp(-(((canvas.x - x) / (0.05 + 0.25 * (canvas.y - horizon))) ** 2))
    glitter = canvas.grain(10, 4, stretch=6)
    canvas.paint(canvas.below(horizon) * near * (glitter > 0.45), (1.0, 0.78, 0.45))
    if rng.random() < 0.35:
        left, wide = rng.uniform(0.1, 0.8), rng.uniform(0.04, 0.08)
        foot = horizon + 0.03
        canvas.rectangle(left, foot - 0.02, left + wide, foot, (0.1, 0.07, 0.1))
        sail = (canvas.x > left + wide / 2) & (canvas.y < foot - 0.03)
        lean = (canvas.x - left - wide / 2) * 4 < (canvas.y - foot + 0.2)
        canvas.paint(np.where(sail & lean, 1.0, 0.0), (0.14, 0.09, 0.12))


def _wood(canvas: Canvas, dark: Colour, light: Colour, floor: Colour, bark: Colour) -> None:
    """Trunks before leaves, thin ones behind thick ones."""
    rng = canvas.rng
    canvas.shade(np.ones((canvas.height, canvas.width)), dark, light, canvas.grain(6, 6, keep=0.8))
    gaps = canvas.grain(9, 4, keep=0.7)
    canvas.paint((gaps - rng.uniform(0.68, 0.8)) * 5 * (canvas.y < 0.6), (0.9, 0.94, 0.86))
    ground = canvas.ridge(rng.uniform(0.78, 0.9), 0.08, 3)
    canvas.shade(
        canvas.below(ground), np.asarray(floor) * 0.5, floor, canvas.grain(12, 5, keep=0.8)
    )
    for depth in np.sort(rng.uniform(0.25, 1.0, int(rng.integers(6, 13)))):
        x, wide = rng.uniform(0, 1), 0.035 * depth * rng.uniform(0.7, 1.6) / canvas.aspect * 1.5
        bend = x + rng.normal(0, 0.03) * (canvas.y - 0.5)
        inside = np.clip((wide / 2 - np.abs(canvas.x - bend)) * canvas.width + 0.5, 0, 1)
        inside = inside * (1 - canvas.below(0.72 + 0.25 * depth))
        side = np.clip(0.5 + (canvas.x - bend) / max(wide, 1e-6), 0, 1)
        canvas.shade(
            inside, np.asarray(bark) * 0.35, np.asarray(bark) * (1.35 - 0.5 * depth), 1 - side
        )
    leaves = canvas.grain(14, 4, keep=0.9)
    crown = np.clip((leaves - 0.55 - 0.5 * np.maximum(canvas.y - 0.25, 0)) * 5, 0, 1)
    canvas.shade(crown, dark, light, canvas.grain(20, 3, keep=0.9))


def forest(canvas: Canvas) -> None:
    """Green leaves and brown trunks."""
    green = canvas.pick((0.4, 0.58, 0.24), (0.34, 0.5, 0.22), (0.45, 0.6, 0.3))
    _wood(canvas, (0.05, 0.16, 0.07), green, canvas.pick((0.32, 0.36, 0.16)), (0.42, 0.33, 0.24))


def autumn(canvas: Canvas) -> None:
    """The same wood in October."""
    gold = canvas.pick((0.92, 0.62, 0.2), (0.85, 0.42, 0.18), (0.9, 0.7, 0.3))
    _wood(canvas, (0.32, 0.13, 0.07), gold, canvas.pick((0.7, 0.4, 0.18)), (0.36, 0.29, 0.24))


def flowers(canvas: Canvas) -> None:
    """A meadow: blades of grass, flowers larger towards the front."""
    rng = canvas.rng
    horizon = rng.uniform(-0.1, 0.3)
    _sky(canvas, max(horizon, 0.05))
    line = canvas.ridge(horizon + 0.03, 0.05, 2, 0.4)
    green = canvas.pick((0.45, 0.62, 0.25), (0.38, 0.55, 0.22))
    blades = canvas.grain(24, 3, stretch=0.2, keep=0.8)
    canvas.shade(canvas.below(line), (0.1, 0.25, 0.08), green, blades)
    kinds = [
        canvas.pick(
            (0.9, 0.2, 0.2),
            (0.95, 0.85, 0.2),
            (0.95, 0.95, 0.93),
            (0.6, 0.35, 0.75),
            (0.93, 0.5, 0.65),
        )
        for _ in range(int(rng.integers(1, 4)))
    ]
    start = max(horizon + 0.06, 0.02)
    for y in np.sort(rng.uniform(start, 1.0, int(rng.integers(35, 110)))).tolist():
        x, size = rng.uniform(0, 1), 0.006 + 0.03 * (y - start) * rng.uniform(0.6, 1.3)
        colour = kinds[int(rng.integers(len(kinds)))]
        canvas.dot(x, y, size, colour)
        canvas.dot(x, y, size * 0.35, colour * 0.3 + np.array([0.55, 0.42, 0.05]))


def mountains(canvas: Canvas) -> None:
    """Snow on jagged rocks, ridge before ridge."""
    rng = canvas.rng
    level = rng.uniform(0.55, 0.7)
    _sky(canvas, level)
    for i in range(int(rng.integers(2, 4))):
        line = canvas.ridge(level, 0.5 - 0.13 * i, int(rng.integers(2, 5)), 0.52)
        # the side that a slope turns to the sun, of the mountain and not of each stone
        smooth = np.convolve(np.pad(line[0], 12, mode="edge"), np.full(25, 1 / 25), "valid")
        light = np.clip(0.5 - np.gradient(smooth)[None, :] * canvas.width * 0.6, 0, 1)
        snow = 0.3 + 0.5 * light + 0.8 * (canvas.grain(7, 5, keep=0.7) - 0.5)
        canvas.shade(canvas.below(line), (0.36, 0.42, 0.52), (0.97, 0.98, 1.0), snow)
        rock = np.clip((canvas.grain(12, 5, stretch=0.6, keep=0.75) - 0.58) * 5, 0, 1)
        canvas.paint(canvas.below(line) * rock * 0.85, canvas.pick((0.3, 0.31, 0.34)))
        level += 0.17
    if rng.random() < 0.5:
        firs = canvas.ridge(rng.uniform(0.92, 1.0), 0.12, 30, 0.8)
        canvas.paint(canvas.below(firs), (0.1, 0.18, 0.17))


def night(canvas: Canvas) -> None:
    """A town after dark: towers with lit windows, sometimes over water."""
    rng = canvas.rng
    water = rng.random() < 0.4
    foot = rng.uniform(0.68, 0.78) if water else 1.0
    canvas.paint(
        1.0,
        canvas.fade(
            canvas.pick((0.03, 0.04, 0.12)),
            canvas.pick((0.16, 0.13, 0.25), (0.3, 0.2, 0.22)),
            0,
            foot,
        ),
    )
    for _ in range(int(rng.integers(9, 16))):
        left, wide = rng.uniform(-0.05, 0.97), rng.uniform(0.06, 0.15)
        top = foot - rng.uniform(0.2, 0.68) * min(1.0, foot + 0.1)
        tower = canvas.box(left, top, left + wide, foot)
        canvas.paint(tower, canvas.pick((0.06, 0.06, 0.1), (0.11, 0.1, 0.14), (0.09, 0.08, 0.08)))
        columns, rows = max(2, int(wide * 45)), max(3, int((foot - top) * 28))
        across = (canvas.x - left) / wide * columns
        down = (canvas.y - top) / (foot - top) * rows
        lit = rng.random((rows, columns)) < rng.uniform(0.2, 0.6)
        cell = lit[
            np.clip(down, 0, rows - 1).astype(int), np.clip(across, 0, columns - 1).astype(int)
        ]
        pane = (np.abs(across % 1 - 0.5) < 0.28) & (np.abs(down % 1 - 0.5) < 0.26)
        canvas.paint(
            tower * cell * pane, canvas.pick((1.0, 0.85, 0.5), (0.95, 0.92, 0.75), (1.0, 0.7, 0.35))
        )
    if water:
        edge = round(foot * canvas.height)
        depth = canvas.height - edge
        mirror = canvas.pixels[edge - depth : edge][::-1] * 0.55 + np.array([0.02, 0.03, 0.07])
        ripples = canvas.grain(8, 4, stretch=8)[edge:, :, None]
        canvas.pixels[edge:] = mirror * (0.55 + 0.9 * ripples)


def street(canvas: Canvas) -> None:
    """Brick houses side by side, a pavement before them."""
    rng = canvas.rng
    _sky(canvas, 0.5)
    foot = rng.uniform(0.78, 0.9)
    left = rng.uniform(-0.2, 0.0)
    while left < 1.0:
        wide, top = rng.uniform(0.2, 0.36), rng.uniform(0.14, 0.36)
        _house(canvas, left, top, left + wide, foot)
        left += wide
    road = canvas.fade((0.5, 0.49, 0.48), (0.36, 0.36, 0.37), foot, 1.0)
    canvas.paint(canvas.below(foot), road + 0.1 * (canvas.grain(20, 4, keep=0.8)[..., None] - 0.5))
    canvas.rectangle(0, foot, 1, foot + 0.02, (0.65, 0.63, 0.6))


def _house(canvas: Canvas, left: float, top: float, right: float, foot: float) -> None:
    rng = canvas.rng
    wall = canvas.box(left, top, right, foot)
    brick = canvas.pick((0.62, 0.3, 0.22), (0.7, 0.42, 0.3), (0.52, 0.26, 0.2), (0.75, 0.6, 0.45))
    courses = 44
    row = np.floor(canvas.y * courses)
    joint = (canvas.y * courses % 1 < 0.22) | (
        (canvas.x * 26 * canvas.aspect + 0.5 * (row % 2)) % 1 < 0.12
    )
    stone = canvas.grain(30, 3, keep=0.9)
    canvas.shade(wall, brick * 0.75, np.minimum(brick * 1.2, 1), stone)
    canvas.paint(wall * joint * 0.5, (0.75, 0.7, 0.64))
    if rng.random() < 0.6:
        middle, rise = (left + right) / 2, rng.uniform(0.1, 0.17)
        slope = top - rise + np.abs(canvas.x - middle) / (right - left) * 2 * rise
        roof = (
            canvas.below(slope)
            * (1 - canvas.below(top))
            * (np.abs(canvas.x - middle) < (right - left) / 2)
        )
        canvas.paint(roof, canvas.pick((0.3, 0.28, 0.3), (0.45, 0.22, 0.18)))
    columns, rows = int(rng.integers(2, 4)), int(rng.integers(2, 4))
    frame = canvas.pick((0.93, 0.92, 0.88), (0.3, 0.35, 0.3))
    for i in range(columns):
        for j in range(rows):
            x = left + (right - left) * (i + 0.5) / columns
            y = top + (foot - top) * (j + 0.45) / rows
            w, h = (right - left) / columns * 0.25, (foot - top) / rows * 0.28
            if j == rows - 1 and i == 0:
                canvas.rectangle(
                    x - w,
                    y - h,
                    x + w,
                    foot,
                    canvas.pick((0.2, 0.3, 0.25), (0.5, 0.12, 0.12), (0.15, 0.2, 0.4)),
                )
                continue
            canvas.rectangle(x - w, y - h, x + w, y + h, frame)
            canvas.rectangle(
                x - w * 0.8,
                y - h * 0.85,
                x + w * 0.8,
                y + h * 0.85,
                canvas.pick((0.25, 0.32, 0.4), (0.5, 0.58, 0.65)),
            )
            canvas.rectangle(x - w * 0.08, y - h, x + w * 0.08, y + h, frame)


#: What is painted, by the name of its class.
SCENES: dict[str, Callable[[Canvas], None]] = {
    "autumn": autumn,
    "beach": beach,
    "city at night": night,
    "desert": desert,
    "flowers": flowers,
    "forest": forest,
    "mountains": mountains,
    "street": street,
    "sunset": sunset,
}
