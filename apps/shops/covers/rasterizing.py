"""Draws an SVG document as a PNG; runs as a program of its own, without Django.

python -I rasterizing.py 1200 < drawing.svg > drawing.png
"""

import os
import sys

import resvg_py

#: How far the program stands behind those that serve pages.
NICENESS = 15

if __name__ == "__main__":
    os.nice(NICENESS)
    drawing = sys.stdin.read()
    sys.stdout.buffer.write(
        resvg_py.svg_to_bytes(svg_string=drawing, width=int(sys.argv[1]), skip_system_fonts=True)
    )
