"""Boxing gloves on a bench with hand wraps and a rope, a heavy bag out of focus behind."""

import math

import numpy as np

from lab.pictures.places import metal, plaster, roll, sky, wall
from lab.pictures.studio import (
    PI2,
    begin,
    camera,
    choose_look,
    lathe,
    light,
    mat,
    put,
    render,
    ripple,
    sheet,
    table,
    tube,
    window_light,
    wood,
)

LOOK = choose_look("red", "navy")
begin(181)
HUE = {"red": (0.52, 0.025, 0.02), "navy": (0.03, 0.06, 0.20)}[LOOK]
table(wood((0.12, 0.065, 0.035), (0.30, 0.18, 0.09), 0.45))
wall(plaster((0.30, 0.27, 0.25)), 9)
leather = mat(HUE, tuple(1.5 * c for c in HUE), (9, 0.35, 0.75), 0.30, (26, 0.008), coat=0.35)
white, lace = mat((0.84, 0.81, 0.75), rough=0.6), mat((0.88, 0.86, 0.80), rough=0.9)


def blob(size, m, power=2.6, dent=0.03):
    th, ph = np.meshgrid(np.linspace(0, PI2, 72, endpoint=False), np.linspace(0, math.pi, 40))

    def curve(v):
        return np.sign(v) * np.abs(v) ** (2 / power)

    x, y, z = curve(np.cos(th)) * curve(np.sin(ph)), curve(np.sin(th)) * curve(np.sin(ph)), -curve(np.cos(ph))
    k = 1 + dent * ripple(x + z, y - z, 2.2)
    return sheet(np.stack([size[0] * x * k, size[1] * y * k, size[2] * z * k], -1), m, True, sub=1)


def glove():
    """Along x: cuff, wrist, fist that curls down, thumb on the side."""
    parts = [put(blob((0.78, 0.56, 0.50), leather), (0.36, 0, 0.62), (0, 14, 0))]
    parts.append(put(blob((0.44, 0.50, 0.40), leather, 2.4), (0.80, 0, 0.40), (0, 50, 0)))
    parts.append(put(blob((0.50, 0.19, 0.20), leather, 2.2), (0.30, -0.54, 0.60), (0, 12, 14)))
    parts.append(
        put(
            lathe(
                [(0.40, 0), (0.42, 0.05), (0.40, 0.5), (0.45, 0.86), (0.44, 0.9), (0.38, 0.86), (0.34, 0.1)],
                leather,
                72,
                1,
                0.03,
            ),
            (-0.98, 0, 0.48),
            (0, 90, 0),
        )
    )
    parts.append(
        put(
            lathe([(0.435, 0), (0.45, 0.02), (0.455, 0.20), (0.44, 0.22)], white, 72, 1, 0.02),
            (-0.92, 0, 0.48),
            (0, 90, 0),
        )
    )
    for x in (-0.5, -0.32, -0.14):
        parts.append(
            tube(
                [
                    (x + 0.05 * t, 0.30 * math.sin(1.4 * t), 0.50 + 0.42 * math.cos(1.0 * t))
                    for t in np.linspace(-0.75, 0.75, 14)
                ],
                0.026,
                lace,
            )
        )
    return parts


put(glove(), (-0.35, -0.35, 0.0), (0, 0, 24))
put(glove(), (0.75, 0.75, 0.0), (0, 0, -18))
wrap = mat((0.80, 0.72, 0.55), (0.70, 0.60, 0.42), (40, 0.4, 0.6), 0.95, (50, 0.01))
put(roll(0.42, wrap, 0.30, 5, 0.9, 0.05, 0.004), (1.65, -0.85, 0), (0, 0, 60))
put(roll(0.42, wrap, 0.27, 5, 0.9, 0.05, 0.004), (2.15, -0.45, 0), (0, 0, 20))
bag = mat(tuple(0.6 * c for c in HUE), tuple(0.9 * c for c in HUE), (4, 0.4, 0.7), 0.4, (20, 0.01), coat=0.2)
for x, size in ((-2.6, 1.0), (2.9, 0.9)):
    put(
        lathe([(0, 0), (0.62, 0), (0.7, 0.1), (0.7, 3.4), (0.62, 3.5), (0, 3.5)], bag, 60, 1, 0.01),
        (x, 5.8, 0.9),
        scale=size,
    )
    for a in (0, 2.1, 4.2):
        tube(
            [(x + 0.5 * math.cos(a), 5.8 + 0.5 * math.sin(a), 0.9 + 3.4 * size), (x, 5.8, 7.5)],
            0.035,
            metal((0.4, 0.4, 0.4), 0.4),
        )
sky((0.9, 0.92, 1), 0.16)
window_light(2100)
light((5, -2, 4), (0, 0, 0.6), (1.5, 3), 320, (1, 0.80, 0.60))
camera((0.05, 0.15, 0.6), 7.4, 19, -92, 58, 0.28, (0, -0.6, 0.6))
render("boxing-" + LOOK)
