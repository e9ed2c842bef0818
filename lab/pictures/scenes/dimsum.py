"""A table of small dim sum: siu mai, prawn dumplings, pork buns, rice rolls and egg tarts."""

import math

from lab.pictures.dishes import bao, cheung_fun, egg_tart, har_gow, oval, seed, siu_mai, sprinkle
from lab.pictures.studio import (
    R,
    begin,
    camera,
    ceramic,
    choose_look,
    chopsticks,
    cup,
    lathe,
    liquid,
    marble,
    mat,
    plate,
    put,
    render,
    scallion,
    steam,
    steamer,
    table,
    window_light,
    wood,
)

v = choose_look("wood", "marble", "green")
begin({"wood": 10, "marble": 21, "green": 33}[v])
top = {
    "wood": wood(),
    "marble": marble(),
    "green": mat((0.035, 0.085, 0.065), (0.05, 0.11, 0.085), (2, 0.3, 0.7), 0.4, (6, 0.004), coat=0.15),
}[v]
table(top, planks=v == "wood")
paper = mat((0.86, 0.80, 0.68), rough=0.85, bump=(30, 0.004))


def basket(x, y, make, spots, turn=360, z=0):
    put(steamer(0.70, 0.34), (x, y, z), (0, 0, R.uniform(0, 90)))
    put(lathe([(0, 0.120), (0.40, 0.121), (0.58, 0.123)], paper, wobble=0.02, thick=0.006), (x, y, z))
    for a, b in spots:
        put(
            make(),
            (x + a + R.uniform(-0.015, 0.015), y + b + R.uniform(-0.015, 0.015), z + 0.13),
            (0, 0, R.uniform(-turn, turn)),
        )


four = [(-0.23, -0.22), (0.23, -0.22), (-0.22, 0.22), (0.23, 0.22)]
basket(-0.92, -0.62, lambda: siu_mai(R.uniform(0.178, 0.192)), four)
basket(
    0.72,
    -0.98,
    lambda: har_gow(R.uniform(0.26, 0.28)),
    [(-0.20, -0.26), (0.26, -0.18), (-0.24, 0.18), (0.22, 0.26)],
    12,
)
basket(0.10, 0.72, lambda: bao(R.uniform(0.275, 0.295)), [(-0.28, -0.17), (0.28, -0.16), (0, 0.31)])
white = ceramic() if v != "marble" else ceramic((0.13, 0.19, 0.20), (0.26, 0.30, 0.30))
put(oval(0.80, 0.50, white), (-1.62, 0.88, 0), (0, 0, 28))
put(oval(0.52, 0.28, mat((0.14, 0.036, 0.008), rough=0.05, coat=0.6), 0.02), (-1.62, 0.88, 0.03), (0, 0, 28))
for k in (-1, 0, 1):
    put(
        cheung_fun(R.uniform(0.42, 0.46)),
        (-1.62 - 0.23 * k * math.sin(0.49), 0.88 + 0.23 * k * math.cos(0.49), 0.12),
        (R.uniform(-5, 5), 0, 28 + R.uniform(-3, 3)),
    )
put(plate(0.66, white), (1.72, 0.42, 0))
for x, y in ((1.52, 0.22), (1.98, 0.34), (1.66, 0.72)):
    put(egg_tart(R.uniform(0.235, 0.25)), (x, y, 0.045), (0, 0, R.uniform(0, 90)))
sprinkle(
    seed(mat((0.86, 0.74, 0.52), rough=0.4, coat=0.2), 0.026),
    40,
    lambda: (R.gauss(-1.62, 0.2), R.gauss(0.88, 0.15)),
    0.006,
)
sprinkle(scallion(0.03), 14, lambda: (R.gauss(-1.62, 0.18), R.gauss(0.88, 0.13)), 0.0)
put(plate(0.34, ceramic((0.05, 0.05, 0.055), (0.12, 0.1, 0.09)), 0.13), (-0.12, -1.66, 0))
put(
    liquid(0.26, mat((0.50, 0.05, 0.008), (0.36, 0.02, 0.006), (5, 0.4, 0.7), 0.08, (12, 0.02), coat=0.5)),
    (-0.12, -1.66, 0.075),
)
put(cup(0.32, 0.38, ceramic(), False), (-1.98, -0.35, 0))
put(liquid(0.275, mat((0.40, 0.20, 0.03), rough=0.03, coat=0.4)), (-1.98, -0.35, 0.30))
put(cup(0.32, 0.38, ceramic(), False), (1.55, 1.72, 0))
put(chopsticks(wood((0.05, 0.018, 0.01), (0.12, 0.04, 0.02), 0.3), 2.1, 3), (-2.05, -1.72, 0.0), (0, 0, 8))
for x, y in ((-0.9, -0.3), (0.7, -0.7), (0.1, 0.9)):
    steam(x, y, 0.35, 1.3, 1.4, 0.30)
window_light(2000)
camera((-0.02, -0.22, 0.15), 7.5, 50, -93, 66, 0.27, (0, -0.5, 0.25))
render("dimsum-" + v)
