"""A detective's desk by candlelight: an old padlock, keys, a pocket watch and books."""

import math

import numpy as np

from lab.pictures.places import bokeh, candle, flame_light, metal, sky
from lab.pictures.studio import (
    PI2,
    begin,
    box,
    camera,
    choose_look,
    lathe,
    light,
    mat,
    put,
    render,
    table,
    tube,
    wood,
)

LOOK = choose_look("brass", "iron")
begin(121)
table(wood((0.045, 0.022, 0.012), (0.13, 0.06, 0.03), 0.35))
brass, iron = metal((0.72, 0.50, 0.20), 0.3), metal((0.22, 0.21, 0.20), 0.45)
main, other = (brass, iron) if LOOK == "brass" else (iron, brass)
leather = [
    mat(c, tuple(0.7 * x for x in c), (7, 0.35, 0.7), 0.55, (45, 0.008), coat=0.1)
    for c in ((0.24, 0.05, 0.03), (0.05, 0.10, 0.07), (0.12, 0.07, 0.03))
]
paper = mat((0.78, 0.68, 0.48), (0.62, 0.50, 0.32), (60, 0.4, 0.6), 0.9, None, (1, 1, 30))
for i, (w, d, h, turn) in enumerate(((2.5, 1.8, 0.42, 8), (2.3, 1.65, 0.36, -6), (1.9, 1.45, 0.32, 14))):
    z = (0, 0.42, 0.78)[i]
    for cover in (0.03, h - 0.03):
        box((w, d, 0.05), leather[i], (-1.5, 1.5, z + cover), 0.01, (0, 0, turn))
    box((w - 0.08, d - 0.10, h - 0.08), paper, (-1.49, 1.48, z + h / 2), 0.01, (0, 0, turn))
body = [
    box((0.95, 0.34, 0.80), main, (0, 0, 0.40), 0.09),
    put(lathe([(0, 0), (0.13, 0), (0.13, 0.03), (0, 0.03)], other, 32, 0, 0), (0, -0.17, 0.46), (90, 0, 0)),
    box((0.06, 0.06, 0.24), mat((0.01, 0.01, 0.01)), (0, -0.185, 0.34), 0.01),
]
shackle = [
    (0.30 * math.cos(a), 0, 0.80 + (0.34 if 0 < a < math.pi else 0) + 0.30 * math.sin(a))
    for a in np.linspace(0, math.pi, 30)
]
body.append(tube([(0.30, 0, 0.70), *shackle, (-0.30, 0, 0.98)], 0.075, other, res=8))
put(body, (0.35, 0.05, 0), (0, 0, 18))


def key(m, l=1.1):
    bow = tube([(0.2 * math.cos(a), 0.2 * math.sin(a), 0) for a in np.linspace(0, PI2, 40)], 0.036, m, res=8)
    stem = tube([(t, 0, 0) for t in np.linspace(0.2, l, 12)], 0.042, m, res=8)
    teeth = [
        box((0.07, 0.20 + 0.06 * (i % 2), 0.05), m, (l - 0.08 - 0.12 * i, -0.11, 0), 0.008) for i in range(3)
    ]
    return [bow, stem, *teeth, tube([(0.26, 0, 0), (0.32, 0, 0)], 0.07, m, res=8)]


put(key(other), (1.05, -0.85, 0.06), (0, 0, 28))
put(key(brass, 0.85), (-0.35, -1.05, 0.06), (0, 0, -34))
put(key(iron, 0.95), (1.75, -0.15, 0.06), (0, 0, -70))
case = lathe(
    [(0, 0), (0.42, 0.0), (0.46, 0.05), (0.46, 0.10), (0.42, 0.13), (0.38, 0.13), (0.37, 0.10), (0, 0.10)],
    brass,
    80,
    1,
    0,
)
face = lathe([(0, 0), (0.37, 0)], mat((0.88, 0.84, 0.74), rough=0.3, coat=0.5), 60, 0, 0)
hands = [
    box((0.02, 0.26, 0.008), iron, (0, 0.12, 0.115), 0.002),
    put(box((0.02, 0.19, 0.008), iron, (0, 0, 0), 0.002), (0.07, -0.02, 0.118), (0, 0, 72)),
]
marks = [
    put(
        box((0.014, 0.055, 0.006), iron, (0, 0, 0), 0.001),
        (0.31 * math.sin(a), 0.31 * math.cos(a), 0.108),
        (0, 0, -math.degrees(a)),
    )
    for a in np.linspace(0, PI2, 12, endpoint=False)
]
put(
    [
        case,
        put(face, (0, 0, 0.104)),
        *hands,
        *marks,
        put(
            tube(
                [(0.08 * math.cos(a), 0, 0.08 * math.sin(a)) for a in np.linspace(0, PI2, 24)], 0.018, brass
            ),
            (0, 0.55, 0.06),
        ),
    ],
    (-1.35, -0.35, 0),
    (0, 0, 24),
)
chain = [
    (-1.1 + 0.5 * t + 0.22 * math.sin(2.4 * t), 0.15 + 0.10 * math.cos(3 * t) - 0.08 * t, 0.03)
    for t in np.linspace(0, 2.2, 90)
]
tube(chain, 0.026, brass)
for x, y, h, r in ((1.75, 1.35, 1.25, 0.24), (2.1, 0.75, 0.75, 0.24)):
    put(candle(r, h), (x, y, 0))
    flame_light(x, y, h, 42)
bokeh(12, 7, (-5, 5), (1, 4), [(1, 0.46, 0.14)], 8, 0.08)
sky((0.40, 0.52, 0.75), 0.06)
light((-5, 3, 5), (0, 0, 0.3), (2, 3), 260, (0.55, 0.68, 1))
light((3, -4, 4), (0, 0, 0.3), (2, 2), 90, (1, 0.74, 0.46))
camera((0.2, 0.25, 0.45), 7.0, 24, -93, 64, 0.26, (0.3, -0.3, 0.5))
render("escape-" + LOOK)
