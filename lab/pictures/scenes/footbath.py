"""Wooden foot bath with rose petals on the water, folded towels, oil and a candle: a massage room."""

import math

from lab.pictures.places import (
    bokeh,
    candle,
    flame_light,
    folded,
    petal,
    plaster,
    plumeria,
    pump,
    roll,
    sky,
    terry,
    tub,
    wall,
)
from lab.pictures.studio import (
    PI2,
    R,
    begin,
    camera,
    choose_look,
    leaf,
    liquid,
    mat,
    put,
    render,
    steam,
    table,
    window_light,
    wood,
)

LOOK = choose_look("rose", "jasmine", "night")
begin(71)
night = LOOK == "night"
table(
    wood((0.13, 0.065, 0.03), (0.30, 0.17, 0.085), 0.4)
    if not night
    else wood((0.05, 0.024, 0.014), (0.14, 0.07, 0.035), 0.4)
)
wall(plaster((0.46, 0.38, 0.29) if not night else (0.11, 0.075, 0.05)), 9)
put(tub(), (-0.45, 0.15, 0))
water = mat(
    (0.52, 0.62, 0.60) if not night else (0.30, 0.34, 0.32),
    rough=0.02,
    glass=0.35,
    ior=1.33,
    bump=(1.2, 0.05),
    coat=0.3,
)
put(liquid(1.36, water), (-0.45, 0.15, 0.98))
hues = {
    "rose": [(0.62, 0.03, 0.07), (0.80, 0.16, 0.20), (0.90, 0.48, 0.46)],
    "jasmine": [(0.95, 0.92, 0.84), (0.95, 0.82, 0.55), (0.93, 0.90, 0.86)],
    "night": [(0.55, 0.02, 0.05), (0.72, 0.08, 0.12), (0.85, 0.35, 0.32)],
}[LOOK]
ms = [
    mat(c, tuple(0.8 * x for x in c), (6, 0.3, 0.7), 0.45, sss=0.35, radius=(0.06, 0.03, 0.03)) for c in hues
]
for _ in range(34):
    a, q = R.uniform(0, PI2), 1.22 * math.sqrt(R.random())
    put(
        petal(R.uniform(0.13, 0.21), R.choice(ms)),
        (-0.45 + q * math.cos(a), 0.15 + q * math.sin(a), 0.99),
        (R.uniform(-6, 6), R.uniform(-6, 6), R.uniform(0, 360)),
    )
put(plumeria(0.32), (-0.15, -0.35, 1.03), (8, 6, 20))
put(plumeria(0.29), (-0.95, 0.45, 1.03), (-5, 8, 70))
for _ in range(9):
    put(
        petal(R.uniform(0.13, 0.21), R.choice(ms)),
        (0.75 + R.gauss(0, 0.5), -1.45 + R.gauss(0, 0.12), 0.015),
        (0, 0, R.uniform(0, 360)),
    )
cream, sage = terry((0.86, 0.80, 0.70)), terry((0.42, 0.44, 0.34) if LOOK != "rose" else (0.66, 0.40, 0.36))
put(folded(1.7, 1.25, cream, 3, 0.12), (2.05, 0.85, 0.01), (0, 0, 24))
put(folded(1.6, 1.15, sage, 3, 0.11), (2.08, 0.88, 0.43), (0, 0, 18))
put(roll(1.25, cream, 0.27, 3), (2.05, 0.80, 0.80), (0, 0, 112))
amber = mat((0.20, 0.065, 0.012), rough=0.06, coat=0.6, sss=0.2)
put(pump(0.20, 0.75, amber, mat((0.03, 0.03, 0.03), rough=0.3)), (1.55, -0.85, 0), (0, 0, 200))
for x, y, h, r in ((2.15, -0.62, 0.42, 0.24), (-2.35, 1.35, 0.85, 0.30)):
    put(candle(r, h), (x, y, 0))
    flame_light(x, y, h, 30 if night else 8)
if night:
    bokeh(14, 8, (-5, 5), (1, 4), [(1, 0.5, 0.15), (1, 0.65, 0.3)], 8, 0.07)
for x in (-2.6, 2.9):
    for _ in range(12):
        put(
            leaf(
                R.uniform(1.4, 2.6),
                R.uniform(0.2, 0.34),
                mat((0.04, 0.11, 0.025), (0.07, 0.2, 0.04), (4, 0.4, 0.7), 0.5, sss=0.2),
                0.4,
            ),
            (x + R.gauss(0, 0.2), 3.8, 0.3),
            (0, R.uniform(-85, -40), R.uniform(0, 360)),
        )
if not night:
    steam(-0.4, 0.3, 1.05, 2.2, 1.9, 0.22)
sky((1, 0.88, 0.74), 0.24 if not night else 0.07)
window_light(1700 if not night else 800)
camera((0.30, 0.15, 0.72), 8.3, 27, -94, 66, 0.32, (-0.2, -0.7, 0.9))
render("footbath-" + LOOK)
