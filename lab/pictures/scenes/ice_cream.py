"""Three scoops of ice cream with berries, sauce and a wafer roll in a stemmed glass."""

import math

import numpy as np

from lab.pictures.drinks import (
    blueberry,
    bounce,
    clear,
    coupe,
    drizzle,
    filled,
    mats_fruit,
    metal,
    mint,
    plant,
    raspberry,
    room,
    scoop,
    strawberry,
    wafer,
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
    tube,
    window_light,
    wood,
)

name, V = choose_values(
    berry=dict(
        a=(0.94, 0.80, 0.52),
        b=(0.86, 0.27, 0.31),
        c=(0.88, 0.74, 0.74),
        sauce=(0.30, 0.008, 0.02),
        top=marble,
        kw={},
        cloth=(0.62, 0.34, 0.32),
        elev=20,
        az=-92,
        seed=4,
    ),
    cocoa=dict(
        a=(0.92, 0.83, 0.64),
        b=(0.19, 0.08, 0.04),
        c=(0.56, 0.33, 0.16),
        sauce=(0.060, 0.018, 0.008),
        top=wood,
        kw=dict(dark=(0.12, 0.06, 0.03), pale=(0.28, 0.15, 0.08), fine=0.5),
        cloth=(0.50, 0.44, 0.36),
        elev=23,
        az=-84,
        seed=16,
    ),
    green=dict(
        a=(0.36, 0.46, 0.16),
        b=(0.92, 0.84, 0.66),
        c=(0.72, 0.66, 0.40),
        sauce=(0.045, 0.016, 0.008),
        top=wood,
        kw=dict(dark=(0.20, 0.11, 0.06), pale=(0.42, 0.27, 0.15), fine=0.5),
        cloth=(0.26, 0.30, 0.24),
        elev=18,
        az=-99,
        seed=29,
    ),
)
begin(V.seed)
table(V.top(**V.kw), planks=V.top is wood)
F = mats_fruit()
ices = [
    mat(
        c,
        tuple(0.86 * k for k in c),
        (9, 0.4, 0.7),
        0.42,
        (42, 0.012),
        sss=0.5,
        radius=(0.08, 0.06, 0.05),
        coat=0.15,
    )
    for c in (V.a, V.b, V.c)
]
sauce = mat(V.sauce, rough=0.10, coat=0.8, sss=0.05)
roll = mat((0.66, 0.36, 0.12), (0.48, 0.21, 0.06), (2, 0.42, 0.6), 0.6, (30, 0.006), (2, 2, 14))
glass, inner = coupe(clear(), 0.62, 0.42)
lip = max(z for _, z in inner)
cup_ = [glass, filled(inner, ices[0], lip - 0.16)]
z0 = lip - 0.20
for x, y, z, m in ((-0.22, -0.12, z0, 0), (0.23, -0.10, z0, 1), (0.0, 0.24, z0 + 0.02, 2)):
    cup_.append(
        put(scoop(ices[m], 0.275), (x, y, z), (R.uniform(-8, 8), R.uniform(-8, 8), R.uniform(0, 360)))
    )
cup_.append(
    put(
        scoop(ices[0], 0.265), (0.0, 0.04, z0 + 0.30), (R.uniform(-6, 6), R.uniform(-6, 6), R.uniform(0, 360))
    )
)
cup_.append(drizzle(sauce, 0.265, 0))
cup_[-1].location = (0.0, 0.04, z0 + 0.30 + 0.265 * 0.69)
cup_ += [
    put(strawberry(F["straw"], 0.115, 0.24), (0.25, -0.21, z0 + 0.40), (24, 14, 40)),
    put(raspberry(F["rasp"], 0.09, 0.16), (0.0, -0.33, z0 + 0.20), (40, 0, 0)),
    put(blueberry(F["blue"], 0.072), (0.13, -0.40, z0 + 0.19), (30, 10, 0)),
    put(raspberry(F["rasp"], 0.085, 0.15), (-0.24, -0.16, z0 + 0.43), (14, -20, 0)),
    *mint(F["mint"], 0.19, 4, (0.0, 0.04, z0 + 0.74)),
]
for a, _b in ((16, 10), (24, 15)):
    cup_.append(put(wafer(roll, 1.05), (0.24 + 0.01 * a - 0.12, 0.26, z0 + 0.1), (-12, a, 0)))
put(cup_, (-0.10, 0.0, 0))
for x, y, k in (
    (0.78, -0.62, 0),
    (1.02, -0.44, 1),
    (-1.06, 0.10, 2),
    (0.62, -0.84, 2),
    (-1.22, -0.12, 1),
):
    o = (
        lambda: strawberry(F["straw"], 0.15, 0.31),
        lambda: raspberry(F["rasp"], 0.10, 0.18),
        lambda: blueberry(F["blue"], 0.082),
    )[k]
    put(o(), (x, y, (0.14, 0.085, 0.07)[k]), ((94, 88, 30)[k], 0, R.uniform(0, 360)))
ladle = lathe(
    [(0, -0.04), (0.10, -0.028), (0.15, 0.012), (0.155, 0.014), (0.10, -0.02), (0, -0.032)], metal()
)
ladle.scale = (1.3, 0.85, 1)
put(
    [
        tube(
            [(x, 0, 0.05 * math.sin(2.6 * x)) for x in np.linspace(0.12, 1.2, 20)],
            0.024,
            metal(),
            np.linspace(0.9, 1.5, 20),
        ),
        ladle,
    ],
    (-0.96, -0.66, 0.05),
    (0, -2, 3),
)
put(cloth(2.2, 1.6, cloth_mat(V.cloth), 0.10, 3), (1.25, 0.9, 0), (0, 0, -26))
plant(-1.9, 3.3, 0, 50, 1.3)
room(6, ((0.30, 0.24, 0.18), (0.48, 0.38, 0.30)), 16, 1.2, (0.6, 3.2), width=3.4, bright=0.25)
window_light(1800)
bounce(380)
camera((-0.02, 0.02, 0.68), 5.9, V.elev, V.az, 78, 0.27, (-0.1, -0.35, 0.8))
render("ice-cream-" + name)
