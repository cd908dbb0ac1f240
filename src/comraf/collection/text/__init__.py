"""From text to words: where words begin and end, and which of them say nothing."""

from __future__ import annotations
