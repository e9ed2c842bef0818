"""An outdoor hot spring at dusk: stones around dark steaming water, a lantern, a bamboo ladle on a bucket."""

import math

import numpy as np

from lab.pictures.places import bokeh, candle, flame_light, folded, hidden, lantern, sky, stone, terry
from lab.pictures.studio import (
    R,
    begin,
    box,
    camera,
    choose_look,
    lathe,
    leaf,
    light,
    mat,
    put,
    render,
    ripple,
    sheet,
    steam,
    tube,
    wood,
)

LOOK = choose_look("dusk", "snow")
begin(161)
snow = LOOK == "snow"
water = mat((0.03, 0.10, 0.10), (0.06, 0.17, 0.16), (0.7, 0.35, 0.7), 0.03, None, coat=0.8)
x, y = np.meshgrid(np.linspace(-8, 8, 240), np.linspace(-3, 9, 200))
sheet(np.stack([x, y, 0.02 + 0.014 * ripple(x, y, 2.4, 9)], -1), water)
basalt = mat((0.10, 0.10, 0.098), (0.22, 0.21, 0.20), (4, 0.35, 0.75), 0.55, (22, 0.02), coat=0.15)
white = mat((0.92, 0.94, 0.97), rough=0.8, sss=0.4, bump=(16, 0.03))
ground = mat((0.05, 0.045, 0.03), (0.10, 0.09, 0.05), (5, 0.4, 0.7), 0.9, (20, 0.05)) if not snow else white
spots = [
    (4.1 * math.cos(a) * k, 3.0 + 3.0 * math.sin(a) * k)
    for k, n in ((1, 21), (1.22, 25))
    for a in np.linspace(-0.75, math.pi + 0.75, n)
]
for px, py in spots:
    size = R.uniform(0.42, 0.72)
    high = size * R.uniform(0.9, 1.3)
    put(
        stone(size, size * 0.85, high, basalt),
        (px + R.uniform(-0.12, 0.12), py, -0.18),
        (R.uniform(-10, 10), R.uniform(-10, 10), R.uniform(0, 360)),
    )
    if snow and R.random() < 0.75:
        put(
            stone(size * 0.78, size * 0.66, high * 0.35, white),
            (px, py, high * 0.58 - 0.12),
            (0, 0, R.uniform(0, 360)),
        )
sheet(np.array([[[-30, 7.0, 0.25], [30, 7.0, 0.25]], [[-30, 30, 1.2], [30, 30, 1.2]]], float), ground)
plank = wood((0.12, 0.065, 0.035), (0.26, 0.15, 0.08), 0.55)
for i in range(9):
    box((0.62, 2.6, 0.16), plank, (-2.7 + 0.66 * i, -1.75, 0.22), 0.03)
bucket_wood = wood((0.36, 0.21, 0.10), (0.54, 0.36, 0.19), 0.5)
put(
    [
        lathe(
            [(0, 0.04), (0.46, 0.04), (0.50, 0), (0.56, 0.62), (0.52, 0.63), (0.48, 0.08), (0, 0.08)],
            bucket_wood,
            22,
            0,
            0,
        ),
        *(
            put(
                lathe(
                    [(0.52 + z * 0.1, 0), (0.54 + z * 0.1, 0.02), (0.53 + z * 0.1, 0.08)],
                    mat((0.50, 0.34, 0.14), rough=0.5),
                    60,
                    0,
                    0,
                ),
                (0, 0, z),
            )
            for z in (0.12, 0.42)
        ),
    ],
    (-1.55, -1.3, 0.30),
)
ladle = [
    tube([(t, 0, 0) for t in np.linspace(0, 1.7, 12)], 0.045, bucket_wood),
    put(
        lathe(
            [(0, 0), (0.20, 0), (0.20, 0.24), (0.17, 0.24), (0.17, 0.03), (0, 0.03)], bucket_wood, 40, 0, 0
        ),
        (0, 0, -0.12),
    ),
]
put(ladle, (-1.75, -1.35, 0.98), (0, 6, 34))
put(folded(1.2, 0.8, terry((0.86, 0.84, 0.80)), 4, 0.11), (0.15, -1.55, 0.30), (0, 0, -14))
for px, py, pz, size in ((3.3, 5.6, 0.95, 0.62), (-3.6, 5.9, 1.05, 0.62)):
    put(
        lathe(
            [(0, 0), (0.4, 0), (0.36, 0.1), (0.16, 0.2), (0.14, 0.7), (0.34, 0.82), (0, 0.82)],
            basalt,
            6,
            0,
            0,
        ),
        (px, py, pz - 0.8),
        scale=1.1,
    )
    put(hidden(lantern(size * 0.5, size * 0.8, (1, 0.62, 0.26))), (px, py, pz + 0.35))
    flame_light(px, py - 0.4, pz + 0.3, 60)
for px, py, high in ((1.35, -1.35, 0.34), (1.75, -1.65, 0.5)):
    put(candle(0.17, high), (px, py, 0.30))
    flame_light(px, py, high + 0.3, 8)
green = mat((0.03, 0.10, 0.03), (0.08, 0.20, 0.05), (4, 0.4, 0.7), 0.5, sss=0.2)
for _ in range(150):
    px = R.choice((-1, 1)) * R.uniform(2.0, 7)
    put(
        leaf(R.uniform(0.8, 1.8), R.uniform(0.10, 0.16), green, 0.4),
        (px, 7.4 + R.uniform(-0.6, 1.2), 0.5 + R.uniform(0, 2.2)),
        (R.uniform(-40, 40), R.uniform(-70, 10), R.uniform(0, 360)),
    )
for px, py, w in ((-1.4, 3.2, 3.4), (1.3, 4.2, 3.6), (0.1, 2.2, 2.6)):
    steam(px, py, 0.1, w, 2.4, 0.16)
bokeh(20, 12, (-8, 8), (1.5, 6), [(1, 0.52, 0.18), (1, 0.68, 0.34)], 7, 0.10)
sky((0.30, 0.40, 0.62) if not snow else (0.52, 0.62, 0.80), 0.35)
light((-5, -4, 7), (0, 1, 0), (4, 4), 420, (0.72, 0.80, 1))
light((3, -4, 3.5), (0, -1, 0.3), (2, 2), 150, (1, 0.74, 0.48))
camera((0, 1.6, 0.75), 9.6, 17, -90, 46, 0.5, (0, -0.8, 0.3))
render("hot-spring-" + LOOK)
