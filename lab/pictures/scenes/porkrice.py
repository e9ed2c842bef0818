"""Braised pork belly on rice with a soy egg and greens."""

import math

import numpy as np

from lab.pictures.dishes import bok_choy, disc, pork_belly, rice, seed, sprinkle
from lab.pictures.studio import (
    PI2,
    R,
    begin,
    bowl,
    camera,
    ceramic,
    choose_look,
    chopsticks,
    cloth,
    cloth_mat,
    cup,
    egg_half,
    lathe,
    liquid,
    mat,
    plate,
    put,
    render,
    ripple,
    scallion,
    sheet,
    steam,
    table,
    window_light,
    wood,
)

v = choose_look("blue", "dark", "white")
begin({"blue": 6, "dark": 12, "white": 19}[v])
table(wood() if v != "dark" else wood((0.20, 0.10, 0.045), (0.46, 0.27, 0.14), 0.5))
put(
    cloth(
        3.0,
        2.6,
        cloth_mat({"blue": (0.50, 0.45, 0.37), "dark": (0.40, 0.13, 0.08), "white": (0.12, 0.17, 0.15)}[v]),
        0.05,
    ),
    (0.1, -0.1, 0),
    (0, 0, 14),
)
body = {
    "blue": ceramic((0.07, 0.13, 0.19), (0.20, 0.24, 0.26)),
    "dark": ceramic((0.06, 0.055, 0.05), (0.14, 0.12, 0.10)),
    "white": ceramic(),
}[v]
put(bowl(1.08, 0.62, body), (0, 0, 0.03))
q, th = np.meshgrid(np.linspace(0, 1, 30), np.linspace(0, PI2, 90, endpoint=False), indexing="ij")
X, Y = 0.98 * q * np.cos(th), 0.98 * q * np.sin(th)
base = mat((0.70, 0.60, 0.42), rough=0.5, sss=0.4, bump=(30, 0.02))
put(sheet(np.stack([X, Y, 0.66 - 0.22 * q**2.2 + 0.02 * ripple(X, Y, 6)], -1), base, True))
rice(
    lambda: disc(0.98),
    8000,
    lambda x, y: (
        math.hypot(x - 0.20, y + 0.24)
        + 0.10 * math.sin(5 * math.atan2(y + 0.24, x - 0.20))
        + R.gauss(0, 0.05)
        < 0.60
    ),
)
for x, y in (
    (-0.02, -0.56),
    (0.36, -0.56),
    (-0.16, -0.24),
    (0.19, -0.20),
    (0.55, -0.28),
    (0.62, 0.06),
    (0.30, 0.14),
    (-0.02, 0.08),
):
    put(
        pork_belly(R.uniform(0.155, 0.18), R.uniform(0.14, 0.165)),
        (x, y, 0.80 - 0.20 * (x * x + y * y)),
        (R.uniform(-14, 14) + 20 * y, R.uniform(-12, 12) + 14 * x, R.uniform(-40, 40)),
    )
put(pork_belly(0.165, 0.15), (0.14, -0.34, 1.05), (-16, 10, 52))
put(pork_belly(0.160, 0.15), (0.40, -0.08, 1.06), (-8, 14, 18))
put(egg_half(0.25), (-0.54, -0.06, 0.76), (18, -26, 60))
for i, a in enumerate((96, 118, 140)):
    put(bok_choy(0.72), (0.06 - 0.20 * i, 0.24 - 0.02 * i, 0.70), (R.uniform(-8, 8), -2, a))
sprinkle(
    seed(mat((0.86, 0.74, 0.52), rough=0.4, coat=0.2), 0.026),
    60,
    lambda: (R.gauss(0.2, 0.2), R.gauss(-0.25, 0.2)),
    0.006,
)
sprinkle(scallion(0.034), 34, lambda: (R.gauss(0.2, 0.17), R.gauss(-0.22, 0.15)))
put(chopsticks(wood((0.10, 0.035, 0.014), (0.22, 0.08, 0.03), 0.3), 2.4, 3), (-0.9, -1.62, 0.08), (0, 0, 9))
put(cup(0.36, 0.44, ceramic(), False), (1.62, 1.30, 0))
put(liquid(0.31, mat((0.40, 0.22, 0.04), rough=0.03, coat=0.4)), (1.62, 1.30, 0.35))
put(plate(0.44, ceramic((0.80, 0.76, 0.68), (0.50, 0.40, 0.30))), (-1.55, 1.22, 0))
pick = mat((0.74, 0.58, 0.14), (0.62, 0.42, 0.07), (6, 0.4, 0.7), 0.25, sss=0.4, coat=0.4)
for _ in range(22):
    put(
        lathe([(0, 0), (0.085, 0), (0.09, 0.014), (0.085, 0.028), (0, 0.03)], pick, 20, 1, 0.1),
        (-1.55 + R.gauss(0, 0.11), 1.22 + R.gauss(0, 0.09), 0.06 + R.uniform(0, 0.07)),
        (R.uniform(-35, 35), R.uniform(-35, 35), 0),
    )
steam(0, 0.5, 0.9, 2.2, 2.0, 0.30)
window_light(1750)
camera((0.02, 0.0, 0.45), 6.0, 43, -92, 76, 0.30, (0.05, -0.3, 0.85))
render("porkrice-" + v)
