"""Two glasses of fresh juice with halves, slices and whole citrus fruit, mint and a paper straw."""

import numpy as np

from lab.pictures.drinks import (
    bounce,
    citrus,
    clear,
    filled,
    ice,
    mats_fruit,
    mint,
    orange,
    plant,
    room,
    straw,
    tumbler,
)
from lab.pictures.studio import (
    R,
    begin,
    camera,
    choose_values,
    cloth,
    cloth_mat,
    lathe,
    marble,
    mat,
    put,
    render,
    table,
    window_light,
    wood,
)

kinds = dict(
    orange=dict(
        flesh=((0.93, 0.36, 0.015), (0.98, 0.56, 0.07)),
        skin=(0.93, 0.33, 0.01),
        juice=((0.95, 0.42, 0.012), (0.90, 0.32, 0.008)),
    ),
    grapefruit=dict(
        flesh=((0.78, 0.07, 0.05), (0.92, 0.26, 0.18)),
        skin=(0.93, 0.46, 0.16),
        juice=((0.88, 0.17, 0.09), (0.80, 0.11, 0.06)),
    ),
    lemon=dict(
        flesh=((0.92, 0.70, 0.10), (0.96, 0.84, 0.34)),
        skin=(0.93, 0.68, 0.03),
        juice=((0.93, 0.76, 0.30), (0.90, 0.68, 0.20)),
    ),
)
name, V = choose_values(
    orange=dict(
        k="orange",
        top=wood,
        kw=dict(dark=(0.20, 0.11, 0.06), pale=(0.42, 0.27, 0.15), fine=0.5),
        cloth=(0.62, 0.60, 0.54),
        elev=20,
        az=-93,
        seed=6,
    ),
    grapefruit=dict(k="grapefruit", top=marble, kw={}, cloth=(0.34, 0.42, 0.40), elev=23, az=-84, seed=13),
    lemon=dict(
        k="lemon",
        top=wood,
        kw=dict(dark=(0.07, 0.035, 0.02), pale=(0.18, 0.09, 0.045), fine=0.5),
        cloth=(0.20, 0.28, 0.36),
        elev=18,
        az=-98,
        seed=27,
    ),
)
begin(V.seed)
table(V.top(**V.kw), planks=V.top is wood)
K = type("K", (), kinds[V.k])
F = mats_fruit()
G, cube = clear(), clear((0.98, 0.99, 1), 0.03, 1.31)
juice = mat(*K.juice, (5, 0.35, 0.7), 0.22, (24, 0.003), sss=0.5, radius=(0.14, 0.06, 0.02), coat=0.2)
froth = mat(
    tuple(0.6 * a + 0.38 for a in K.juice[0]),
    tuple(0.8 * a + 0.15 for a in K.juice[0]),
    (22, 0.4, 0.65),
    0.5,
    (60, 0.006),
    sss=0.4,
)
skin = mat(
    K.skin,
    tuple(0.88 * c for c in K.skin),
    (4, 0.4, 0.7),
    0.34,
    (46, 0.012),
    sss=0.2,
    radius=(0.06, 0.03, 0.01),
    coat=0.15,
)
paper = [mat((0.90, 0.86, 0.78), rough=0.6), mat((0.80, 0.20, 0.12), rough=0.6)]


def lemon(r):
    """Lying along y: longer than it is wide, a nipple at one end, the mark of its stalk at the other."""
    along = (-1.24, -1.20, -1.12, -0.95, -0.6, -0.2, 0.2, 0.6, 0.92, 1.10, 1.24, 1.36, 1.42, 1.44)
    across = (0, 0.12, 0.28, 0.56, 0.86, 0.99, 0.99, 0.85, 0.57, 0.32, 0.20, 0.14, 0.07, 0)
    return put(
        lathe([(r * a, r * z) for a, z in zip(across, along, strict=True)], skin, 96, 1, 0.03), rot=(90, 0, 0)
    )


def wedge_(r=0.3, t=0.055):
    return citrus(r, t, K.flesh, K.skin)


for _i, (x, y) in enumerate(((-0.42, -0.08), (0.42, 0.72))):
    o, inn = tumbler(G, 0.37, 1.22, 0.08, 0.88)
    lv = 1.02
    parts = [
        o,
        filled(inn, juice, lv, 0.002),
        put(
            lathe([(0.325 * q, 0.018 * (1 - q**6)) for q in np.linspace(0, 1, 14)], froth, 64),
            (0, 0, lv - 0.005),
        ),
    ]
    parts += [
        put(ice(cube, 0.24), (-0.10, 0.12, lv - 0.12), (18, 12, 30)),
        put(ice(cube, 0.22), (0.08, -0.14, lv - 0.13), (-20, 14, 70)),
    ]
    st = straw(paper[0], 0.045, 1.65)
    parts.append(put(st, (-0.06, 0.06, 0.12), (5, -9, 0)))
    rim = wedge_(0.29, 0.05)
    parts.append(put(rim, (0.34, -0.06, 1.24), (80, 0, 38)))
    parts += mint(F["mint"], 0.22, 4, (-0.13, -0.02, lv + 0.03))
    put(parts, (x, y, 0), (0, 0, R.uniform(-12, 12)))
half = citrus(0.40, 0.07, K.flesh, K.skin, half=True)
put(half, (0.52, -0.42, 0.13), (58, 0, 22))
put(citrus(0.39, 0.07, K.flesh, K.skin, half=True), (1.14, -0.10, 0.02), (12, -10, 40))
for x, y, z, a, t in ((-1.10, -0.72, 0.0, 0, 0), (-0.82, -0.82, 0.055, 8, 6), (0.02, -0.98, 0, 0, 0)):
    put(wedge_(0.31, 0.05), (x, y, z), (a, t, R.uniform(0, 360)))
for x, y, r in ((-1.32, 0.80, 0.40), (1.30, 0.95, 0.38), (-0.72, 1.55, 0.37)):
    turn = (R.uniform(-30, 10), R.uniform(-25, 25), R.uniform(0, 360))
    if V.k == "lemon":
        put([lemon(0.92 * r)], (x, y, r * 0.90), (R.uniform(-4, 4), 0, 60 + turn[2] / 6))
    else:
        put(orange(skin, r), (x, y, r * 0.93), turn)
put(mint(F["mint"], 0.30, 4), (-1.2, -0.30, 0.0), (0, 0, 0))
put(mint(F["mint"], 0.24, 3), (1.05, -0.75, 0.0), (0, 0, 90))
put(cloth(2.6, 1.8, cloth_mat(V.cloth), 0.11, 3), (-1.3, 0.9, 0), (0, 0, 22))
plant(2.0, 3.4, 0, 50, 1.4)
room(6, ((0.30, 0.24, 0.17), (0.50, 0.42, 0.32)), 16, 1.2, (0.6, 3.2), width=3.4, bright=0.3)
window_light(1900)
bounce(330)
camera((0.04, 0.02, 0.60), 6.9, V.elev, V.az, 78, 0.27, (-0.3, -0.5, 0.6))
render("fresh-juice-" + name)
