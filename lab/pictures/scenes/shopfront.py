"""Small shop at dusk: warm window, wooden door, paper lanterns, plants, wet stones that mirror the light."""

import math

import numpy as np

from lab.pictures.places import ball, box, glow, hidden, lamp, lantern, metal, prism, ring, sky, wall
from lab.pictures.studio import (
    PI2,
    R,
    begin,
    camera,
    ceramic,
    choose_look,
    lathe,
    leaf,
    light,
    mat,
    put,
    render,
    tube,
    wood,
)

LOOK = choose_look("red", "teal", "cream")
begin(111)
FRONT, LAMP, SHADE = {
    "red": ((0.085, 0.038, 0.020), (1, 0.055, 0.018), (1, 0.30, 0.10)),
    "teal": ((0.020, 0.085, 0.095), (1, 0.62, 0.28), (1, 0.62, 0.28)),
    "cream": ((0.46, 0.38, 0.28), (1, 0.72, 0.40), (1, 0.7, 0.4)),
}[LOOK]
m = mat((0.035, 0.036, 0.040), (0.075, 0.075, 0.08), (3, 0.35, 0.7), 0.20, (9, 0.02), coat=0.3)
for j in range(-3, 7):  # paving; here 1 unit = 40 cm
    for i in range(-9, 10):
        put(
            box(1.12, 0.76, 0.3, m, 0.03, 2),
            (i * 1.15 + 0.55 * (j % 2), 2.4 - j * 0.8, -0.3 + R.uniform(-0.012, 0.008)),
            (R.uniform(-0.4, 0.4), R.uniform(-0.4, 0.4), 0),
        )
wood_ = wood(FRONT, tuple(1.7 * k for k in FRONT), 0.45)
brick = mat((0.11, 0.075, 0.06), (0.20, 0.14, 0.11), (2, 0.35, 0.7), 0.85, (12, 0.03))
for k in range(15):  # wall of bricks above and beside
    for i in range(-12, 13):
        x, z = i * 0.92 + 0.46 * (k % 2), 0.42 * k
        if abs(x) > 4.5 or z > 5.85:
            put(box(0.88, 0.3, 0.38, brick, 0.02, 2), (x, 3.35 + R.uniform(-0.02, 0.02), z))
put(box(24, 0.3, 12, brick, 0), (0, 3.6, 5.8))
for x in (-10, 10):
    put(box(11.4, 0.3, 8, brick, 0), (x, 3.6, 0))
warm = mat((0.62, 0.40, 0.22), (0.50, 0.30, 0.16), (1, 0.3, 0.7), 0.8)
wall(warm, 7.2, 4.4, 6)  # the room behind the glass
put(box(9, 4.4, 0.1, wood_, 0), (0, 5.2, -0.1))
put(box(9, 4.4, 0.1, warm, 0), (0, 5.2, 5.6))
for s in (-1, 1):
    put(box(0.1, 4.4, 6, warm, 0), (s * 4.45, 5.2, 0))
goods = [
    mat(c, rough=0.3, coat=0.2)
    for c in (
        (0.55, 0.12, 0.06),
        (0.16, 0.24, 0.14),
        (0.70, 0.50, 0.24),
        (0.74, 0.70, 0.62),
        (0.10, 0.12, 0.15),
    )
]
for z in (1.5, 2.6, 3.7):
    put(box(8.4, 0.6, 0.09, wood_, 0.01), (0, 6.8, z))
    for i in range(30):
        if R.random() < 0.82:
            r = R.uniform(0.08, 0.13)
            put(
                lathe(
                    [(0, 0), (r, 0), (r, R.uniform(0.3, 0.5)), (r * 0.5, 0.55), (r * 0.5, 0.7), (0, 0.7)],
                    R.choice(goods),
                    20,
                    0,
                    0,
                ),
                (-4 + 0.27 * i, 6.75, z + 0.09),
                (0, 0, 0),
                R.uniform(0.8, 1.1),
            )
put(box(3.6, 0.8, 1.25, wood_, 0.03), (-1.6, 5.4, 0))
for x in (-2.9, -1.5, -0.1):
    put(hidden(ball(0.20, glow((1, 0.72, 0.40), 12), 24)), (x, 4.9, 3.75))
    tube([(x, 4.9, 3.9), (x, 4.9, 5.7)], 0.02, goods[4])
    lamp((x, 4.9, 3.7), 190, (1, 0.66, 0.36), 0.2)
lamp((2.6, 5.2, 4.4), 160, (1, 0.66, 0.36), 0.3)
for x, w in ((-4.3, 0.4), (1.15, 0.32), (4.3, 0.4)):  # posts, sill, beam
    put(box(w, 0.5, 5.0, wood_, 0.03), (x, 3.2, 0))
