"""Whole steamed fish under scallion, ginger and red pepper, in soy."""

import math

import numpy as np

from lab.pictures.dishes import disc, fish, green_mat, heap, oval, rice, shred, shred_mats
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
    lathe,
    leaf,
    liquid,
    mat,
    put,
    render,
    sheet,
    steam,
    table,
    window_light,
    wood,
)

v = choose_look("white", "blue", "dark")
begin({"white": 8, "blue": 17, "dark": 28}[v])
table(
    wood((0.10, 0.042, 0.02), (0.28, 0.13, 0.06))
    if v != "dark"
    else wood((0.20, 0.10, 0.045), (0.46, 0.27, 0.14), 0.5)
)
if v != "white":
    put(
        cloth(4.4, 2.4, cloth_mat((0.52, 0.47, 0.38) if v == "blue" else (0.10, 0.15, 0.15)), 0.05),
        (0, -0.2, 0),
        (0, 0, -7),
    )
glaze = {
    "white": ceramic((0.86, 0.84, 0.79), (0.80, 0.77, 0.72)),
    "blue": ceramic((0.10, 0.20, 0.30), (0.30, 0.38, 0.42)),
    "dark": ceramic((0.07, 0.065, 0.06), (0.16, 0.13, 0.11)),
}[v]
put(oval(1.72, 0.92, glaze, 0.15), (0, 0, 0.02), (0, 0, 6))
soy = mat((0.13, 0.034, 0.008), (0.07, 0.016, 0.004), (2, 0.4, 0.7), 0.05, (4, 0.004), coat=0.6)
t = np.linspace(0, PI2, 120, endpoint=False)
q = np.linspace(0, 1, 20)[:, None]
e = 1 + 0.03 * np.sin(3 * t + 1) + 0.02 * np.sin(7 * t)
put(
    sheet(
        np.stack([1.32 * q * e * np.cos(t), 0.72 * q * e * np.sin(t), 0.014 * (1 - q**9) + 0 * t], -1),
        soy,
        True,
    ),
    (0, 0, 0.056),
    (0, 0, 6),
)
put(fish(2.35, 0.46, 0.30), (0.12, 0.0, 0.075), (0, 0, 186))
oil = mat((0.60, 0.26, 0.04), rough=0.03, coat=0.6, glass=0.3)
for _ in range(70):
    a, k = R.uniform(0, PI2), R.uniform(0.74, 0.97)
    r = R.uniform(0.008, 0.035)
    put(
        lathe([(0, 0.006), (r * 0.7, 0.004), (r, 0)], oil, 18, 1),
        (1.30 * k * math.cos(a), 0.70 * k * math.sin(a), 0.070),
    )
gr, pl = shred_mats()
red = mat((0.55, 0.020, 0.008), (0.68, 0.05, 0.012), (5, 0.4, 0.7), 0.22, coat=0.5)
gi = mat((0.84, 0.68, 0.28), (0.74, 0.56, 0.18), (6, 0.4, 0.7), 0.3, sss=0.4, coat=0.3)
kinds = (
    [lambda: shred(R.uniform(0.32, 0.55), 0.012, gr)] * 5
    + [lambda: shred(R.uniform(0.3, 0.5), 0.013, pl)] * 4
    + [lambda: shred(R.uniform(0.28, 0.45), 0.013, red)] * 2
    + [lambda: shred(R.uniform(0.22, 0.34), 0.011, gi)] * 2
)
heap(kinds, 210, -0.12, 0.03, 0.34, 0.72, 0.22, 0.22, 16, math.radians(6))
heap(kinds, 14, 0.1, -0.52, 0.10, 0.8, 0.10, 0.04, 6)
g = green_mat()
for x, y, a in ((-1.20, -0.40, 200), (-1.28, -0.30, 160), (-1.12, -0.46, 245), (-1.22, -0.36, 290)):
    put(leaf(R.uniform(0.2, 0.28), 0.10, g, 0.25), (x, y, 0.12), (R.uniform(-20, 20), R.uniform(-30, -10), a))
put(bowl(0.42, 0.34, ceramic()), (1.66, 1.36, 0))
rice_top = mat((0.95, 0.89, 0.76), rough=0.5, bump=(26, 0.05), sss=0.5)
put(lathe([(0.38, 0), (0.30, 0.09), (0.15, 0.15), (0, 0.17)], rice_top), (1.66, 1.36, 0.28))
rice(lambda: disc(0.36, 1.66, 1.36), 900)
put(cup(0.30, 0.36, ceramic(), False), (-1.66, 1.38, 0))
put(liquid(0.255, mat((0.40, 0.22, 0.04), rough=0.03, coat=0.4)), (-1.66, 1.38, 0.28))
put(chopsticks(wood((0.05, 0.018, 0.01), (0.12, 0.04, 0.02), 0.3), 2.3, 3), (-1.2, -1.42, 0.06), (0, 0, 4))
for x in (-0.5, 0.6):
    steam(x, 0.5, 0.5, 1.8, 1.7, 0.32)
window_light(1900)
camera((0.05, -0.02, 0.15), 6.2, 47, -91, 68, 0.28, (0.0, -0.2, 0.32))
render("fish-" + v)
