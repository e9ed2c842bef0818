"""Two cups of bubble tea on a café table, lamps behind."""

import math

import numpy as np

from lab.pictures.drinks import ball, boba, bounce, clear, clone, film, mixc, plant, room
from lab.pictures.studio import (
    R,
    begin,
    camera,
    ceramic,
    choose_values,
    cloth,
    cloth_mat,
    lathe,
    mat,
    plate,
    put,
    render,
    ripple,
    table,
    window_light,
    wood,
)

name, V = choose_values(
    brown=dict(a="sugar", b="matcha", top=0.5, elev=10, seed=3),
    taro=dict(a="taro", b="sugar", top=0.8, elev=14, seed=8),
    berry=dict(a="berry", b="taro", top=1.4, elev=11, seed=21),
)
begin(V.seed)
milk, syrup = (0.97, 0.77, 0.50), (0.13, 0.038, 0.008)


def sugar(th, f):
    s = 1.3 * ripple(np.cos(th) + 0.12 * np.sin(3 * f), np.sin(th) + 0.25 * f, 5, 9) + 0.5 * ripple(
        np.cos(th), np.sin(th) + 0.2 * f, 15, 7
    )
    body = mixc((0.62, 0.36, 0.16), milk, f * 2.4 - 0.1)
    return mixc(body, syrup, np.clip((s + 0.40 - 0.75 * f) * 2.6, 0, 0.88) * (f < 0.999))


def layered(low, high, at=0.5, soft=3.2):
    def paint(th, f):
        k = (f - at) * soft + 0.5 + 0.35 * ripple(1.3 * np.cos(th), 1.3 * np.sin(th) + 2.4 * f, 2.4, 8)
        return mixc(low, high, k)

    return paint


flavours = dict(
    sugar=sugar,
    matcha=layered((0.83, 0.77, 0.62), (0.22, 0.34, 0.07), 0.62),
    taro=layered((0.36, 0.22, 0.42), (0.80, 0.66, 0.80), 0.6),
    berry=layered((0.66, 0.06, 0.07), (0.95, 0.58, 0.52), 0.46),
)
pearl = mat((0.012, 0.006, 0.004), (0.035, 0.012, 0.005), (4, 0.4, 0.7), 0.10, coat=0.9, sss=0.05)
cube = clear((0.97, 0.98, 1), 0.04, 1.31)
table(wood((0.17, 0.085, 0.04), (0.42, 0.24, 0.12), 0.5))
coaster = wood((0.055, 0.03, 0.018), (0.13, 0.07, 0.04), 0.4)
for (x, y, _s), f, c in (
    ((-0.47, -0.12, 1), V.a, (0.035, 0.03, 0.028)),
    ((0.62, 0.62, 1), V.b, (0.75, 0.70, 0.62)),
):
    put(lathe([(0, 0.06), (0.60, 0.06), (0.62, 0.05), (0.62, 0.01), (0.6, 0), (0, 0)], coaster), (x, y, 0))
    put(
        boba(flavours[f], pearl, film(haze=0.015), mat(c, rough=0.3, coat=0.4), icem=cube),
        (x, y, 0.06),
        (0, 0, R.uniform(-25, 30)),
    )
dish = plate(0.34, ceramic((0.16, 0.20, 0.20), (0.30, 0.30, 0.26)), 0.13)
put(dish, (0.34, -0.78, 0))
p = ball(0.062, pearl)
for i in range(17):
    a, q = i * 2.4, 0.055 * math.sqrt(i)
    clone(
        p,
        (0.34 + q * math.cos(a), -0.78 + q * math.sin(a), 0.10 + 0.06 * (i < 5)),
        (R.uniform(0, 90), 0, 0),
        R.uniform(0.9, 1.05),
    )
put(p, (0.95, -0.62, 0.055))
put(cloth(1.9, 1.5, cloth_mat((0.34, 0.36, 0.30)), 0.09, 3), (-1.55, 0.5, 0), (0, 0, 24))
plant(-1.9, 3.4, 0, 60, 1.5)
room(6, z=(0.7, 2.7), lamps=30, width=3.4, bright=0.16, power=1.6)
window_light(1300)
bounce(520)
camera((0.04, 0.1, 0.93), 6.7, V.elev, -90, 78, 0.30, (-0.47, -0.5, 0.8))
render("bubble-tea-" + name)