put(box(5.3, 0.42, 1.15, wood_, 0.03), (-1.6, 3.2, 0))
for x in (-3.4, -1.6, 0.2):
    put(box(1.35, 0.06, 0.70, wood_, 0.05), (x, 2.98, 0.22))
put(box(5.4, 0.75, 0.12, wood_, 0.02), (-1.6, 3.1, 1.15))
put(box(9.2, 0.6, 1.05, wood_, 0.04), (0, 3.1, 4.85))
put(box(9.6, 0.95, 0.12, wood_, 0.03), (0, 3.0, 5.88))
gold = metal((0.85, 0.60, 0.28), 0.3)  # the sign: a steaming bowl
put(ring(0.40, 0.03, gold), (-1.6, 2.78, 5.37), (90, 0, 0))
put(
    prism(
        [(0.26 * math.cos(a), 0.22 * math.sin(a)) for a in np.linspace(math.pi, PI2, 20)], 0.05, gold, 0.01, 2
    ),
    (-1.6, 2.80, 5.35),
    (90, 0, 0),
)
for x in (-0.11, 0, 0.11):
    tube(
        [(-1.6 + x + 0.03 * math.sin(6 * t), 2.77, 5.42 + 0.2 * t) for t in np.linspace(0, 1, 12)],
        0.018,
        gold,
    )
for x in (-2.95, -1.6, -0.25):
    put(box(0.10, 0.16, 3.6, wood_, 0.02), (x, 3.2, 1.25))
put(box(5.2, 0.14, 0.10, wood_, 0.02), (-1.6, 3.2, 3.85))
(
    put(box(0.30, 0.20, 4.85, wood_, 0.02), (1.62, 3.15, 0)),
    put(box(0.30, 0.20, 4.85, wood_, 0.02), (3.88, 3.15, 0)),
)  # the door
(
    put(box(2.3, 0.18, 1.35, wood_, 0.04), (2.75, 3.15, 0)),
    put(box(2.3, 0.18, 0.3, wood_, 0.03), (2.75, 3.15, 4.4)),
)
put(
    tube(
        [(1.72, 2.86, 1.7), (1.72, 2.82, 1.8), (1.72, 2.82, 2.6), (1.72, 2.86, 2.7)],
        0.04,
        metal((0.8, 0.6, 0.3), 0.25),
    )
)
put(box(2.9, 0.9, 0.16, m, 0.03), (2.75, 2.7, 0))
for x, z in ((-3.5, 3.55), (1.15, 3.45), (4.3, 3.55)) if LOOK != "cream" else ((1.15, 3.4), (-4.3, 3.4)):
    put(lantern(0.46, 0.66, LAMP), (x, 2.25, z))
    lamp((x, 1.7, z + 0.3), 110, SHADE, 0.35)
green = mat((0.03, 0.09, 0.02), (0.06, 0.17, 0.04), (4, 0.4, 0.7), 0.5, sss=0.2)
pot = ceramic((0.38, 0.20, 0.12), (0.28, 0.14, 0.09))
for x, y, s in ((-3.9, 2.2, 1.0), (-3.0, 2.35, 0.72), (4.35, 2.1, 1.1), (0.95, 2.35, 0.8)):
    put(
        lathe(
            [
                (0, 0),
                (0.30, 0),
                (0.40, 0.62),
                (0.43, 0.64),
                (0.43, 0.74),
                (0.38, 0.74),
                (0.36, 0.6),
                (0, 0.58),
            ],
            pot,
            48,
            1,
            0.01,
        ),
        (x, y, 0),
        (0, 0, 0),
        s,
    )
    for _ in range(46):
        put(
            leaf(R.uniform(0.5, 1.15) * s, R.uniform(0.09, 0.16) * s, green, 0.5),
            (x + R.gauss(0, 0.08), y + R.gauss(0, 0.08), 0.68 * s),
            (R.uniform(-40, 40), R.uniform(-88, -20), R.uniform(0, 360)),
        )
put(box(1.9, 0.55, 0.09, wood_, 0.02), (-1.4, 2.2, 0.72))  # bench
for x in (-2.1, -0.7):
    put(box(0.12, 0.5, 0.72, wood_, 0.02), (x, 2.2, 0))
sky((0.17, 0.27, 0.56), 1.0)
light((-6, -8, 9), (0, 3, 1), (6, 6), 800, (0.42, 0.58, 1))
camera((0.10, 2.6, 2.50), 13.2, 3, -103, 47, 0.7, (0, 3, 2))
render("shopfront-" + LOOK)
