"""A small paint box: gradients, clouds, hills and noise on a canvas of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Colour = Sequence[float] | NDArray[np.float64]


class Canvas:
    """Pixels to paint on, from 0 to 1, with coordinates from 0 to 1 across and down.

    Parameters
    ----------
    width, height : int
    rng : numpy.random.Generator
        All that is left to chance is drawn from it.

    Examples
    --------
    >>> canvas = Canvas(6, 4, np.random.default_rng(0))
    >>> canvas.paint(canvas.below(0.5), (1.0, 0.0, 0.0))
    >>> canvas.bytes()[:, 0, 0].tolist()
    [128, 128, 255, 255]
    """

    def __init__(self, width: int, height: int, rng: np.random.Generator) -> None:
        self.width, self.height, self.rng = width, height, rng
        self.pixels: Floats = np.full((height, width, 3), 0.5)
        self.x: Floats = ((np.arange(width) + 0.5) / width)[None, :]
        self.y: Floats = ((np.arange(height) + 0.5) / height)[:, None]
        # what is round must stay round on a canvas that is wider than high
        self.aspect = width / height

    def paint(self, mask: Floats | float, colour: Colour) -> None:
        """Lay a colour over what is there, as thick as the mask says."""
        thick = np.clip(np.asarray(mask, dtype=np.float64), 0.0, 1.0)[..., None]
        self.pixels = self.pixels * (1 - thick) + np.asarray(colour, dtype=np.float64) * thick

    def pick(self, *colours: Colour) -> Floats:
        """Return one of some colours, slightly changed."""
        colour = np.asarray(colours[int(self.rng.integers(len(colours)))])
        return np.clip(colour + self.rng.normal(0, 0.025, 3), 0, 1)

    def shade(self, mask: Floats, dark: Colour, light: Colour, grain: Floats) -> None:
        """Lay a colour over what is there, lighter where the grain says so."""
        share = np.clip(grain, 0, 1)[..., None]
        self.paint(mask, np.asarray(dark) * (1 - share) + np.asarray(light) * share)

    def fade(self, top: Colour, bottom: Colour, start: float = 0.0, end: float = 1.0) -> Floats:
        """Return colours that go from one to the other down the canvas, for `paint`."""
        share = np.clip((self.y - start) / max(end - start, 1e-6), 0, 1)[..., None]
        return np.asarray(np.asarray(top) * (1 - share) + np.asarray(bottom) * share)

    def below(self, line: Floats | float) -> Floats:
        """Everything under a line, with a soft edge of one pixel."""
        depth = (self.y - np.asarray(line)) * self.height + 0.5
        return np.asarray(np.clip(np.broadcast_to(depth, (self.height, self.width)), 0, 1))

    def box(self, left: float, top: float, right: float, bottom: float) -> Floats:
        """Return a mask of a rectangle."""
        across = np.clip(np.minimum(self.x - left, right - self.x) * self.width + 0.5, 0, 1)
        down = np.clip(np.minimum(self.y - top, bottom - self.y) * self.height + 0.5, 0, 1)
        return np.asarray(across * down)

    def disc(self, x: float, y: float, radius: float, soft: float = 1.5) -> Floats:
        """Return a mask of a circle; the radius is a share of the height, the edge in pixels."""
        far = np.hypot((self.x - x) * self.aspect, self.y - y)
        return np.clip((radius - far) * self.height / soft + 0.5, 0, 1)

    def dot(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """Paint a circle, and touch no more of the canvas than it covers."""
        tall = radius + 2 / self.height
        rows = self._window(y - tall, y + tall, self.height)
        columns = self._window(x - tall / self.aspect, x + tall / self.aspect, self.width)
        far = np.hypot((self.x[:, columns] - x) * self.aspect, self.y[rows] - y)
        self._cover(rows, columns, (radius - far) * self.height / 1.5 + 0.5, colour)

    def rectangle(
        self, left: float, top: float, right: float, bottom: float, colour: Colour
    ) -> None:
        """Paint a rectangle, and touch no more of the canvas than it covers."""
        rows = self._window(top - 1 / self.height, bottom + 1 / self.height, self.height)
        columns = self._window(left - 1 / self.width, right + 1 / self.width, self.width)
        x, y = self.x[:, columns], self.y[rows]
        across = np.clip(np.minimum(x - left, right - x) * self.width + 0.5, 0, 1)
        down = np.clip(np.minimum(y - top, bottom - y) * self.height + 0.5, 0, 1)
        self._cover(rows, columns, across * down, colour)

    @staticmethod
    def _window(start: float, stop: float, size: int) -> slice:
        return slice(min(max(0, int(start * size)), size), min(max(0, int(stop * size) + 1), size))

    def _cover(self, rows: slice, columns: slice, mask: Floats, colour: Colour) -> None:
        thick = np.clip(mask, 0, 1)[..., None]
        part = self.pixels[rows, columns]
        self.pixels[rows, columns] = part * (1 - thick) + np.asarray(colour) * thick

    def grain(
        self, cells: int, octaves: int = 4, stretch: float = 1.0, keep: float = 0.5
    ) -> Floats:
        """Smooth noise from 0 to 1.

        Parameters
        ----------
        cells : int
            Bumps across the canvas in the coarsest octave; each next one has twice as many.
        octaves : int
        stretch : float
            Above 1 bumps are longer across than down.
        keep : float
            How strong each octave is beside the one before.
        """
        total = np.zeros((self.height, self.width))
        strength = 1.0
        for octave in range(octaves):
            across = max(1, cells * 2**octave)
            down = max(1, round(across * stretch / self.aspect))
            if across > self.width and down > self.height:
                break
            total += strength * self._bumps(across, down)
            strength *= keep
        low, high = total.min(), total.max()
        return np.asarray((total - low) / max(high - low, 1e-9))

    def _bumps(self, across: int, down: int) -> Floats:
        values = self.rng.random((down + 2, across + 2))
        columns, right = _steps(self.x[0] * across)
        rows, lower = _steps(self.y[:, 0] * down)
        top = values[rows][:, columns] * (1 - right) + values[rows][:, columns + 1] * right
        under = (
            values[rows + 1][:, columns] * (1 - right) + values[rows + 1][:, columns + 1] * right
        )
        return np.asarray(top * (1 - lower[:, None]) + under * lower[:, None])

    def ridge(self, level: float, height: float, bumps: int, rough: float = 0.5) -> Floats:
        """A line of hills across the canvas: where it lies for each column."""
        line = np.zeros(self.width)
        strength, most = 1.0, 0.0
        while bumps < self.width / 2:
            values = self.rng.random(bumps + 2)
            at, share = _steps(self.x[0] * bumps)
            line += strength * (values[at] * (1 - share) + values[at + 1] * share)
            most += strength
            strength *= rough
            bumps *= 2
        return np.asarray(level - height * line / max(most, 1e-9))[None, :]

    def finish(self, noise: float) -> None:
        """Weather, grain of the film, darker corners, a light that is never quite white."""
        rng = self.rng
        weather = rng.random()
        if weather < 0.12:
            fog = rng.uniform(0.35, 0.75)
            self.paint(fog * (1.1 - 0.6 * self.y), (0.78, 0.79, 0.8))
        elif weather < 0.22:
            # the last light of a day, or the first
            self.pixels *= np.array([1.15, 0.85, 0.6]) * rng.uniform(0.6, 0.95)
        elif weather < 0.3:
            self.pixels *= np.array([0.6, 0.75, 1.0]) * rng.uniform(0.35, 0.6)
        elif weather < 0.37:
            self.pixels = np.repeat(self.pixels @ [[0.3], [0.59], [0.11]], 3, axis=2)
        self.pixels *= rng.normal(1.0, 0.035, 3)
        self.pixels = np.clip(self.pixels, 0, 1) ** rng.uniform(0.82, 1.25)
        corners = np.hypot(self.x - 0.5, self.y - 0.5)[..., None]
        self.pixels *= 1 - rng.uniform(0.0, 0.45) * corners**2
        self.pixels += rng.normal(0.0, noise, self.pixels.shape)

    def bytes(self) -> NDArray[np.uint8]:
        """The pixels as a photo has them."""
        return np.rint(np.clip(self.pixels, 0, 1) * 255).astype(np.uint8)


def _steps(at: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Cells, and how far into them, eased so that bumps have no corners."""
    cells = np.floor(at).astype(np.int64)
    share = at - cells
    return cells, share * share * (3 - 2 * share)
