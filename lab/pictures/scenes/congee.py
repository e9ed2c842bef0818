"""A bowl of rice congee with century egg, scallions and ginger, fried dough and pickles beside it."""

import math

import numpy as np

from lab.pictures.studio import (
    R,
    begin,
    bowl,
    camera,
    ceramic,
    choose_look,
    chopsticks,
    cloth,
    cloth_mat,
    lathe,
    liquid,
    mat,
    plate,
    put,
    render,
    scallion,
    sheet,
    table,
    tube,
    window_light,
    wood,
)

LOOK = choose_look("morning", "dark")
begin(71)
pale = LOOK == "morning"
table(
    wood((0.20, 0.11, 0.055), (0.44, 0.28, 0.15), 0.5)
    if pale
    else wood((0.06, 0.03, 0.015), (0.15, 0.08, 0.04))
)
put(
    cloth(3.0, 2.6, cloth_mat((0.50, 0.44, 0.36) if pale else (0.16, 0.19, 0.20)), 0.06),
    (0.1, 0, 0),
    (0, 0, 12),
)
put(bowl(1.05, 0.62, ceramic((0.16, 0.22, 0.27) if pale else (0.80, 0.76, 0.68))), (0, 0, 0.03))
LEVEL = 0.55
rice = mat((0.94, 0.91, 0.83), (0.98, 0.96, 0.91), (9, 0.35, 0.65), 0.22, (9, 0.012), sss=0.5, coat=0.4)
put(liquid(0.965, rice), (0, 0, LEVEL))
grain = mat((0.93, 0.91, 0.85), rough=0.25, sss=0.5, coat=0.4)
for _ in range(60):
    angle, far = R.uniform(0, 6.28), 0.90 * math.sqrt(R.random())
    one = lathe([(0, -0.045), (0.02, -0.03), (0.026, 0), (0.02, 0.03), (0, 0.045)], grain, 10, 1)
    put(
        one,
        (far * math.cos(angle), far * math.sin(angle), LEVEL - 0.012),
        (90, R.uniform(-15, 15), R.uniform(0, 360)),
    )
egg = mat((1, 1, 1), rough=0.12, sss=0.25, radius=(0.06, 0.03, 0.01), coat=0.6, vcol=True)


def egg_wedge(length=0.30, width=0.235, angle=44):
    """A quarter of a century egg, skin down: amber jelly round a grey-green yolk with a dark, soft heart."""
    u = np.linspace(-1, 1, 40)[:, None]
    edge, arc = np.linspace(0, 1, 16), np.radians(np.linspace(-angle, angle, 24))
    t = np.concatenate([edge, np.ones(24), edge[::-1]])[None]
    turn = np.concatenate([np.full(16, arc[0]), arc, np.full(16, arc[-1])])[None]
    far = width * np.sqrt(np.clip(1 - u**2, 0, 1)) * (1 - 0.10 * u)
    P = np.stack([length * u + 0 * t, t * far * np.sin(turn), width - t * far * np.cos(turn)], -1)
    deep = np.hypot(u + 0.06, t * np.sqrt(np.clip(1 - u**2, 0, 1)))[..., None]
    jelly, yolk, heart = (
        np.array((0.075, 0.032, 0.008)),
        np.array((0.15, 0.17, 0.095)),
        np.array((0.05, 0.055, 0.03)),
    )
    inner = heart + (yolk - heart) * np.clip((deep - 0.22) / 0.16, 0, 1)
    return sheet(P, egg, True, cols=inner + (jelly - inner) * np.clip((deep - 0.60) / 0.05, 0, 1))


for far, turn in ((0.42, 62), (0.44, 98), (0.44, 134), (0.43, 170), (0.42, 206)):
    at = math.radians(turn)
    put(
        egg_wedge(),
        (far * math.cos(at) - 0.04, 0.10 + far * math.sin(at), LEVEL - 0.05),
        (R.uniform(-8, 8), R.uniform(-6, 6), turn + R.uniform(-8, 8)),
    )
ginger = mat((0.88, 0.72, 0.30), rough=0.35, sss=0.3)
for _ in range(26):
    x, y, turn = R.gauss(0.05, 0.13), R.gauss(-0.30, 0.10), R.uniform(0, 360)
    put(
        tube([(t, 0, 0.05 * math.sin(3 * t)) for t in np.linspace(-0.17, 0.17, 6)], 0.011, ginger),
        (x, y, LEVEL + 0.05 + R.uniform(0, 0.05)),
        (0, R.uniform(-14, 14), turn),
    )
for _ in range(60):
    x, y = R.gauss(0.02, 0.22), R.gauss(-0.26, 0.18)
    put(
        scallion(R.uniform(0.030, 0.046)),
        (x, y, LEVEL + 0.03 + R.uniform(0, 0.05)),
        (R.uniform(-60, 60), R.uniform(-60, 60), 0),
    )
crust = mat((0.50, 0.24, 0.06), (0.72, 0.42, 0.13), (5, 0.35, 0.7), 0.5, (18, 0.02), sss=0.15)
white = ceramic((0.84, 0.81, 0.75))
put(plate(0.85, white), (1.55, 0.75, 0))
for x, y, z, turn in ((1.42, 0.66, 0.16, 24), (1.68, 0.90, 0.16, 32), (1.52, 0.78, 0.40, 12)):
    for side in (-0.075, 0.075):
        line = [
            (t, side + 0.02 * math.sin(5 * t + z), 0.02 * math.sin(7 * t + side))
            for t in np.linspace(-0.75, 0.75, 24)
        ]
        put(
            tube(line, 0.115, crust, 0.85 + 0.2 * np.abs(np.sin(np.linspace(0, 9, 24))), 8),
            (x, y, z),
            (0, 0, turn),
        )
put(plate(0.42, white), (-1.45, 0.95, 0))
pickle = mat((0.55, 0.30, 0.06), (0.70, 0.46, 0.12), (5, 0.4, 0.7), 0.2, sss=0.3, coat=0.4)
for _ in range(34):
    stick = tube([(t, 0, 0) for t in np.linspace(-0.11, 0.11, 5)], 0.026, pickle)
    put(
        stick,
        (-1.45 + R.gauss(0, 0.12), 0.95 + R.gauss(0, 0.10), 0.06 + R.uniform(0, 0.10)),
        (0, R.uniform(-20, 20), R.uniform(0, 360)),
    )
put(chopsticks(wood((0.10, 0.035, 0.014), (0.22, 0.08, 0.03), 0.3), 2.4, 3), (-1.0, -1.35, 0.10), (0, 0, 8))
window_light(1700)
camera((0.1, 0.05, 0.4), 6.8, 40, -93, 76, 0.30, (0, -0.25, 0.6))
render("congee-" + LOOK)
