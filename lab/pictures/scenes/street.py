"""An old street along a canal at dusk: lit shops, awnings, lanterns on lines, water that mirrors them."""

import bpy
import numpy as np

from lab.pictures.places import backdrop, ball, box, glow, hidden, lamp, lantern, sky
from lab.pictures.studio import (
    R,
    begin,
    camera,
    ceramic,
    choose_values,
    lathe,
    leaf,
    light,
    mat,
    put,
    render,
    ripple,
    sheet,
    tube,
    wood,
)

name, V = choose_values(
    lanterns=dict(
        low=(1.0, 0.42, 0.22),
        high=(0.10, 0.16, 0.40),
        lamp=(1, 0.075, 0.02),
        shade=(1, 0.34, 0.12),
        walls=((0.42, 0.34, 0.27), (0.30, 0.22, 0.18), (0.50, 0.45, 0.38)),
        awnings=((0.50, 0.05, 0.04), (0.08, 0.22, 0.20), (0.56, 0.30, 0.06)),
        seed=211,
    ),
    bulbs=dict(
        low=(0.62, 0.40, 0.52),
        high=(0.05, 0.09, 0.28),
        lamp=(1, 0.70, 0.34),
        shade=(1, 0.70, 0.38),
        walls=((0.34, 0.37, 0.40), (0.46, 0.40, 0.36), (0.26, 0.28, 0.30)),
        awnings=((0.05, 0.16, 0.30), (0.60, 0.56, 0.48), (0.10, 0.24, 0.16)),
        seed=223,
    ),
)
begin(V.seed)
# Here 1 unit = 40 cm; the canal runs along y, its middle at x = 0, the houses stand at x = -8 and 8.
HALF, FAR = 8.0, 78
water = mat((0.030, 0.031, 0.036), (0.065, 0.064, 0.066), (1.2, 0.35, 0.7), 0.13, (3, 0.02), coat=0.5)
x, y = np.meshgrid(np.linspace(-6.4, 6.4, 60), np.linspace(-6, FAR + 34, 300))
sheet(np.stack([x, y, 0.03 * ripple(x, y, 0.5) + 0.006 * ripple(x, y, 5)], -1), water)
stone = mat((0.10, 0.095, 0.09), (0.17, 0.16, 0.15), (2, 0.35, 0.7), 0.30, (9, 0.02), coat=0.25)
for side in (-1, 1):
    for k in range(28):
        put(box(1.75, 2.94, 0.4, stone, 0.03, 2), (side * 7.25, -4 + 3 * k, -0.14 + R.uniform(-0.01, 0.01)))
dark = mat((0.02, 0.019, 0.018), rough=0.45)
walls = [mat(c, tuple(0.75 * k for k in c), (0.5, 0.35, 0.7), 0.9, (8, 0.02)) for c in V.walls]
timber = wood((0.06, 0.03, 0.016), (0.13, 0.066, 0.034), 0.5)
cream = mat((0.70, 0.66, 0.58), rough=0.85)
awnings = [mat(c, rough=0.8) for c in V.awnings]
rooms = [glow(c, 1.0) for c in ((1, 0.60, 0.26), (1, 0.70, 0.40), (1, 0.52, 0.20))]
panes = [glow((1, 0.66, 0.34), 1.6), glow((1, 0.78, 0.52), 1.1)]
blind = mat((0.03, 0.04, 0.06), rough=0.12, coat=0.4)
goods = [
    mat(c, rough=0.5)
    for c in ((0.30, 0.08, 0.04), (0.10, 0.13, 0.07), (0.36, 0.24, 0.11), (0.06, 0.06, 0.07))
]
green = mat((0.03, 0.09, 0.02), (0.06, 0.17, 0.04), (4, 0.4, 0.7), 0.5, sss=0.2)
pot = ceramic((0.34, 0.18, 0.11), (0.26, 0.13, 0.08))


def place(things, side, y):
    """Turn what faces -x at the origin to the street's side that looks at it."""
    return put(things, (side * HALF, y, 0), (0, 0, 0 if side > 0 else 180))


