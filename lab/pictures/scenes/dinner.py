"""Table for two by a window at dusk: wine, candle, roses and the lights of the city."""

import math

import numpy as np

from lab.pictures.places import (
    backdrop,
    ball,
    bokeh,
    box,
    candle,
    cushion,
    cutlery,
    flame_light,
    folded,
    glass,
    glow,
    hidden,
    lamp,
    metal,
    rose,
    sky,
    wineglass,
)
from lab.pictures.studio import (
    R,
    begin,
    camera,
    ceramic,
    choose_look,
    cloth_mat,
    lathe,
    leaf,
    light,
    mat,
    plate,
    put,
    render,
    ripple,
    sheet,
    tube,
    wood,
)

LOOK = choose_look("white", "wine", "forest")
begin(91)
CLOTH, PLATE = {
    "white": ((0.88, 0.82, 0.73), (0.86, 0.84, 0.80)),
    "wine": ((0.085, 0.006, 0.012), (0.86, 0.83, 0.78)),
    "forest": ((0.035, 0.075, 0.055), (0.80, 0.77, 0.70)),
}[LOOK]
put(box(8.6, 5.6, 0.25, wood(), 0.04), (0, 0.4, -0.28))
linen = mat(
    CLOTH,
    tuple(0.9 * k for k in CLOTH),
    (2, 0.3, 0.7),
    0.9,
    (70, 0.003),
    sheen=0.2 if LOOK == "white" else 0.03,
)
x, y = np.meshgrid(np.linspace(-4.4, 4.4, 200), np.linspace(-2.5, 3.3, 130))
sheet(np.stack([x, y, 0.012 + 0.018 * np.maximum(ripple(x, y, 1.3), 0)], -1), linen, thick=0.014)
white, steel, clear = ceramic(PLATE, tuple(0.95 * k for k in PLATE)), metal((0.80, 0.78, 0.74), 0.16), glass()
green = mat((0.04, 0.12, 0.03), (0.08, 0.22, 0.05), (4, 0.4, 0.7), 0.5, sss=0.2)
for px, py, a in ((-1.55, -0.55, 8), (1.65, -0.35, -10)):
    put(plate(0.98, white, 0.10), (px, py, 0.02), (0, 0, a))
    put(
        plate(0.70, ceramic((0.13, 0.17, 0.18), (0.09, 0.10, 0.10)) if LOOK == "forest" else white, 0.09),
        (px, py, 0.06),
    )
    put(
        folded(
            0.46, 0.95, cloth_mat((0.66, 0.56, 0.43) if LOOK != "white" else (0.13, 0.22, 0.21)), 3, 0.035
        ),
        (px, py, 0.12),
        (0, 0, 24 + a),
    )
    for k in (-1, 1):
        put(leaf(0.46, 0.085, green, 0.25), (px - 0.06, py - 0.20, 0.27), (0, -6, 72 + 16 * k + a))
    for k, kind in ((-1, "fork"), (1, "knife")):
        put(cutlery(steel, kind), (px + k * 1.2, py - 0.62, 0.045), (0, 0, 90 + a + R.uniform(-2, 2)))
wine = mat((0.30, 0.008, 0.018), rough=0.02, glass=0.35, coat=0.5)
for gx, gy in ((-0.62, 0.72), (0.98, 0.86)):
    put(wineglass(clear, wine), (gx, gy, 0.02))
