"""A climbing wall with bright holds, a rope with its knot and a bag of chalk on the mat."""

import math

import numpy as np

from lab.pictures.places import metal, sky
from lab.pictures.studio import (
    PI2,
    R,
    begin,
    box,
    camera,
    choose_look,
    lathe,
    light,
    mat,
    mesh,
    put,
    render,
    ripple,
    sheet,
    tube,
)

LOOK = choose_look("bright", "blue")
begin(81)
plywood = mat(
    (0.62, 0.46, 0.28), (0.50, 0.35, 0.20), (1.2, 0.35, 0.7), 0.7, (30, 0.006), (1, 1, 6), detail=10
)
paint = mat((0.05, 0.20, 0.34) if LOOK == "blue" else (0.72, 0.68, 0.60), rough=0.7, bump=(40, 0.012))
mats = mat((0.035, 0.037, 0.042), (0.06, 0.06, 0.065), (6, 0.4, 0.7), 0.7, (50, 0.006))


def panel(corners, m):
    return mesh(corners, [(0, 1, 2, 3)], m, smooth=False)


def hold(size, m):
    """A lump of resin with a lip to grip and a bolt in the middle."""
    th, ph = np.meshgrid(np.linspace(0, PI2, 60, endpoint=False), np.linspace(0, math.pi, 30))
    x, y, z = np.cos(th) * np.sin(ph), np.sin(th) * np.sin(ph), -np.cos(ph)
    k = 1 + 0.22 * ripple(x + z, y - z, 2.0) + 0.04 * ripple(x - z, y + z, 7)
    lip = 1 + 0.35 * np.clip(y, 0, 1)
    body = sheet(
        np.stack([size * x * k * 1.15, size * y * k * lip * 0.8, size * z * k * 0.62], -1), m, True, sub=1
    )
    return [
        body,
        put(
            lathe([(0.045, 0), (0.045, 0.03), (0.02, 0.03), (0.02, 0), (0, 0)], metal((0.6, 0.6, 0.6)), 6, 0),
            (0, 0, size * 0.6),
        ),
    ]


panel([(-9, 3, -1), (9, 3, -1), (9, 3, 4.2), (-9, 3, 4.2)], paint)
panel([(-9, 3, 4.2), (9, 3, 4.2), (9, 0.4, 9.5), (-9, 0.4, 9.5)], plywood)
box((30, 9, 0.8), mats, (0, -1.6, -0.4), 0.12)
colours = (
    (0.80, 0.10, 0.03),
    (0.92, 0.55, 0.02),
    (0.03, 0.30, 0.16),
    (0.05, 0.16, 0.50),
    (0.78, 0.14, 0.34),
    (0.85, 0.80, 0.06),
)
resin = [mat(c, tuple(0.85 * x for x in c), (14, 0.4, 0.6), 0.62, (60, 0.008)) for c in colours]
spots = []
for _ in range(400):
    x, z = R.uniform(-5.6, 5.6), R.uniform(0.5, 4.0)
    if all(math.hypot(x - a, z - b) > 0.95 for a, b in spots):
        spots.append((x, z))
for number, (x, z) in enumerate(spots):
    put(hold(R.uniform(0.18, 0.42), resin[number % 6]), (x, 3.0, z), (90, R.uniform(0, 360), 0))
for x in np.arange(-5.4, 5.6, 1.3):
    for step in (0.25, 0.55, 0.85):
        y, z = 3 - 2.6 * step, 4.2 + 5.3 * step
        put(
            hold(R.uniform(0.2, 0.40), R.choice(resin)),
            (x + R.uniform(-0.3, 0.3), y, z),
            (116, R.uniform(0, 360), 0),
        )
rope = mat((0.72, 0.20, 0.05), (0.08, 0.10, 0.20), (24, 0.55, 0.6), 0.8, (60, 0.01))
far = np.linspace(0.62, 0.14, 500)
coil = [
    (1.9 + r * math.cos(t), -1.9 + 0.8 * r * math.sin(t), 0.08 + 0.05 * (i % 90 < 45))
    for i, (t, r) in enumerate(zip(np.linspace(0, 44, 500), far, strict=True))
]
tube(coil, 0.062, rope)
tube([(2.5 - 0.25 * t, -1.75 + 1.0 * t, 0.08 + 0.9 * t * t) for t in np.linspace(0, 2.6, 40)], 0.062, rope)
bag = mat((0.10, 0.26, 0.30), (0.07, 0.20, 0.24), (20, 0.4, 0.6), 0.9, (50, 0.01))
chalk = mat((0.93, 0.93, 0.92), rough=1, bump=(22, 0.03))
put(
    [
        lathe(
            [
                (0, 0),
                (0.36, 0.02),
                (0.42, 0.2),
                (0.40, 0.72),
                (0.44, 0.80),
                (0.40, 0.82),
                (0.36, 0.72),
                (0.30, 0.66),
            ],
            bag,
            60,
        ),
        put(lathe([(0.37, 0), (0.2, 0.07), (0, 0.09)], chalk, 40, 1, 0.1), (0, 0, 0.66)),
    ],
    (-1.5, -1.8, 0),
)
sky((0.86, 0.93, 1), 0.30)
light((-6, -5, 8), (0, 2, 2.5), (4, 4), 1500, (1, 0.95, 0.88))
light((7, -3, 5), (0, 2, 2), (2, 4), 500, (1, 0.82, 0.64))
camera((0.1, 0.9, 1.75), 11.4, 7, -94, 44, 0.7, (0, 2.6, 2.0))
render("climbing-" + LOOK)
