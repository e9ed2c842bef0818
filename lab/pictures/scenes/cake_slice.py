"""A slice of layered cake with cream and berries on a plate, fork and tea beside it."""

import math

import numpy as np

from lab.pictures.drinks import (
    ball,
    blueberry,
    bounce,
    dollop,
    fork,
    mats_fruit,
    metal,
    mint,
    plant,
    raspberry,
    room,
    strawberry,
    wedge,
)
from lab.pictures.studio import (
    R,
    begin,
    camera,
    ceramic,
    choose_values,
    cloth,
    cloth_mat,
    cup,
    lathe,
    liquid,
    marble,
    mat,
    plate,
    put,
    render,
    sheet,
    table,
    window_light,
    wood,
)

name, V = choose_values(
    strawberry=dict(
        sponge=((0.86, 0.60, 0.26), (0.74, 0.44, 0.15)),
        cream=(0.94, 0.88, 0.78),
        filling="straw",
        top=marble,
        kw={},
        plate=(0.30, 0.36, 0.38),
        elev=24,
        turn=36,
        seed=5,
    ),
    chocolate=dict(
        sponge=((0.10, 0.038, 0.018), (0.055, 0.02, 0.01)),
        cream=(0.22, 0.085, 0.04),
        filling="rasp",
        top=wood,
        kw=dict(dark=(0.16, 0.08, 0.04), pale=(0.36, 0.21, 0.11), fine=0.5),
        plate=(0.84, 0.80, 0.74),
        elev=27,
        turn=52,
        seed=9,
    ),
    matcha=dict(
        sponge=((0.34, 0.42, 0.10), (0.24, 0.32, 0.06)),
        cream=(0.93, 0.89, 0.78),
        filling="straw",
        top=wood,
        kw=dict(dark=(0.07, 0.035, 0.02), pale=(0.18, 0.09, 0.045), fine=0.5),
        plate=(0.13, 0.13, 0.13),
        elev=22,
        turn=28,
        seed=14,
    ),
)
begin(V.seed)
table(V.top(**V.kw), planks=V.top is wood)
F = mats_fruit()
sponge = mat(*V.sponge, (26, 0.40, 0.62), 0.9, (26, 0.07), sss=0.15, radius=(0.05, 0.03, 0.015))
cream = mat(
    V.cream,
    tuple(0.93 * c for c in V.cream),
    (3, 0.4, 0.7),
    0.38,
    (14, 0.004),
    sss=0.4,
    radius=(0.08, 0.06, 0.04),
    coat=0.1,
)
fruit = mat((0.48, 0.012, 0.015), (0.78, 0.20, 0.12), (9, 0.4, 0.7), 0.25, (14, 0.01), sss=0.3, coat=0.4)
P, Z = (-0.22, -0.10), 0.055
put(plate(1.12, ceramic(V.plate, tuple(0.6 * c for c in V.plate)), 0.10), (P[0], P[1], 0))
parts, z, r, deg = [], 0, 1.28, 38
for i in range(4):
    parts.append(wedge(r, deg, z, z + 0.17, sponge, 0.024, 14))
    z += 0.17
    if i < 3:
        parts.append(wedge(r, deg, z - 0.004, z + 0.065, cream, 0.016, 6, 0.010))
        z += 0.058
        if i == 1 or V.filling == "rasp":
            for s in (-1, 1):
                for q in np.arange(0.22, 1.2, 0.16):
                    a = math.radians(deg / 2 - 1.5) * s
                    parts.append(
                        put(
                            ball(R.uniform(0.055, 0.085), fruit, R.uniform(0.42, 0.6)),
                            ((q + R.uniform(-0.05, 0.05)) * math.cos(a), q * math.sin(a), z - 0.028),
                            (R.uniform(-20, 20), 0, 0),
                        )
                    )
parts.append(wedge(r, deg, z - 0.004, z + 0.085, cream, 0.008, 5, 0.012))
a = np.radians(np.linspace(-deg / 2, deg / 2, 40))
a = [(a[0], 0)] + [(x, 1) for x in a] + [(a[-1], 0)]  # closed ends
rim = np.array(
    [
        [((r + t * k) * math.cos(x), (r + t * k) * math.sin(x), zz) for x, k in a]
        for t, zz in (
            (0, 0),
            (0.07, 0),
            (0.075, 0.1),
            (0.07, 0.5),
            (0.075, z),
            (0.05, z + 0.07),
            (-0.02, z + 0.09),
        )
    ]
)
parts.append(sheet(rim, cream))
z += 0.08
pick = (
    (lambda: strawberry(F["straw"], 0.135, 0.28))
    if V.filling == "straw"
    else (lambda: raspberry(F["rasp"], 0.10, 0.18))
)
parts += [
    put(dollop(cream, 0.19, 0.20), (1.02, 0.0, z - 0.01)),
    put(pick(), (1.02, 0.0, z + 0.10), (8, -10, 30)),
    put(pick(), (0.64, 0.06, z + 0.08), (6, 80, 200)),
    put(blueberry(F["blue"], 0.075), (0.80, -0.17, z + 0.05), (20, -30, 0)),
    put(blueberry(F["blue"], 0.068), (0.50, -0.08, z + 0.045), (-30, 10, 0)),
    *mint(F["mint"], 0.20, 3, (0.86, -0.10, z + 0.06)),
]
g = math.radians(V.turn)
put(parts, (P[0] - 0.66 * math.cos(g), P[1] - 0.66 * math.sin(g), Z), (0, 0, V.turn))
crumbs = mat(*V.sponge, (20, 0.4, 0.6), 0.8)
for _ in range(26):
    q = abs(R.gauss(0.012, 0.008)) + 0.004
    put(
        lathe([(0, 0), (q, 0.3 * q), (0.6 * q, q), (0, q)], crumbs, 7, 0, 0.3),
        (P[0] + R.gauss(-0.1, 0.3), P[1] + R.gauss(-0.55, 0.10), Z),
        (R.uniform(0, 90), R.uniform(0, 90), 0),
    )
put(fork(metal((0.80, 0.72, 0.58), 0.2), 1.5), (P[0] + 0.30, P[1] - 0.80, 0.12), (0, -3, 24))
put(
    [
        put(strawberry(F["straw"], 0.13, 0.27), (0, 0, 0.12), (0, 96, 20)),
        put(strawberry(F["straw"], 0.12, 0.25), (0.30, 0.12, 0.115), (0, 92, 150)),
    ],
    (P[0] - 0.70, P[1] + 0.25, Z - 0.01),
)
white = ceramic((0.86, 0.84, 0.80), (0.80, 0.77, 0.72))
put(plate(0.66, white, 0.09), (1.25, 1.35, 0))
put(cup(0.46, 0.46, white), (1.25, 1.35, 0.03), (0, 0, 30))
put(liquid(0.425, mat((0.34, 0.11, 0.015), rough=0.03, coat=0.5)), (1.25, 1.35, 0.40))
put(cloth(2.3, 1.7, cloth_mat((0.58, 0.50, 0.42)), 0.10, 3), (-1.6, 1.0, 0), (0, 0, 30))
plant(-1.7, 3.2, 0, 50, 1.3)
room(6, z=(0.6, 4), lamps=12, bright=0.2)
window_light(1700)
bounce(240)
camera((0.05, 0.0, 0.42), 6.1, V.elev, -92, 78, 0.27, (P[0], P[1] - 0.40, 0.5))
render("cake-slice-" + name)
