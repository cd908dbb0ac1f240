"""Pictures of graphs: what is written can be read."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from comraf.graph import Edge, Graph, Node

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("n", [2, 5, 9])
def test_labels_keep_clear_of_circles(n: int) -> None:
    """A node's text is within its circle; weights stand on top of lines, outside all circles."""
    sides = [f"side {i}" for i in range(n)]
    graph = Graph(
        [Node("documents", n_clusters=2), *(Node(s, observed="singletons") for s in sides)],
        [Edge("documents", side, np.ones((2, 2)), weight=0.123) for side in sides],
    )
    picture = ET.fromstring(graph.to_svg())  # noqa: S314  # our own text
    centres = []
    for group in picture.iter(f"{SVG}g"):
        circle = group.find(f"{SVG}circle")
        assert circle is not None
        x, y, radius = (float(circle.attrib[name]) for name in ("cx", "cy", "r"))
        centres.append((x, y, radius))
        for text in group.iter(f"{SVG}text"):
            assert abs(float(text.attrib["y"]) - y) < 0.7 * radius
    weights = picture.findall(f"{SVG}text")
    assert [text.text for text in weights] == ["0.123"] * n
    for text in weights:
        x, y = float(text.attrib["x"]), float(text.attrib["y"]) - 4
        assert all(math.hypot(x - cx, y - cy) > radius + 10 for cx, cy, radius in centres)
        assert text.attrib["paint-order"] == "stroke"
    kinds = [part.tag for part in picture]
    assert kinds.index(f"{SVG}text") == kinds.count(f"{SVG}path") + 1
