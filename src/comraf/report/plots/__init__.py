"""The plots of a report, one a file: plain values in, inline SVG out."""
