"""Shuttlecocks and two rackets on the floor of a hall, the net and the lamps out of focus behind."""

import math

import numpy as np

from lab.pictures.places import bokeh, metal, plaster, sky, wall
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
    sheet,
    table,
    tube,
    wood,
)

LOOK = choose_look("wood", "green")
begin(141)
table(
    wood((0.40, 0.22, 0.09), (0.60, 0.38, 0.18), 0.2)
    if LOOK == "wood"
    else mat((0.03, 0.20, 0.13), (0.04, 0.24, 0.15), (20, 0.4, 0.6), 0.55, (60, 0.006)),
    planks=LOOK == "wood",
)
wall(plaster((0.34, 0.42, 0.46)), 12)
chalk = mat((0.90, 0.90, 0.88), rough=0.6)
box((20, 0.28, 0.012), chalk, (0, 1.9, 0.006), 0.002)
box((0.28, 9, 0.012), chalk, (-2.9, 1, 0.006), 0.002, (0, 0, 4))
cork = mat((0.92, 0.89, 0.82), rough=0.4, sss=0.2)
band, quill = (
    mat((0.05, 0.26, 0.14), rough=0.5),
    mat((0.95, 0.94, 0.90), rough=0.55, sss=0.35, radius=(0.05, 0.05, 0.05)),
)


def shuttle(s=0.5):
    """A half ball of cork below sixteen feathers, which are bound twice."""
    parts = [
        lathe(
            [
                (0, -0.22 * s),
                *((0.27 * s * math.cos(a), 0.24 * s * math.sin(a)) for a in np.linspace(-1.5, 0, 12)),
                (0.27 * s, 0.12 * s),
                (0, 0.12 * s),
            ],
            cork,
            48,
        ),
        put(lathe([(0.275 * s, 0), (0.275 * s, 0.08 * s)], band, 48, 0, 0), (0, 0, 0.02 * s)),
    ]
    for i in range(16):
        a = PI2 * i / 16
        u, v = np.meshgrid(np.linspace(0, 1, 24), np.linspace(-1, 1, 9), indexing="ij")
        wide = 0.15 * s * np.where(u < 0.42, 0.10, np.sin(np.pi * np.clip((u - 0.38) / 0.66, 0, 1)) ** 0.45)
        out = 0.22 * s + 0.46 * s * u
        lean = a + v * wide / np.maximum(out, 0.01) + 0.10 * u
        parts.append(
            sheet(
                np.stack([out * np.cos(lean), out * np.sin(lean), 0.1 * s + 1.35 * s * u + 0.02 * s * v], -1),
                quill,
                thick=0.006,
            )
        )
        parts.append(
            tube(
                [
                    (
                        (0.22 + 0.46 * t) * s * math.cos(a + 0.10 * t),
                        (0.22 + 0.46 * t) * s * math.sin(a + 0.10 * t),
                        0.1 * s + 1.3 * s * t,
                    )
                    for t in np.linspace(0, 0.95, 8)
                ],
                0.014 * s,
                quill,
            )
        )
    for z, r in ((0.42, 0.35), (0.62, 0.41)):
        parts.append(
            tube(
                [(r * s * math.cos(a), r * s * math.sin(a), z * s) for a in np.linspace(0, PI2, 40)],
                0.012 * s,
                band,
            )
        )
    return parts


def racket(hue):
    frame, gut, grip = (
        metal(hue, 0.25),
        mat((0.88, 0.88, 0.84), rough=0.4),
        mat((0.06, 0.06, 0.07), rough=0.8, bump=(20, 0.02)),
    )
    rim = [(0.95 * math.cos(a), 1.22 * math.sin(a), 0) for a in np.linspace(0, PI2, 80)]
    parts = [tube(rim, 0.05, frame, res=6)]
    for x in np.arange(-0.84, 0.85, 0.105):
        y = 1.22 * math.sqrt(1 - (x / 0.95) ** 2)
        parts.append(tube([(x, -y, 0.004), (x, y, 0.004)], 0.007, gut, res=2))
    for y in np.arange(-1.1, 1.11, 0.105):
        x = 0.95 * math.sqrt(1 - (y / 1.22) ** 2)
        parts.append(tube([(-x, y, -0.004), (x, y, -0.004)], 0.007, gut, res=2))
    parts.append(tube([(0, -1.2, 0), (0, -3.4, 0)], 0.042, frame, res=6))
    parts.append(tube([(0, -3.3, 0), (0, -5.1, 0)], 0.10, grip, res=8))
    return parts


put(racket((0.80, 0.16, 0.05)), (1.35, 0.85, 0.12), (3, 0, 62))
put(racket((0.08, 0.24, 0.55)), (-0.9, 1.5, 0.10), (0, 2, -38))
put(shuttle(0.62), (-0.35, -0.75, 0.155), (0, 66, 200))
put(shuttle(0.62), (0.75, -1.0, 0.155), (0, 66, -30))
put(shuttle(0.62), (-1.85, 0.1, 0.155), (0, 66, 80))
net = mat((0.10, 0.10, 0.10), rough=0.8)
for z in np.arange(2.2, 4.2, 0.16):
    tube([(-8, 8, z), (8, 8, z)], 0.012, net, res=1)
for x in np.arange(-8, 8, 0.16):
    tube([(x, 8, 2.1), (x, 8, 4.2)], 0.012, net, res=1)
box((18, 0.1, 0.3), chalk, (0, 8, 4.3))
bokeh(12, 10, (-7, 7), (4.6, 6.5), [(1, 0.95, 0.85)], 22, 0.16)
sky((0.86, 0.92, 1), 0.30)
light((-3, -2, 7), (0, 0, 0), (4, 2), 900, (1, 0.96, 0.90))
light((4, 4, 6), (0, 0, 0), (3, 3), 600, (1, 0.92, 0.82))
camera((0.0, 0.35, 0.45), 7.4, 19, -92, 56, 0.28, (0, -0.7, 0.25))
render("badminton-" + LOOK)
