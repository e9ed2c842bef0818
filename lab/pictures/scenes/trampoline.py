"""A trampoline hall: springy squares between soft borders, a pit of foam cubes and a ball."""

import numpy as np

from lab.pictures.places import ball, bokeh, box, glow, hidden, plaster, sky, wall
from lab.pictures.studio import (
    R,
    begin,
    camera,
    choose_values,
    light,
    mat,
    put,
    render,
    ripple,
    sheet,
    tube,
)

name, V = choose_values(
    blue=dict(
        pads=((0.03, 0.22, 0.60), (0.92, 0.46, 0.03)),
        cubes=((0.03, 0.30, 0.66), (0.94, 0.62, 0.04), (0.80, 0.10, 0.06), (0.10, 0.46, 0.20)),
        wall=(0.55, 0.60, 0.64),
        ball=(0.84, 0.12, 0.06),
        seed=231,
    ),
    mint=dict(
        pads=((0.20, 0.58, 0.48), (0.95, 0.68, 0.10)),
        cubes=((0.30, 0.66, 0.56), (0.95, 0.72, 0.22), (0.90, 0.40, 0.34), (0.60, 0.48, 0.74)),
        wall=(0.72, 0.66, 0.58),
        ball=(0.90, 0.42, 0.36),
        seed=247,
    ),
)
begin(V.seed)
# Here 1 unit = 25 cm: a bed is 2 m, a border 35 cm wide.
BED, GAP, COLUMNS, ROWS = 7.4, 1.3, 5, 3
pads = [mat(c, tuple(0.82 * k for k in c), (2, 0.3, 0.7), 0.38, (14, 0.012), coat=0.2) for c in V.pads]
net = mat((0.020, 0.021, 0.024), (0.036, 0.037, 0.040), (30, 0.4, 0.6), 0.7, weave=14)
web = mat((0.70, 0.70, 0.68), rough=0.7)
step = BED + GAP
for row in range(ROWS):
    for column in range(COLUMNS):
        cx, cy = (column - COLUMNS // 2) * step, row * step
        x, y = np.meshgrid(np.linspace(-BED / 2, BED / 2, 60), np.linspace(-BED / 2, BED / 2, 60))
        sag = -0.10 - 0.16 * (1 - (2 * x / BED) ** 2) * (1 - (2 * y / BED) ** 2)
        put(sheet(np.stack([x, y, sag + 0.006 * ripple(x, y, 2)], -1), net), (cx, cy, 0))
        for s in (-0.62, 0.62):  # two crossed lines that show its middle
            tube([(cx - 0.7, cy + s, -0.235), (cx + 0.7, cy + s, -0.235)], 0.035, web)
            tube([(cx + s, cy - 0.7, -0.235), (cx + s, cy + 0.7, -0.235)], 0.035, web)
for row in range(ROWS + 1):
    y = (row - 0.5) * step
    for column in range(COLUMNS):
        cx = (column - COLUMNS // 2) * step
        for part in (-0.5, 0.5):  # two mats a side, a seam between
            put(
                box(BED / 2 - 0.04, GAP, 0.42, pads[0], 0.14, 4),
                (cx + part * BED / 2, y, -0.2 + R.uniform(-0.01, 0.01)),
            )
for column in range(COLUMNS + 1):
    x = (column - COLUMNS / 2) * step
    for row in range(ROWS):
        for part in (-0.5, 0.5):
            put(
                box(GAP, BED / 2 - 0.04, 0.42, pads[0], 0.14, 4),
                (x, row * step + part * BED / 2, -0.2 + R.uniform(-0.01, 0.01)),
            )
    for row in range(ROWS + 1):
        put(box(GAP - 0.03, GAP - 0.03, 0.45, pads[1], 0.14, 4), (x, (row - 0.5) * step, -0.2))
EDGE = (ROWS - 0.5) * step + GAP / 2
put(box(120, 80, 0.1, net, 0), (0, 20, -0.75))
foam = [mat(c, tuple(0.85 * k for k in c), (8, 0.4, 0.6), 0.95, (30, 0.03), sheen=0.3) for c in V.cubes]
put(box(60, 0.8, 1.6, pads[1], 0.2, 4), (0, EDGE + 0.5, -0.2))  # the border of the pit
for _ in range(330):
    size, x, y = R.uniform(1.0, 1.25), R.uniform(-24, 24), EDGE + 1.4 + R.uniform(0, 6)
    heap = 0.35 + 0.25 * (y - EDGE) + 0.5 * float(ripple(np.array(x), np.array(y), 0.5))
    put(
        box(size, size, size, R.choice(foam), 0.09, 3),
        (x, y, heap + R.uniform(-0.5, 0.2)),
        (R.uniform(0, 90), R.uniform(0, 90), R.uniform(0, 90)),
    )
for size, x, y, m in (
    (1.05, -2.6, 1.2, 0),
    (1.2, 4.9, 3.4, 1),
    (1.1, 3.2, -4.2 + step, 2),
):  # some thrown out
    put(box(size, size, size, foam[m], 0.09, 3), (x, y, -0.22), (0, 0, R.uniform(10, 80)))
red = mat(V.ball, tuple(0.85 * k for k in V.ball), (4, 0.3, 0.7), 0.42, (40, 0.01), coat=0.15)
put(ball(1.05, red, 64), (0.9, -0.6, 0.83))
wall(plaster(V.wall), EDGE + 11)
for k in range(9):  # soft panels on the wall
    put(box(5.4, 0.4, 6.0, pads[k % 2], 0.2, 4), (-24 + 6 * k, EDGE + 10.4, 0.4))
for k in range(8):
    put(hidden(box(3.8, 0.1, 2.6, glow((0.86, 0.93, 1), 1.6), 0)), (-21 + 6 * k, EDGE + 10.7, 8.6))
bokeh(10, EDGE + 9, (-16, 16), (11, 14), ((1, 0.85, 0.6),), 18, 0.22)
sky((0.95, 0.97, 1), 0.5)
light((-16, 6, 14), (0, 6, 0), (7, 7), 7600, (1, 0.95, 0.86))
light((12, -8, 10), (0, 4, 0), (6, 6), 1800, (1, 0.86, 0.70))
camera((0.2, 4.6, 0.9), 19.5, 15, -97, 40, 0.5, (0.9, -0.6, 0.6))
render("trampoline-" + name)