def house(side, y0, width, high, k):
    """One house with its shop: wall above, a lit room behind its window, a door, windows upstairs."""
    wall, mid = walls[k % 3], y0 + width / 2
    top = 5.4
    parts = [put(box(6, width - 0.06, high - top, wall, 0.04), (3, 0, top))]
    parts += [put(box(0.5, 0.5, top, wall, 0.03), (0.2, s * (width / 2 - 0.28), 0)) for s in (-1, 1)]
    parts.append(put(box(0.4, width, 0.9, timber, 0.03), (0.12, 0, top - 0.75)))
    parts.append(hidden(put(box(0.1, width, top, rooms[k % 3], 0), (3.2, 0, 0))))
    parts += [hidden(put(box(3.2, 0.1, top, rooms[k % 3], 0), (1.8, s * width / 2, 0))) for s in (-1, 1)]
    for z in (1.5, 2.5, 3.5):  # shelves in front of the lit wall
        parts.append(put(box(0.5, width - 1, 0.1, timber, 0.01), (2.7, 0, z)))
        for _ in range(int(width * 2.2)):
            size = R.uniform(0.12, 0.24)
            jar = lathe(
                [(0, 0), (size, 0), (size, 0.5), (size * 0.6, 0.62), (0, 0.62)], R.choice(goods), 16, 0, 0
            )
            parts.append(put(jar, (2.65, R.uniform(-0.44, 0.44) * width, z + 0.1)))
    door = width / 2 - 1.7
    parts.append(put(box(0.3, width - 3.6, 1.2, timber, 0.04), (0.1, -1.5, 0)))  # below the window
    for a in np.linspace(-width / 2 + 0.5, door - 1.2, 4):
        parts.append(put(box(0.14, 0.12, top - 1.2, timber, 0.01), (0.1, a, 1.1)))
    parts.append(put(box(0.2, 0.25, top, timber, 0.02), (0.1, door - 1.15, 0)))
    parts.append(put(box(0.14, 2.0, 1.4, timber, 0.03), (0.1, door, 0)))
    for z in np.arange(6.4, high - 1.8, 3.4):
        for a in np.arange(-width / 2 + 1.7, width / 2 - 1.0, 2.7):
            lit = R.random() < 0.5
            pane = put(box(0.1, 1.35, 1.9, R.choice(panes) if lit else blind, 0), (-0.02, a, z))
            parts.append(hidden(pane) if lit else pane)
            parts += [put(box(0.14, 0.1, 1.9, timber, 0.01), (-0.05, a + d, z)) for d in (-0.68, 0, 0.68)]
            parts += [put(box(0.2, 1.6, 0.12, timber, 0.02), (-0.06, a, z + d)) for d in (-0.1, 1.85)]
    parts.append(put(box(0.9, width + 0.2, 0.3, timber, 0.03), (0, 0, high - 0.1)))
    place(parts, side, mid)
    lamp((side * (HALF + 1.6), mid, 4.2), 420, (1, 0.64, 0.34), 0.4)
    light((side * (HALF - 0.4), mid, 3.6), (side * 4, mid, 0), (2.6, width - 2), 170, (1, 0.62, 0.32))


for side in (-1, 1):
    at, k = -3.0 if side > 0 else -5.0, 0 if side > 0 else 1
    while at < FAR - 10:
        width, high = R.uniform(7.6, 10.4), R.uniform(11.5, 17.5)
        house(side, at, width, high, k)
        if k % 3 != 2:
            cover = awnings[k % 3]
            n = 13
            for j in range(n):  # its stripes
                a = at + 0.5 + (width - 1) * j / n
                s, w = side * HALF, (width - 1) / n
                rim = np.array(
                    [
                        [[s, a, 4.9], [s, a + w, 4.9]],
                        [[s - side * 2.1, a, 4.0], [s - side * 2.1, a + w, 4.0]],
                        [[s - side * 2.12, a, 3.6], [s - side * 2.12, a + w, 3.6]],
                    ],
                    float,
                )
                sheet(rim, cover if j % 2 else cream, smooth=False, thick=0.03)
        for _ in range(2):  # plants on the pavement
            px, py, size = (
                side * R.uniform(7.1, 7.5),
                at + R.choice((0.7, width - 0.9)) + R.uniform(-0.2, 0.2),
                R.uniform(0.8, 1.25),
            )
            put(
                lathe(
                    [(0, 0), (0.30, 0), (0.40, 0.62), (0.43, 0.74), (0.38, 0.74), (0.36, 0.6), (0, 0.58)],
                    pot,
                    32,
                    1,
                    0.01,
                ),
                (px, py, 0.26),
                (0, 0, 0),
                size,
            )
            for _leaf in range(26 if at < 30 else 0):
                put(
                    leaf(R.uniform(0.6, 1.25) * size, R.uniform(0.1, 0.18) * size, green, 0.5),
                    (px + R.gauss(0, 0.08), py + R.gauss(0, 0.08), 0.26 + 0.66 * size),
                    (R.uniform(-40, 40), R.uniform(-88, -20), R.uniform(0, 360)),
                )
        at += width
        k += 1
for number, y in enumerate((7, 14, 22, 31, 41, 52)):  # lines across the street
    z, sag = 8.3 + 0.2 * (number % 2), 1.5
    line = [(t * HALF, y + 0.4 * t, z - sag * (1 - t * t)) for t in np.linspace(-1, 1, 30)]
    tube(line, 0.025, dark)
    places = (-0.78, -0.47, -0.16, 0.16, 0.47, 0.78) if name == "lanterns" else np.linspace(-0.9, 0.9, 15)
    for t in places:
        spot = (t * HALF, y + 0.4 * t, z - sag * (1 - t * t))
        if name == "lanterns":
            hung, *caps_and_lines = lantern(0.42, 0.60, V.lamp)
            for line in caps_and_lines[2:]:
                bpy.data.objects.remove(line)
            put([hung, *caps_and_lines[:2]], (spot[0], spot[1], spot[2] - 0.72))
        else:
            put(hidden(ball(0.13, glow(V.lamp, 9), 16)), (spot[0], spot[1], spot[2] - 0.13))
    lamp((0, y, z - sag - 0.9), 260, V.shade, 0.6)
backdrop(FAR + 40, V.low, V.high, 0, 62, 0.75, 140)
put(box(140, 2, 9, mat((0.05, 0.055, 0.085), rough=1), 0), (0, FAR + 33, 0))
for k in range(16):  # houses far away, against the sky
    put(
        box(R.uniform(5, 9), 2, R.uniform(12, 24), mat((0.05, 0.055, 0.085), rough=1), 0),
        (-60 + 8 * k, FAR + 30, 0),
    )
sky((0.20, 0.28, 0.55), 0.75)
light((0, -12, 14), (0, 10, 0), (8, 8), 900, (0.46, 0.58, 1))
camera((0.0, 16, 4.0), 24.0, 1.5, -94, 34, 0.9, (0, 9, 3))
render("street-" + name)