put(
    lathe(
        [(0, 0), (0.34, 0), (0.36, 0.02), (0.36, 0.62), (0.345, 0.63), (0.33, 0.62), (0.33, 0.05), (0, 0.05)],
        glass((1, 0.93, 0.84), 0.02),
        56,
        1,
        0,
    ),
    (0.22, 0.25, 0.02),
)
put(candle(0.22, 0.34), (0.22, 0.25, 0.07))
flame_light(0.22, 0.25, 0.5, 26)
put(
    lathe(
        [
            (0, 0),
            (0.28, 0),
            (0.34, 0.10),
            (0.36, 0.34),
            (0.24, 0.62),
            (0.22, 0.72),
            (0.25, 0.76),
            (0.22, 0.76),
            (0.19, 0.70),
            (0, 0.5),
        ],
        ceramic((0.42, 0.38, 0.33)),
        56,
        1,
        0.006,
    ),
    (0.30, 1.75, 0.02),
)
for i in range(6):
    a = i * 60 + R.uniform(-15, 15)
    put(
        leaf(R.uniform(0.5, 0.8), 0.14, green, 0.3),
        (0.30, 1.75, 0.74),
        (R.uniform(-20, 20), R.uniform(-50, -15), a + 30),
    )
    d = 0.26 if i else 0
    put(
        rose(R.uniform(0.27, 0.33), (0.50, 0.02, 0.05), (0.82, 0.20, 0.24)),
        (
            0.30 + d * math.cos(math.radians(a)),
            1.75 + d * math.sin(math.radians(a)),
            0.95 - 0.6 * d + R.uniform(0, 0.08),
        ),
        (-38 * math.sin(math.radians(a)) * (d > 0), 38 * math.cos(math.radians(a)) * (d > 0), 0),
    )
leather = mat((0.16, 0.075, 0.035), (0.22, 0.11, 0.05), (5, 0.3, 0.7), 0.45, (26, 0.006))
for s in (-1, 1):
    put(cushion(0.5, 3.0, 3.2, leather), (s * 5.3, 0.6, -1.2), (0, 10 * s, 4 * s))
oak = wood((0.05, 0.026, 0.014), (0.11, 0.06, 0.03), 0.4)
for fx in np.arange(-9, 9.1, 3.6):
    put(box(0.26, 0.3, 11, oak, 0.03), (fx, 4.9, -1))
put(box(20, 0.8, 0.25, oak, 0.04), (0, 4.7, -0.35))
put(box(20, 0.28, 0.2, oak, 0.03), (0, 4.9, 4.6))
backdrop(40, (0.42, 0.20, 0.13), (0.012, 0.035, 0.13), -7, 7, 0.8)
for k in range(16):  # houses against the sky
    put(
        box(R.uniform(2, 4.5), 1, R.uniform(5.5, 10.5), mat((0.010, 0.014, 0.026)), 0),
        (-22 + 2.9 * k, 30 + R.uniform(-2, 2), -10),
    )
bokeh(
    80,
    26,
    (-16, 16),
    (-6, -1.3),
    [(1, 0.42, 0.08), (1, 0.62, 0.24), (1, 0.14, 0.06), (0.25, 0.55, 1)],
    3.2,
    0.11,
)
put(
    [
        lathe(
            [
                (0.06, 0.75),
                (0.10, 0.72),
                (0.16, 0.60),
                (0.62, 0.10),
                (0.66, 0),
                (0.63, 0),
                (0.58, 0.10),
                (0.12, 0.56),
            ],
            metal((0.72, 0.50, 0.24), 0.3),
            64,
            1,
            0,
        ),
        hidden(ball(0.20, glow((1, 0.68, 0.36), 9), 24)),
    ],
    (-0.25, 2.6, 2.35),
)
tube([(-0.25, 2.6, 3.1), (-0.25, 2.6, 9)], 0.025, mat((0.02, 0.02, 0.02)))
lamp((-0.25, 2.4, 2.25), 420, (1, 0.72, 0.44), 0.22)
light((-5.5, 3.2, 4), (0, 0, 0.2), (2, 3), 160, (0.50, 0.66, 1))
light((3, -5.5, 5), (0, 0, 0.3), (3, 2), 950, (1, 0.78, 0.56))
sky((0.5, 0.6, 0.9), 0.06)
camera((0.10, 0.45, 1.02), 9.3, 14, -92, 57, 0.34, (0, 0.0, 0.5))
render("dinner-" + LOOK)
