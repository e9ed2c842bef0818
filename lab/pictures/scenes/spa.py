"""Stack of smooth stones with candles, rolled towels and frangipani: a spa at rest."""

from lab.pictures.places import (
    bokeh,
    candle,
    flame_light,
    plaster,
    plumeria,
    roll,
    sky,
    stone,
    terry,
    wall,
)
from lab.pictures.studio import (
    R,
    begin,
    camera,
    choose_look,
    leaf,
    mat,
    put,
    render,
    table,
    window_light,
    wood,
)

LOOK = choose_look("dusk", "morning", "dusk-flowers")
begin(21)
dark = LOOK != "morning"
table(
    wood((0.07, 0.034, 0.018), (0.20, 0.10, 0.05), 0.38)
    if dark
    else wood((0.34, 0.22, 0.13), (0.56, 0.40, 0.26), 0.5)
)
wall(plaster((0.050, 0.060, 0.045) if dark else (0.62, 0.58, 0.50)), 9)
basalt = mat(
    (0.045, 0.047, 0.050) if dark else (0.16, 0.155, 0.15),
    (0.11, 0.11, 0.11) if dark else (0.30, 0.29, 0.27),
    (7, 0.35, 0.75),
    0.42,
    (38, 0.006),
    coat=0.12,
)
z = 0.0
for a, b, h, dx, dy in (
    (0.72, 0.62, 0.46, 0, 0),
    (0.60, 0.52, 0.38, 0.07, -0.03),
    (0.47, 0.42, 0.32, -0.04, 0.02),
    (0.31, 0.28, 0.25, 0.04, 0.0),
):
    put(
        stone(a, b, h, basalt),
        (-0.55 + dx, 0.1 + dy, z),
        (R.uniform(-2, 2), R.uniform(-2, 2), R.uniform(0, 360)),
    )
    z += h * 0.82
for x, y, h, r in ((0.62, 1.05, 1.30, 0.33), (1.28, 0.55, 0.80, 0.36), (-1.75, 1.35, 0.95, 0.34)):
    put(candle(r, h), (x, y, 0), (0, 0, R.uniform(0, 360)))
    flame_light(x, y, h, 26 if dark else 9)
towel = terry((0.88, 0.84, 0.77))
for x, y, zz in ((2.15, 1.75, 0), (3.02, 1.85, 0), (2.60, 1.80, 0.74)):
    put(roll(1.9, towel, R.uniform(0.41, 0.44)), (x, y, zz), (0, 0, 14 + R.uniform(-4, 4)))
green = mat((0.03, 0.10, 0.02), (0.06, 0.18, 0.04), (4, 0.4, 0.7), 0.5, sss=0.25)
for x, y, l, a in ((-1.9, -0.55, 1.7, 28), (-2.0, -0.2, 1.5, 58)):
    put(leaf(l, 0.30, green, 0.22), (x, y, 0.05), (0, 0, a))
spots = [(0.50, -0.62, 0.50, 25), (1.15, -0.92, 0.42, 70)] + (
    [(-1.35, -0.95, 0.46, 140), (0.1, -1.25, 0.36, 10)] if LOOK == "dusk-flowers" else []
)
for x, y, r, a in spots:
    heart, outer = (
        ((0.98, 0.52, 0.10), (0.90, 0.42, 0.48))
        if LOOK == "dusk-flowers"
        else ((0.98, 0.60, 0.05), (0.95, 0.93, 0.88))
    )
    put(plumeria(r, heart, outer), (x, y, 0.03), (R.uniform(8, 18), R.uniform(-8, 8), a))
for x, y, s in ((1.75, -0.35, 0.22), (-1.0, -1.05, 0.18), (1.95, -0.75, 0.16)):
    put(stone(s, s * 0.85, s * 0.7, basalt), (x, y, 0), (0, 0, R.uniform(0, 360)))
if dark:
    bokeh(16, 8, (-6, 6), (1.5, 5), [(1, 0.5, 0.15), (1, 0.65, 0.3)], 9, 0.07)
for _i in range(14):
    put(
        leaf(R.uniform(1.6, 2.6), R.uniform(0.25, 0.4), green, 0.3),
        (-3.2 + R.gauss(0, 0.3), 4.2, 0.2),
        (0, R.uniform(-80, -35), R.uniform(0, 360)),
    )
sky((1, 0.86, 0.72), 0.10 if dark else 0.35)
window_light(1000 if dark else 1500)
camera((0.46, 0.25, 0.64), 8.3, 19, -92, 66, 0.26, (-0.4, -0.5, 0.5))
render("spa-" + LOOK)
