"""Burger with draped cheese and chips on a board."""

import math

import numpy as np

from lab.pictures.dishes import burger, fry, metal, slab
from lab.pictures.studio import (
    PI2,
    R,
    begin,
    bowl,
    camera,
    ceramic,
    choose_look,
    cloth,
    cloth_mat,
    cup,
    lathe,
    liquid,
    mat,
    put,
    render,
    ripple,
    sheet,
    table,
    window_light,
    wood,
)

v = choose_look("single", "double", "dark")
begin({"single": 20, "double": 31, "dark": 42}[v])
table(
    wood((0.16, 0.075, 0.03), (0.42, 0.23, 0.11), 0.5)
    if v != "dark"
    else mat((0.05, 0.05, 0.052), (0.085, 0.08, 0.078), (2, 0.3, 0.7), 0.5, (6, 0.008)),
    planks=v != "dark",
)
board = (
    wood((0.26, 0.13, 0.055), (0.50, 0.30, 0.16), 0.5)
    if v != "double"
    else mat((0.030, 0.032, 0.036), (0.065, 0.068, 0.072), (2.5, 0.3, 0.7), 0.55, (5, 0.02))
)
H = 0.09
put(slab(3.0, 1.9, H, board), (0.1, 0, 0), (0, 0, -9))
paper = mat((0.72, 0.58, 0.40), rough=0.9, bump=(18, 0.01))
x, y = np.meshgrid(np.linspace(-0.86, 0.86, 60), np.linspace(-0.74, 0.74, 50))
put(
    sheet(
        np.stack(
            [x, y, 0.012 + 0.03 * np.maximum(ripple(x, y, 3), 0) + 0.10 * np.clip(np.abs(x) - 0.70, 0, 1)], -1
        ),
        paper,
        thick=0.006,
    ),
    (-0.46, -0.02, H),
    (0, 0, 3),
)
put(burger(0.62, v == "double"), (-0.42, -0.10, H + 0.035), (0, 0, R.uniform(0, 90)))
chip = mat(
    (0.90, 0.58, 0.17),
    (0.72, 0.34, 0.06),
    (3, 0.45, 0.75),
    0.45,
    (14, 0.010),
    sss=0.25,
    radius=(0.06, 0.04, 0.01),
    coat=0.15,
)
put(cup(0.36, 0.62, metal((0.70, 0.68, 0.65), 0.28), False), (0.92, 0.36, H))
for _i in range(30):
    a, q = R.uniform(0, PI2), 0.26 * math.sqrt(R.random())
    put(
        fry(chip, R.uniform(0.6, 0.8)),
        (0.92 + q * math.cos(a), 0.36 + q * math.sin(a), H + 0.52 + R.uniform(0, 0.14)),
        (0, -90 + R.uniform(-16, 16), math.degrees(a) + R.uniform(-60, 60)),
    )
for x, y, z, a in (
    (0.62, -0.52, 0.05, 15),
    (0.95, -0.42, 0.05, -35),
    (0.85, -0.62, 0.13, 60),
    (1.15, -0.55, 0.05, 80),
):
    put(fry(chip, R.uniform(0.55, 0.7)), (x, y, H + z), (R.uniform(0, 90), 0, a))
put(bowl(0.26, 0.20, ceramic()), (1.34, -0.10, H))
put(
    liquid(0.22, mat((0.50, 0.028, 0.008), (0.40, 0.02, 0.006), (3, 0.4, 0.7), 0.12, (5, 0.06), coat=0.5)),
    (1.34, -0.10, H + 0.15),
)
glass = mat((1, 1, 1), rough=0.02, glass=1, ior=1.2)
put(
    lathe([(0, 0), (0.30, 0), (0.34, 0.95), (0.32, 0.95), (0.28, 0.06), (0, 0.06)], glass, wobble=0),
    (-1.75, 1.55, 0),
)
put(
    lathe(
        [(0, 0.07), (0.275, 0.07), (0.312, 0.80), (0, 0.80)],
        mat((0.22, 0.06, 0.02), rough=0.05, glass=0.6),
        wobble=0,
    ),
    (-1.75, 1.55, 0),
)
put(cloth(1.9, 2.0, cloth_mat((0.14, 0.20, 0.17)), 0.09, 3), (1.9, 1.7, 0), (0, 0, 24))
window_light(2000)
camera((0.12, -0.02, 0.45), 6.4, 22, -88, 74, 0.27, (-0.42, -0.7, 0.5))
render("burger-" + v)
