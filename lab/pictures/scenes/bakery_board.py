"""A sourdough loaf with a few slices, glazed buns and a pat of butter on a bakery board."""

import math

import numpy as np

from lab.pictures.drinks import block, bounce, bun, mixc, painted, room, seed_grain, sourdough
from lab.pictures.studio import (
    PI2,
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
    sheet,
    table,
    tube,
    window_light,
    wood,
)

name, V = choose_values(
    oak=dict(
        dark=(0.07, 0.032, 0.016),
        pale=(0.19, 0.095, 0.045),
        board=((0.30, 0.16, 0.07), (0.46, 0.27, 0.13)),
        cloth=(0.60, 0.56, 0.48),
        elev=27,
        az=-94,
        seed=2,
        buns=5,
    ),
    slate=dict(
        dark=(0.24, 0.15, 0.09),
        pale=(0.46, 0.31, 0.19),
        board=((0.09, 0.05, 0.03), (0.20, 0.11, 0.06)),
        cloth=(0.20, 0.26, 0.32),
        elev=22,
        az=-82,
        seed=15,
        buns=7,
    ),
)
begin(V.seed)
table(wood(V.dark, V.pale, fine=0.5))
put(block(3.5, 1.9, 0.13, wood(*V.board, 0.5, 0.7), 0.05), (-0.05, 0.15, 0), (0, 0, -6))
put(sourdough(), (-0.42, 0.42, 0.13), (0, 0, 14))


def bread_slice(w=0.62, h=0.56, thick=0.11):
    """Cut slice: fine, uneven crumb within a thin brown crust; stands in the x-z plane."""
    q, th = np.meshgrid(np.linspace(0, 1, 150), np.linspace(0, PI2, 360, endpoint=False), indexing="ij")
    e = 1 + 0.05 * np.cos(2 * th) - 0.06 * np.sin(3 * th + 0.3) + 0.02 * np.sin(5 * th)
    x, z = w * q * e * np.cos(th), h * q * e * np.sin(th)
    z = np.where(z < -0.62 * h, -0.62 * h + 0.15 * (z + 0.62 * h), z)
    pores = np.maximum(ripple(x * 30, z * 38, 2.2, 9) * 2.2 - 0.35, ripple(x * 66, z * 80, 2.2, 9) * 2 - 0.3)
    hole = np.clip(pores, 0, 1) * np.clip((0.92 - q) * 12, 0, 1)
    crumb_ = mixc(
        mixc((0.90, 0.78, 0.55), (0.80, 0.63, 0.38), 0.5 + ripple(x * 4, z * 4, 2)), (0.56, 0.37, 0.18), hole
    )
    c = mixc(crumb_, (0.24, 0.085, 0.025), np.clip((q - 0.94) * 22, 0, 1))
    front, back = (
        np.stack([x, -thick / 2 + 0.022 * hole, z], -1),
        np.stack([x, thick / 2 + 0 * x, z], -1)[::-1],
    )
    P = np.concatenate([front, back])
    P[..., 2] -= P[..., 2].min()
    bread = painted(0.85, (60, 0.012), 0.2, 0, radius=(0.05, 0.03, 0.02))
    return sheet(P, bread, True, cols=np.clip(np.concatenate([c, c[::-1]]), 0, 1))


put(bread_slice(), (-0.92, -0.46, 0.17), (-66, 0, -16))
put(bread_slice(0.60, 0.54), (-0.55, -0.62, 0.24), (-74, 4, 24))
sesame = seed_grain(mat((0.88, 0.74, 0.50), (0.80, 0.62, 0.36), (9, 0.4, 0.6), 0.5, sss=0.2))
spots = [(0.78, 0.02), (1.22, 0.48), (0.62, 0.72), (1.15, -0.36), (1.75, 0.05), (0.98, 1.15), (1.6, 0.95)][
    : V.buns
]
for i, (x, y) in enumerate(spots):
    z = 0.13 if i < 4 or i == 5 else 0.0
    put(
        bun(R.uniform(0.33, 0.37), R.uniform(0.27, 0.31), sesame if i % 2 == 0 else None),
        (x, y, z),
        (0, 0, R.uniform(0, 360)),
        1,
    )
dish = ceramic((0.80, 0.76, 0.68), (0.55, 0.47, 0.38))
put(plate(0.42, dish, 0.08), (0.28, -1.05, 0))
put(
    block(
        0.34,
        0.24,
        0.15,
        mat((0.93, 0.78, 0.36), (0.90, 0.72, 0.28), (4, 0.4, 0.6), 0.35, (6, 0.006), sss=0.4, coat=0.2),
        0.02,
        0.01,
    ),
    (0.28, -1.05, 0.05),
    (0, 0, 22),
)
flour = mat((0.86, 0.80, 0.70), rough=0.9)
crumb = mat((0.60, 0.32, 0.10), (0.82, 0.60, 0.32), (20, 0.4, 0.6), 0.7)
for m, n, c, s, top in (
    (flour, 90, (-0.3, -0.1), (0.8, 0.5), 0.004),
    (crumb, 60, (-0.5, -0.75), (0.5, 0.22), 0.013),
):
    for _ in range(n):
        q = abs(R.gauss(top, top * 0.7)) + 0.002
        x, y = R.gauss(c[0], s[0]), R.gauss(c[1], s[1])
        put(
            lathe([(0, 0), (q, 0.3 * q), (0.6 * q, q), (0, q)], m, 7, 0, 0.3),
            (x, y, 0.132 if -0.72 < y + 0.1 * x < 1 and abs(x) < 1.6 else 0.002),
            (R.uniform(0, 40), R.uniform(0, 40), 0),
        )
gold = mat((0.62, 0.40, 0.12), (0.46, 0.27, 0.07), (6, 0.4, 0.6), 0.6)
for _ in range(7):  # wheat ears
    a, x, y = R.uniform(-14, 14), R.uniform(-1.75, -1.5), R.uniform(-0.3, 0.9)
    ear = [tube([(0, t, 0.03 * math.sin(2 * t)) for t in np.linspace(-1.2, 0.0, 12)], 0.010, gold)]
    for k in range(9):
        for s in (-1, 1):
            ear.append(put(seed_grain(gold, 0.055), (s * 0.025, 0.035 + 0.05 * k, 0.01), (0, 0, -s * 24)))
    put(ear, (x, y, 0.16), (0, 0, a + 8))
put(cloth(2.6, 1.6, cloth_mat(V.cloth), 0.13, 3), (1.2, 1.75, 0), (0, 0, -18))
room(6, z=(0.5, 4), lamps=8, bright=0.12)
window_light(2300)
bounce(260)
camera((-0.06, 0.02, 0.36), 7.2, V.elev, V.az, 78, 0.27, (-0.2, -0.25, 0.4))
render("bakery-board-" + name)
