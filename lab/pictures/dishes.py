"""Props for restaurants: dishes, and what they are made of."""

import math

import bpy
import numpy as np
from mathutils import Vector

from lab.pictures.studio import PI2, R, lathe, leaf, mat, mesh, plate, put, ripple, sheet, tube


# ---------- helpers ----------
def copies(o, places):
    """Place o and light copies of it (same mesh) at (loc, rot, scale)."""
    out = [o]
    for _ in places[1:]:
        c = bpy.data.objects.new("i", o.data)
        bpy.context.collection.objects.link(c)
        out.append(c)
    for c, (loc, rot, s) in zip(out, places, strict=False):
        put(c, loc, rot, s)
    return out


def apart(n, pick, gap, tries=60):
    """Up to n points from pick() that keep a distance."""
    pts = []
    for _ in range(n * tries):
        p = pick()
        if all((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 > gap * gap for q in pts):
            pts.append(p)
        if len(pts) == n:
            break
    return pts


def disc(r, x=0, y=0):
    a, q = R.uniform(0, PI2), r * math.sqrt(R.random())
    return x + q * math.cos(a), y + q * math.sin(a)


def ripple3(p, freq=1.0, n=7):
    z = 0
    for _ in range(n):
        d = Vector((R.gauss(0, 1), R.gauss(0, 1), R.gauss(0, 1))).normalized() * freq * R.uniform(0.6, 1.5)
        z = z + np.sin(p[..., 0] * d[0] + p[..., 1] * d[1] + p[..., 2] * d[2] + R.uniform(0, PI2))
    return z / n


def lerp(a, b, k):
    return np.array(a) + (np.array(b) - np.array(a)) * np.clip(k, 0, 1)[..., None]


def lump(size, m, p=2.5, rough=0.06, freq=3, paint=None, n=36):
    """Rounded body between ball (p = 2) and box (p = 9); paint(unit point) gives colours."""
    ph, th = np.meshgrid(
        np.linspace(math.pi, 0, n), np.linspace(0, PI2, 2 * n, endpoint=False), indexing="ij"
    )
    d = np.stack([np.sin(ph) * np.cos(th), np.sin(ph) * np.sin(th), np.cos(ph)], -1)
    u = d * ((np.abs(d) ** p).sum(-1) ** (-1 / p))[..., None]
    P = u * (1 + rough * ripple3(u, freq) + 0.4 * rough * ripple3(u, freq * 3))[..., None] * np.array(size)
    kw = {"cols": paint(u)} if paint else {}
    return sheet(P, m, True, **kw)


def metal(c=(0.72, 0.70, 0.67), rough=0.2):
    m = mat(c, rough=rough, bump=(2, 0.004))
    m.node_tree.nodes["Principled BSDF"].inputs["Metallic"].default_value = 1
    return m


def oval(a, b, m, h=0.12):
    o = plate(1, m, h)
    me = o.data
    co = np.empty(len(me.vertices) * 3)
    me.vertices.foreach_get("co", co)
    co = co.reshape(-1, 3) * (a, b, 1)
    me.vertices.foreach_set("co", co.ravel())
    return o


def slab(w, d, h, m, bevel=0.03):
    o = mesh(
        [(sx * w / 2, sy * d / 2, z) for z in (0, h) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))],
        [(3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)],
        m,
        smooth=False,
    )
    b = o.modifiers.new("b", "BEVEL")
    b.width, b.segments = bevel, 3
    return o


def shred(l, r, m, curl=0.3):
    """Thin curved strip: scallion, ginger, pepper."""
    t = np.linspace(-0.5, 0.5, 9)
    c, k, a = R.uniform(-curl, curl), R.uniform(-curl, curl), R.uniform(3, 6)
    return tube(
        np.c_[t * l, c * l * (t * t * 4 - 0.5) + 0.04 * l * np.sin(a * t * 3), k * l * (0.6 - t * t * 3)],
        r,
        m,
        np.interp(t, (-0.5, 0, 0.5), (0.6, 1.1, 0.6)),
        2,
    )


def heap(makers, n, x, y, z, sx, sy, top, tilt=18, turn=0):
    """A loose heap of strips; makers are functions."""
    for _i in range(n):
        dx, dy = (max(-1, min(1, R.gauss(0, 0.45))) for _ in "xy")
        q = math.exp(-(dx * dx + dy * dy) * 1.6)
        a = turn
        put(
            R.choice(makers)(),
            (
                x + sx * dx * math.cos(a) - sy * dy * math.sin(a),
                y + sx * dx * math.sin(a) + sy * dy * math.cos(a),
                z + top * q * R.uniform(0.1, 1),
            ),
            (R.gauss(0, tilt), R.gauss(0, tilt), R.uniform(0, 360)),
        )


# ---------- greens and garnish ----------
def green_mat():
    return mat(
        (0.045, 0.15, 0.02),
        (0.13, 0.32, 0.05),
        (5, 0.35, 0.7),
        0.35,
        (14, 0.010),
        sss=0.25,
        radius=(0.03, 0.06, 0.01),
        coat=0.3,
    )


def pale_green():
    return mat(
        (0.66, 0.76, 0.42),
        (0.46, 0.62, 0.22),
        (4, 0.4, 0.7),
        0.3,
        sss=0.4,
        radius=(0.05, 0.07, 0.03),
        coat=0.35,
    )


def shred_mats():
    return [
        mat((0.30, 0.50, 0.12), (0.16, 0.34, 0.05), (6, 0.4, 0.7), 0.3, sss=0.3, coat=0.3),
        mat((0.74, 0.80, 0.50), (0.52, 0.68, 0.30), (6, 0.4, 0.7), 0.3, sss=0.4, coat=0.3),
    ]


def dried_chili(l=0.5):
    m = mat((0.26, 0.010, 0.005), (0.44, 0.03, 0.008), (3, 0.4, 0.7), 0.20, (9, 0.02), coat=0.5)
    t = np.linspace(0, 1, 20)
    c, w = (
        R.uniform(-0.7, 0.7),
        0.17
        + 0.75
        * np.sin(np.pi * np.clip(t, 0, 1) ** 0.62) ** 0.7
        * (1 + 0.10 * np.sin(17 * t + R.uniform(0, 6))),
    )
    return tube(
        np.c_[t * l - l / 2, c * l * t * (1 - t), 0.06 * l * np.sin(3 * t)],
        0.040,
        m,
        np.where(t < 0.06, 0.25, w),
        5,
    )


def peppercorns(pts, z):
    m = mat((0.16, 0.05, 0.02), (0.30, 0.10, 0.04), (20, 0.4, 0.6), 0.5, (60, 0.01))
    copies(
        lump((0.026, 0.026, 0.022), m, 2, 0.08, 4, n=10),
        [((x, y, z), (0, 0, R.uniform(0, 360)), R.uniform(0.7, 1.2)) for x, y in pts],
    )


def bok_choy(l=0.8):
    """Half a small pak choi: pale stems that widen at the foot, dark leaves."""
    g, s, out = green_mat(), pale_green(), []
    for i, a in enumerate((-17, 15, -6, 5)):
        t = np.linspace(0, 1, 18)
        st = sheet(
            np.array(
                [
                    [
                        (
                            0.55 * l * x,
                            w * l * (0.17 - 0.10 * x + 0.05 * x * x) * (1 - 0.15 * (x < 0.05)),
                            0.05 * l * (1 - w * w) + 0.05 * l * x,
                        )
                        for w in np.linspace(-1, 1, 9)
                    ]
                    for x in t
                ]
            ),
            s,
            thick=0.02,
            sub=1,
        )
        put(st, (0, 0, 0.02 * i), (0, 0, a))
        b = math.radians(a)
        lf = put(
            leaf(0.62 * l, 0.22 * l, g, 0.25),
            (0.42 * l * math.cos(b), 0.42 * l * math.sin(b), 0.07 * l + 0.022 * i),
            (R.uniform(-14, 14), R.uniform(-6, 6), a * 1.5),
        )
        out += [st, lf]
    return out


# ---------- hot pot ----------
def meat_roll(l=0.46, r=0.11):
    m = mat(
        (1, 1, 1),
        (0.62, 0.20, 0.15),
        (9, 0.58, 0.75),
        0.36,
        (9, 0.006),
        sss=0.35,
        radius=(0.06, 0.025, 0.018),
        coat=0.25,
        vcol=True,
    )
    t, s = np.meshgrid(np.linspace(0, 1, 90), np.linspace(-1, 1, 40), indexing="ij")
    turns = R.uniform(1.5, 2.1) * PI2
    rad = r * (0.30 + 0.75 * t) * (1 + 0.07 * ripple(4 * s, 3 * t, 2))
    P = np.stack(
        [
            s * l / 2 * (1 + 0.08 * np.sin(5 * t + R.uniform(0, 6))) + 0.03 * ripple(t * 6, s, 2),
            rad * np.cos(t * turns),
            rad * np.sin(t * turns) + 0.02 * s * s,
        ],
        -1,
    )
    vein = (
        np.clip(1.2 - np.abs(ripple(3 * s, 9 * t, 2.2) + 0.1) * 5, 0, 1) * 0.75
        + np.clip(1.2 - np.abs(ripple(5 * s, 14 * t, 2)) * 7, 0, 1) * 0.35
    )
    fat = np.clip(vein + np.clip((s - 0.55 + 0.15 * ripple(0 * s, 9 * t, 2)) * 6, 0, 1), 0, 1)
    return sheet(P, m, thick=0.012, cols=lerp((0.48, 0.05, 0.045), (0.86, 0.66, 0.58), fat))


def enoki(n=46, l=0.75):
    m = mat(
        (0.90, 0.82, 0.64),
        (0.96, 0.91, 0.80),
        (4, 0.4, 0.7),
        0.4,
        sss=0.5,
        radius=(0.1, 0.08, 0.05),
        coat=0.2,
    )
    cap, tips = (
        lathe([(0, 0.03), (0.025, 0.022), (0.038, 0.0), (0.03, -0.012), (0, -0.008)], m, 14, 0, 0.08),
        [],
    )
    for _ in range(n):
        y, z, fan = R.gauss(0, 0.075), abs(R.gauss(0.07, 0.06)), max(-0.22, min(0.22, R.gauss(0, 0.12)))
        t, e = np.linspace(0, 1, 10), l * R.uniform(0.8, 1.05)
        p = np.c_[
            t * e,
            y + fan * t**1.6 + 0.015 * np.sin(5 * t + R.uniform(0, 6)),
            0.03 + z + (0.08 * t * t + 0.02 * np.sin(4 * t + R.uniform(0, 6))),
        ]
        yield tube(p, 0.015, m, res=2)
        tips.append(
            (p[-1], (R.uniform(-20, 20), 75 + R.uniform(-25, 15), math.degrees(fan)), R.uniform(0.8, 1.3))
        )
    yield from copies(cap, tips)


def split_pot(r, h, m, level, red, white):
    """Pot with an S-shaped wall and two broths; returns side(x, y): > 0 on the white side."""
    lathe(
        [
            (0, 0.03),
            (r * 0.95, 0.03),
            (r * 0.97, 0.06),
            (r - 0.03, h * 0.8),
            (r - 0.03, h),
            (r + 0.09, h + 0.012),
            (r + 0.10, h - 0.015),
            (r + 0.005, h - 0.03),
            (r, h * 0.75),
            (r * 0.98, 0.03),
            (r * 0.93, 0),
            (0, 0),
        ],
        m,
    )
    y = np.linspace(-1, 1, 90) * (r - 0.035)

    def s(v):
        return 0.36 * r * np.sin(np.pi * v / r)

    wall = np.stack([np.stack([s(y), y, z + 0 * y], -1) for z in (0.03, h * 0.5, h - 0.05)])
    sheet(wall, m, thick=0.025)
    tube(np.c_[s(y), y, 0 * y + h - 0.05], 0.024, m, res=4)
    for sign, c in ((-1, red), (1, white)):
        u, Y = np.meshgrid(np.linspace(0, 1, 110), np.linspace(-0.995, 0.995, 130) * (r - 0.03))
        X = s(Y) + u * (sign * np.sqrt((r - 0.03) ** 2 - Y**2) - s(Y))
        Z = level + 0.010 * ripple(X, Y, 6) + 0.008 * ripple(X, Y, 15)
        for _ in range(16):  # where it boils
            bx, by = disc(0.8 * r)
            Z = Z + R.uniform(0.006, 0.022) * np.exp(-((X - bx) ** 2 + (Y - by) ** 2) / 0.012)
        sheet(np.stack([X, Y, Z], -1), c)
    for a in (-1, 1):
        t = np.linspace(-0.5, 0.5, 24)
        tube(
            np.c_[
                a * (r + 0.02 + 0.30 * np.cos(t * np.pi) ** 0.5), 0.36 * np.sin(t * np.pi), 0 * t + h * 0.72
            ],
            0.04,
            m,
            res=6,
        )
    return lambda px, py: px - s(py)


def bubbles(pts, z, m):
    copies(
        lathe([(0.030, 0), (0.028, 0.010), (0.018, 0.018), (0, 0.022)], m, 16, 0, 0.05),
        [((x, y, z), (0, 0, 0), R.uniform(0.35, 1.3)) for x, y in pts],
    )


# ---------- barbecue ----------
def bbq_cube(s=0.13, fat=False):
    """Grilled cube: brown, torn along the grain, charred at the edges, glossy; or a piece of fat."""
    m = mat(
        (1, 1, 1),
        (0.035, 0.013, 0.007),
        (4, 0.54, 0.72),
        0.28,
        (6, 0.05),
        (1, 3.5, 1.4),
        sss=0.10,
        radius=(0.04, 0.02, 0.01),
        coat=0.5,
        vcol=True,
        detail=9,
    )
    k = np.array(
        ((0.135, 0.040, 0.014), (0.34, 0.125, 0.042))
        if not fat
        else ((0.56, 0.29, 0.095), (0.34, 0.13, 0.035))
    )

    def paint(u):
        c = lerp(k[0], k[1], 0.5 + 1.2 * ripple3(u, 5))
        edge = np.clip((np.sqrt((u**2).sum(-1)) - 1.10) * 2.6 + 0.9 * ripple3(u, 5) - 0.05, 0, 1)
        return lerp(c, (0.022, 0.009, 0.005), edge * (0.9 if not fat else 0.6))

    return lump(
        (s * R.uniform(0.85, 1.15), s * R.uniform(0.8, 1.25), s * R.uniform(0.65, 1.0)),
        m,
        R.uniform(2.5, 4),
        0.17,
        2.6,
        paint,
        34,
    )


def skewer(stick, pieces=8, length=3.0):
    out = [
        tube(
            [(x, 0, 0) for x in np.linspace(-length * 0.40, length * 0.60, 12)],
            0.020,
            stick,
            np.r_[0.25, np.ones(11)],
            4,
        )
    ]
    x = -length * 0.36
    for i in range(pieces):
        s = R.uniform(0.115, 0.145)
        x += s * 0.80
        out.append(
            put(
                bbq_cube(s, i % 4 == 2),
                (x, R.uniform(-0.025, 0.025), R.uniform(-0.015, 0.02)),
                (R.uniform(-35, 35), R.uniform(-12, 12), R.uniform(-18, 18)),
            )
        )
        x += s * 0.82
    return out


def hits(pick, n, lift=0.0):
    """n points on top of the scene below pick(): where a sprinkled crumb comes to lie."""
    dg = bpy.context.evaluated_depsgraph_get()
    out = []
    for _ in range(n):
        x, y = pick()
        ok, p, nor, *_ = bpy.context.scene.ray_cast(dg, (x, y, 3), (0, 0, -1))
        nor = -nor if nor.z < 0 else nor
        if ok and nor.z > 0.3:
            out.append(
                (
                    (x, y, p.z + lift),
                    (
                        math.degrees(math.atan2(-nor.y, nor.z)),
                        math.degrees(math.atan2(nor.x, nor.z)),
                        R.uniform(0, 360),
                    ),
                    R.uniform(0.6, 1.3),
                )
            )
    return out


def sprinkle(o, n, pick, lift=0.0):
    """Copies of o lying on whatever is below."""
    bpy.context.view_layer.update()
    o.hide_viewport = True
    h = hits(pick, n, lift)
    o.hide_viewport = False
    return copies(o, h)


def crumb(m, r=0.016):
    return lathe([(0, 0), (r, 0.2 * r), (0.7 * r, 0.5 * r), (0, 0.55 * r)], m, 7, 0, 0.5)


def seed(m, l=0.034):
    return lump((l, l * 0.6, l * 0.35), m, 2, 0.04, 3, n=10)


def lime_wedge(r=0.24):
    rind = mat((0.16, 0.34, 0.03), (0.26, 0.44, 0.06), (8, 0.4, 0.7), 0.3, (60, 0.006), coat=0.3)
    flesh = mat(
        (0.62, 0.74, 0.22),
        (0.80, 0.86, 0.48),
        (9, 0.4, 0.7),
        0.15,
        (30, 0.01),
        sss=0.5,
        radius=(0.06, 0.08, 0.02),
        coat=0.5,
    )
    a, b = np.meshgrid(np.linspace(-0.55, 0.55, 16), np.linspace(0, np.pi, 30), indexing="ij")
    shell = np.stack([r * 1.2 * np.cos(b), r * np.sin(b) * np.sin(a), r * np.sin(b) * np.cos(a)], -1)
    out = [sheet(shell, rind, thick=0.01)]
    for s in (-0.55, 0.55):
        q, c = np.meshgrid(np.linspace(0, 1, 12), np.linspace(0, np.pi, 30), indexing="ij")
        out.append(
            sheet(
                np.stack(
                    [
                        q * r * 1.2 * np.cos(c),
                        q * r * np.sin(c) * math.sin(s),
                        q * r * np.sin(c) * math.cos(s),
                    ],
                    -1,
                ),
                flesh,
            )
        )
    return out


# ---------- rice bowl ----------
def rice(pick, n, soaked=lambda x, y: False, size=0.040):
    """Grains that lie on what is below pick(), in two passes so that they pile up; some soaked in sauce."""
    white = mat(
        (0.97, 0.90, 0.74),
        (0.95, 0.85, 0.64),
        (4, 0.5, 0.8),
        0.40,
        sss=0.12,
        radius=(0.03, 0.025, 0.018),
        coat=0.15,
    )
    brown = mat(
        (0.60, 0.30, 0.10),
        (0.42, 0.17, 0.045),
        (3, 0.4, 0.7),
        0.22,
        sss=0.4,
        radius=(0.06, 0.04, 0.02),
        coat=0.45,
    )
    for k in range(2):
        for m, want in ((white, False), (brown, True)):
            o = lump((size, size * 0.37, size * 0.36), m, 2.2, 0.04, 3, n=9)
            pts = [p for p in (pick() for _ in range(n // 2)) if bool(soaked(*p)) == want]
            for c in sprinkle(o, len(pts), iter(pts).__next__, 0.003 + 0.010 * k):
                c.rotation_euler = (R.gauss(0, 0.5), R.gauss(0, 0.5), R.uniform(0, 6.3))


def pork_belly(s=0.19, h=0.17):
    """Braised cube: dark glossy skin, then fat and meat in layers."""
    m = mat(
        (1, 1, 1),
        (0.10, 0.025, 0.008),
        (3, 0.58, 0.76),
        0.22,
        (7, 0.022),
        (1, 1, 3),
        sss=0.3,
        radius=(0.07, 0.03, 0.012),
        coat=0.7,
        vcol=True,
    )
    skin, fat, lean = (0.15, 0.022, 0.006), (0.66, 0.33, 0.13), (0.15, 0.042, 0.015)
    ph = R.uniform(-0.12, 0.12)

    def paint(u):
        z = u[..., 2] + 0.16 * ripple3(u, 3) + 0.05 * ripple3(u, 9) + ph
        c = lerp(lean, fat, np.clip((z - 0.18) * 7, 0, 1) * 0.95)
        c = lerp(c, fat, np.clip(1.3 - np.abs(z + 0.30) * 8, 0, 1) * 0.8)
        return lerp(c, skin, np.clip((z - 0.58) * 8, 0, 1))

    return lump(
        (s * R.uniform(0.9, 1.1), s * R.uniform(0.9, 1.1), h * R.uniform(0.92, 1.08)),
        m,
        5,
        0.05,
        3,
        paint,
        44,
    )


# ---------- steamed fish ----------
def fish(l=2.3, w=0.42, h=0.27):
    """Whole fish on its side, head at -x, back at +y: body, scored flesh, gill, eye, fins, tail."""
    u, v = np.meshgrid(np.linspace(0, 1, 300), np.linspace(-1, 1, 120), indexing="ij")
    grid = np.linspace(0, 1, 11)
    back = np.interp(u, grid, (0.11, 0.55, 0.84, 0.98, 1.0, 0.95, 0.82, 0.64, 0.45, 0.30, 0.27))
    belly = np.interp(u, grid, (0.13, 0.46, 0.73, 0.91, 0.98, 0.96, 0.80, 0.58, 0.40, 0.28, 0.25))
    for _ in range(3):
        back, belly = (
            (np.vstack([a[:1], a[:-1]]) + a + np.vstack([a[1:], a[-1:]])) / 3 for a in (back, belly)
        )
    X, Y = (u - 0.5) * l, np.where(v > 0, back, belly) * v * w
    thick = np.interp(u, (0, 0.06, 0.2, 0.4, 0.7, 0.92, 1), (0.25, 0.55, 0.92, 1, 0.72, 0.34, 0.26))
    Z = h * thick * np.clip(1 - np.abs(v) ** 2.3, 0, 1) ** 0.62
    gill = np.clip(1.2 - np.abs(u - 0.215 - 0.05 * (1 - (v * 1.1) ** 2)) * 90, 0, 1) * (np.abs(v) < 0.85)
    jaw = np.clip(1.2 - np.abs(v + 0.10 + u * 1.2) * 16, 0, 1) * (u < 0.085)
    cut = 0 * u
    for c in (0.40, 0.52, 0.64):
        cut = np.maximum(
            cut,
            np.clip(1.25 - np.abs(u - c - 0.06 * v) * 44 / np.clip(1.15 - 1.3 * v * v, 0.05, 2), 0, 1)
            * (np.abs(v) < 0.86),
        )
    Z = Z - 0.045 * gill - 0.05 * jaw - 0.085 * cut + 0.006 * ripple(X, Y, 9)
    scale = np.sin(X * 105 + 1.6 * np.sin(Y * 105)) * np.sin(Y * 105) * (u > 0.25) * (1 - cut)
    Z = Z + 0.003 * scale
    c = lerp((0.78, 0.68, 0.48), (0.46, 0.40, 0.26), np.clip((v + 0.12 * ripple(X, Y, 6) + 0.45) * 2.2, 0, 1))
    c = lerp(c, (0.105, 0.085, 0.042), np.clip((v + 0.14 * ripple(X, Y, 7) - 0.16) * 2.0, 0, 1))
    c = c * (1 + 0.30 * scale + 0.35 * ripple(X, Y, 14))[..., None]
    c = lerp(
        c,
        (0.065, 0.055, 0.032),
        np.clip((0.21 - u) * 12, 0, 1) * np.clip(0.55 + v + 0.5 * ripple(X, Y, 9), 0, 0.85),
    )
    c = lerp(c, (0.90, 0.84, 0.72), np.clip(cut * 1.5, 0, 1))
    c = lerp(c, (0.07, 0.05, 0.035), np.maximum(gill * 0.8, jaw * 0.9))
    m = mat((1, 1, 1), rough=0.26, bump=(16, 0.006), sss=0.06, radius=(0.06, 0.04, 0.03), coat=0.7, vcol=True)
    out = [sheet(np.stack([X, Y, Z], -1), m, cols=np.clip(c, 0.01, 1))]
    fin = mat(
        (0.16, 0.14, 0.09), (0.36, 0.30, 0.20), (3, 0.3, 0.7), 0.4, (10, 0.02), (1, 9, 1), sss=0.2, coat=0.3
    )

    def ray(pts, tips):
        a, b = np.array(pts, float), np.array(tips, float)
        k, n = np.linspace(0, 1, 10)[:, None, None], 44
        i = np.linspace(0, len(a) - 1, n)
        A, B = (np.stack([np.interp(i, range(len(q)), q[:, d]) for d in range(3)], -1) for q in (a, b))
        B = B + (np.sin(np.arange(n) * 1.6) * 0.022)[:, None] * np.array((1, 1, 0.4))
        P = A + (B - A) * k
        P[..., 2] += 0.010 * np.sin(np.arange(n) * 1.6)
        return sheet(P, fin, thick=0.010, sub=1)

    e = l / 2
    out.append(
        ray(
            [(e - 0.03, -0.09, 0.04), (e, 0, 0.06), (e - 0.03, 0.10, 0.04)],
            [(e + 0.40, -0.36, 0.04), (e + 0.24, 0, 0.07), (e + 0.42, 0.38, 0.06)],
        )
    )
    out.append(
        ray(
            [(-0.42, 0.37, 0.03), (0.05, 0.38, 0.03), (0.55, 0.24, 0.03)],
            [(-0.30, 0.58, 0.04), (0.2, 0.56, 0.06), (0.72, 0.32, 0.04)],
        )
    )
    out.append(ray([(0.25, -0.30, 0.03), (0.55, -0.22, 0.03)], [(0.42, -0.46, 0.04), (0.72, -0.29, 0.04)]))
    out.append(
        ray([(-0.50, -0.02, 0.245), (-0.47, -0.12, 0.245)], [(-0.22, 0.02, 0.27), (-0.24, -0.20, 0.25)])
    )
    i, j = 33, 77
    x, y, z = X[i, j], Y[i, j], Z[i, j] - 0.012
    out.append(
        put(
            lathe(
                [(0, 0.026), (0.022, 0.023), (0.034, 0.010), (0.038, -0.01)],
                mat((0.74, 0.70, 0.60), rough=0.15, coat=0.8),
                wobble=0,
            ),
            (x, y, z),
            (-8, -20, 0),
        )
    )
    out.append(
        put(
            lathe(
                [(0.032, 0.016), (0.046, 0.018), (0.064, -0.004), (0.05, -0.02)],
                mat((0.03, 0.028, 0.02), rough=0.2, coat=0.6),
            ),
            (x, y, z),
            (-8, -20, 0),
        )
    )
    return out


# ---------- dim sum ----------
def siu_mai(r=0.165):
    skin = mat(
        (0.88, 0.62, 0.17),
        (0.80, 0.50, 0.10),
        (5, 0.4, 0.7),
        0.34,
        (20, 0.008),
        sss=0.45,
        radius=(0.08, 0.06, 0.02),
        coat=0.35,
    )
    meat = mat(
        (0.66, 0.30, 0.14),
        (0.84, 0.52, 0.30),
        (9, 0.40, 0.64),
        0.28,
        (16, 0.05),
        sss=0.4,
        radius=(0.06, 0.03, 0.02),
        coat=0.5,
    )
    t, th = np.meshgrid(np.linspace(0, 1, 30), np.linspace(0, PI2, 160, endpoint=False), indexing="ij")
    f = np.sin(13 * th + 1.5 * np.sin(3 * th + R.uniform(0, 6))) + 0.5 * np.sin(7 * th + R.uniform(0, 6))
    rad = r * (
        0.86 + 0.22 * np.sin(t * 2.6) + 0.10 * np.clip(t - 0.75, 0, 1) * 4 * (1 + 0.4 * f) + 0.045 * t * f
    )
    z = r * 1.45 * t + 0.016 * t * np.sin(5 * th + R.uniform(0, 6)) + 0.010 * t * f
    roe = mat((0.90, 0.26, 0.02), rough=0.12, sss=0.4, radius=(0.04, 0.02, 0.01), coat=0.6)
    out = [
        sheet(np.stack([rad * np.cos(th), rad * np.sin(th), z], -1), skin, True, thick=0.012),
        put(lump((r * 0.99, r * 0.99, r * 0.62), meat, 2.2, 0.07, 4), (0, 0, r * 1.18)),
    ]
    for _ in range(9):
        x, y = disc(r * 0.30)
        out.append(put(lump((0.022,) * 3, roe, 2, 0.02, 2, n=10), (x, y, r * 1.80)))
    return out


def har_gow(l=0.25):
    m = mat(
        (0.92, 0.82, 0.66),
        (0.90, 0.38, 0.18),
        (4.0, 0.46, 0.66),
        0.16,
        (12, 0.005),
        sss=0.75,
        radius=(0.14, 0.08, 0.05),
        coat=0.6,
    )
    s, th = np.meshgrid(np.linspace(-1, 1, 150), np.linspace(0, PI2, 110, endpoint=False), indexing="ij")
    body = 0.155 * np.clip(1 - s**2, 0, 1) ** 0.55 + 0.004
    edge = np.exp(-(((th - 1.9) / 0.34) ** 2))
    pl = np.abs(np.sin(15 * s + 3 * (th - 1.9))) ** 0.7
    rr = body * (
        1
        + 0.50 * edge
        + edge * 0.22 * pl
        + 0.10 * np.exp(-(((th - 2.5) / 0.7) ** 2)) * pl
        + 0.03 * ripple(4 * s, 2 * np.cos(th), 2)
    )
    x, y, z = s * l, rr * np.cos(th) - 0.22 * s * s * l * 1.6, rr * np.sin(th) * 0.95
    z = np.where(z < -0.08, -0.08 + 0.2 * (z + 0.08), z) + 0.09
    return sheet(np.stack([x, y, z], -1), m, True)


def bao(r=0.26):
    """Steamed bun that burst open over a dark red filling."""
    m = mat((1, 1, 1), rough=0.55, bump=(22, 0.010), sss=0.5, radius=(0.1, 0.07, 0.05), coat=0.08, vcol=True)
    q, th = np.meshgrid(np.linspace(0, 1, 110), np.linspace(0, PI2, 220, endpoint=False), indexing="ij")
    a0, d = R.uniform(0, 6), 9
    for k in range(3):
        a = th - a0 - k * PI2 / 3 - R.uniform(-0.25, 0.25)
        a = np.abs((a + math.pi) % PI2 - math.pi)
        d = np.minimum(d, np.where(a < 1.57, q * np.sin(a), q))
    wide = 0.15 * np.clip(1 - q / 0.62, 0, 1) ** 0.7
    c = np.clip((wide - d) / 0.05, 0, 1)
    rad = (
        r
        * np.interp(q, (0, 0.3, 0.6, 0.8, 0.92, 1), (0, 0.45, 0.86, 1.02, 0.98, 0.80))
        * (1 + 0.03 * np.sin(3 * th + a0))
    )
    z = r * np.interp(q, (0, 0.2, 0.4, 0.6, 0.8, 0.92, 1), (1.02, 1.02, 0.95, 0.76, 0.38, 0.12, 0))
    z = (
        z
        + 0.10 * r * np.exp(-(((d - 0.20) / 0.10) ** 2)) * np.clip(1 - q / 0.6, 0, 1) * (1 - c)
        - 0.30 * r * c
        + 0.05 * r * c * ripple(q * 9 * np.cos(th), q * 9 * np.sin(th), 2)
    )
    fill = lerp(
        (0.34, 0.035, 0.012), (0.62, 0.16, 0.05), 0.5 + ripple(9 * q * np.cos(th), 9 * q * np.sin(th), 2)
    )
    col = lerp((0.94, 0.89, 0.80), (0.86, 0.76, 0.60), 0.4 * np.abs(ripple(3 * q, th, 2)))
    col = col + (fill - col) * np.clip(c * 1.6 - 0.3, 0, 1)[..., None]
    return sheet(np.stack([rad * np.cos(th), rad * np.sin(th), z], -1)[::-1], m, True, cols=col[::-1])


def egg_tart(r=0.27):
    crust = mat(
        (0.72, 0.38, 0.11), (0.46, 0.17, 0.035), (4, 0.42, 0.72), 0.5, (10, 0.02), (1, 1, 5), coat=0.1
    )
    custard = mat(
        (0.92, 0.56, 0.07),
        (0.80, 0.36, 0.03),
        (2.2, 0.56, 0.82),
        0.10,
        (4, 0.006),
        sss=0.5,
        radius=(0.08, 0.05, 0.015),
        coat=0.7,
    )
    t, th = np.meshgrid(np.linspace(0, 1, 40), np.linspace(0, PI2, 200, endpoint=False), indexing="ij")
    f = np.abs(np.sin(11 * th)) - 0.5
    rad = r * (
        np.interp(t, (0, 0.5, 0.72, 0.8, 1), (0.66, 0.98, 1.03, 0.97, 0.84))
        + 0.035 * f * np.clip(t * 2, 0, 1)
        + 0.02 * ripple(np.cos(th), np.sin(th), 3)
    )
    z = (
        np.interp(t, (0, 0.5, 0.72, 0.8, 1), (0, 0.13, 0.18, 0.185, 0.13))
        + 0.012 * f * (t > 0.4)
        + 0.008 * np.sin(4 * th + R.uniform(0, 6))
    )
    return [
        sheet(np.stack([rad * np.cos(th), rad * np.sin(th), z], -1), crust, True),
        put(lathe([(0, 0.03), (r * 0.5, 0.026), (r * 0.78, 0.012), (r * 0.90, 0)], custard), (0, 0, 0.135)),
    ]


def cheung_fun(l=0.50):
    m = mat(
        (0.92, 0.86, 0.76),
        (0.88, 0.70, 0.56),
        (2.2, 0.52, 0.76),
        0.12,
        (5, 0.03),
        (0.8, 3, 1),
        sss=0.7,
        radius=(0.14, 0.1, 0.07),
        coat=0.6,
    )
    return lump((l, 0.115, 0.078), m, 3.4, 0.05, 3)


# ---------- roast duck ----------
def duck_slice(l=0.27, w=0.125):
    """Oblong slice: glossy brown skin on top, a line of fat, pale meat."""
    m = mat(
        (1, 1, 1),
        (0.07, 0.012, 0.003),
        (3.2, 0.55, 0.74),
        0.16,
        (9, 0.018),
        sss=0.15,
        radius=(0.06, 0.03, 0.015),
        coat=0.8,
        vcol=True,
    )

    def paint(u):
        z = u[..., 2] + 0.12 * ripple3(u, 3) - 0.25 * np.abs(u[..., 1]) ** 6
        c = lerp((0.36, 0.155, 0.075), (0.56, 0.31, 0.17), 0.5 + ripple3(u * (1, 5, 5), 3))
        c = lerp(c, (0.84, 0.60, 0.34), np.clip((z - 0.25) * 9, 0, 1))
        return lerp(
            c,
            lerp((0.13, 0.020, 0.004), (0.44, 0.115, 0.016), 0.5 + 1.4 * ripple3(u, 3.5)),
            np.clip((z - 0.55) * 10, 0, 1),
        )

    return lump((l * R.uniform(0.85, 1.1), w * R.uniform(0.9, 1.12), 0.078), m, 3.2, 0.09, 2.4, paint, 40)


def pancake_mat():
    return mat(
        (0.90, 0.80, 0.60),
        (0.66, 0.38, 0.14),
        (4, 0.54, 0.72),
        0.5,
        (9, 0.012),
        sss=0.5,
        radius=(0.12, 0.09, 0.05),
        coat=0.05,
    )


def pancake(r=0.5, m=None):
    q, th = np.meshgrid(np.linspace(0, 1, 24), np.linspace(0, PI2, 90, endpoint=False), indexing="ij")
    x, y = q * np.cos(th) * r * (1 + 0.02 * np.sin(3 * th + R.uniform(0, 6))), q * np.sin(th) * r
    return sheet(
        np.stack([x, y, 0.012 * ripple(x, y, 6) * q + 0.01 * q**4 * np.sin(4 * th + R.uniform(0, 6))], -1),
        m or pancake_mat(),
        True,
        thick=0.012,
    )


def wrap(l=0.8, r=0.14):
    """Filled pancake, rolled: scallion, cucumber and skin look out at both ends."""
    t, s = np.meshgrid(np.linspace(0, 1, 100), np.linspace(-1, 1, 50), indexing="ij")
    a = t * 1.45 * PI2
    rad = r * (0.82 + 0.20 * t) * (1 + 0.10 * s) * (1 + 0.05 * ripple(3 * s, 4 * t, 2))
    e = np.sqrt(np.clip(1 - (2 * t - 1) ** 2 * 0.5, 0, 1))
    out = [
        sheet(
            np.stack([s * e * l / 2, rad * np.cos(a - 2.2), rad * 0.86 * np.sin(a - 2.2) + r * 0.86], -1),
            pancake_mat(),
            thick=0.014,
        )
    ]
    gr, pl = shred_mats()
    for _i in range(22):
        y, z = disc(r * 0.62)
        out.append(
            put(
                shred(l * R.uniform(0.98, 1.14), 0.014, R.choice((gr, pl, pl)), 0.05),
                (R.uniform(-0.05, 0.05), y, z * 0.85 + r * 0.86),
            )
        )
    return out


def cucumber(l=0.5):
    m = mat(
        (0.74, 0.82, 0.50),
        (0.62, 0.74, 0.36),
        (5, 0.4, 0.7),
        0.25,
        (20, 0.004),
        sss=0.4,
        radius=(0.06, 0.07, 0.03),
        coat=0.4,
    )
    o = [lump((l / 2, 0.034, 0.030), m, 6, 0.03, 2, n=16)]
    if R.random() < 0.6:
        o.append(
            put(
                lump(
                    (l / 2, 0.034, 0.008),
                    mat((0.05, 0.16, 0.03), (0.10, 0.26, 0.05), (9, 0.4, 0.7), 0.3, coat=0.4),
                    6,
                    0.03,
                    2,
                    n=14,
                ),
                (0, 0, 0.030),
            )
        )
    return o


# ---------- pizza ----------
def pizza(r=1.25, blobs=17, cuts=()):
    q, th = np.meshgrid(np.linspace(0, 1, 250), np.linspace(0, PI2, 520, endpoint=False), indexing="ij")
    edge = 1 + 0.018 * np.sin(3 * th + R.uniform(0, 6)) + 0.012 * np.sin(7 * th + R.uniform(0, 6))
    x, y = q * np.cos(th) * edge, q * np.sin(th) * edge
    c, s = np.cos(th), np.sin(th)
    rim = np.clip(1 - ((q - 0.915) / 0.088) ** 2, 0, 1) ** 0.6
    puff = 0.125 * (1 + 0.30 * ripple(c * 4, s * 4, 1.2) + 0.12 * ripple(x, y, 20))
    sauce_z = 0.050 + 0.008 * ripple(x, y, 16)
    f, age = 0 * x - 1, 0 * x
    for px, py in apart(blobs, lambda: disc(0.74), 0.27):
        b = R.uniform(0.14, 0.25)
        d = np.hypot(x - px, (y - py) * R.uniform(0.85, 1.15)) / b
        f = np.maximum(f, 1 - d)
        age = np.maximum(age, np.exp(-d * d * 2.2))
    f = f + 0.42 * ripple(x, y, 9) + 0.16 * ripple(x, y, 28)
    ch = np.clip(f * 3.2, 0, 1) * np.clip((0.86 - q) * 14, 0, 1)
    z = np.where(q > 0.81, np.maximum(sauce_z, puff * rim), sauce_z) + 0.040 * ch**0.6 * (
        1 + 0.3 * ripple(x, y, 14)
    )
    z = np.where(q > 0.995, 0, z)
    red = lerp((0.22, 0.010, 0.002), (0.38, 0.045, 0.006), 0.5 + 0.9 * ripple(x, y, 14))
    red = lerp(red, (0.15, 0.012, 0.004), np.clip(ripple(x, y, 26) * 1.6 - 0.2, 0, 1))
    brown = np.clip(2.4 * age * (ripple(x, y, 13) + 0.6 * ripple(x, y, 30)) + 0.06, 0, 1)
    cheese = lerp((0.93, 0.80, 0.55), (0.86, 0.56, 0.22), 0.5 + ripple(x, y, 8))
    cheese = lerp(cheese, (0.40, 0.14, 0.030), brown)
    dough_c = lerp((0.84, 0.60, 0.32), (0.62, 0.30, 0.095), 0.35 + 1.1 * ripple(x, y, 9) + 1.6 * (rim - 0.6))
    dough_c = lerp(
        dough_c,
        (0.060, 0.028, 0.015),
        np.clip(
            (0.6 * ripple(c * 6, s * 6, 2.2) + 0.9 * ripple(x, y, 17) + 0.6 * ripple(x, y, 34) - 0.40) * 2.4,
            0,
            1,
        )
        * rim,
    )
    col = red + (cheese - red) * ch[..., None]
    col = col + (dough_c - col) * np.clip((q + 0.012 * ripple(x, y, 22) - 0.845) * 34, 0, 1)[..., None]
    for a in cuts:
        d = np.abs(x * math.sin(a) - y * math.cos(a))
        k = np.clip(1.3 - (d + 0.004 * ripple(x, y, 20)) / 0.006, 0, 1)
        z, col = z * (1 - 0.5 * k), col * (1 - 0.40 * k)[..., None]
    m = mat(
        (1, 1, 1),
        rough=0.50,
        bump=(30, 0.012),
        sss=0.06,
        radius=(0.05, 0.03, 0.015),
        coat=0.10,
        spec=0.35,
        vcol=True,
    )
    return sheet(np.stack([x * r, y * r, z * r], -1)[::-1], m, True, cols=np.clip(col, 0.005, 1)[::-1])


def pepperoni(r=0.15):
    m = mat(
        (0.42, 0.045, 0.012),
        (0.62, 0.15, 0.05),
        (9, 0.46, 0.64),
        0.26,
        (22, 0.012),
        sss=0.15,
        radius=(0.04, 0.02, 0.01),
        coat=0.5,
    )
    w = R.uniform(0.015, 0.045)
    return lathe(
        [
            (0, 0.012),
            (r * 0.6, 0.014),
            (r * 0.92, 0.02 + w),
            (r, 0.018 + w),
            (r * 0.98, w),
            (r * 0.6, 0),
            (0, 0),
        ],
        m,
        40,
        1,
        0.05,
    )


# ---------- sushi ----------
def rice_block(l=0.30, w=0.13, h=0.10):
    """Pressed rice: a body with grains all over."""
    body = mat((0.93, 0.86, 0.72), rough=0.5, bump=(20, 0.04), sss=0.3)
    grain = mat(
        (0.97, 0.91, 0.77),
        (0.94, 0.85, 0.66),
        (4, 0.5, 0.8),
        0.36,
        sss=0.12,
        radius=(0.03, 0.025, 0.018),
        coat=0.2,
    )
    out, places = [lump((l * 0.95, w * 0.93, h * 0.93), body, 3, 0.03, 3, n=24)], []
    for _ in range(190):
        d = Vector((R.gauss(0, 1), R.gauss(0, 1), R.gauss(0, 1))).normalized()
        k = (abs(d.x) ** 3 + abs(d.y) ** 3 + abs(d.z) ** 3) ** (-1 / 3)
        places.append(
            (
                (d.x * k * l, d.y * k * w, d.z * k * h),
                (R.uniform(0, 360), R.uniform(-40, 40), R.uniform(0, 360)),
                R.uniform(0.9, 1.15),
            )
        )
    return out + copies(lump((0.036, 0.015, 0.015), grain, 2.2, 0.04, 3, n=9), places)


def topping(kind, l=0.355, w=0.148):
    """Slice of fish that lies over the rice: salmon, tuna, white fish, prawn or egg."""
    s, t = np.meshgrid(np.linspace(-1, 1, 120), np.linspace(-1, 1, 60), indexing="ij")
    x, y = s * l, t * w * (1 - 0.16 * s**4 - (0.20 * (s > 0) * s**2)) + 0.02 * np.sin(2 * s + 1)
    z = (
        0.02
        + 0.055 * (1 - 0.9 * s**2)
        - 0.085 * np.abs(s) ** 5
        - 0.045 * np.abs(t) ** 2.4
        + 0.006 * ripple(x, y, 18)
    )
    a, b, rough, sss = {
        "salmon": ((0.86, 0.20, 0.055), (0.94, 0.62, 0.40), 0.2, 0.35),
        "tuna": ((0.42, 0.025, 0.022), (0.58, 0.09, 0.07), 0.2, 0.3),
        "white": ((0.88, 0.78, 0.68), (0.86, 0.52, 0.44), 0.2, 0.5),
        "egg": ((0.92, 0.66, 0.14), (0.88, 0.54, 0.08), 0.4, 0.35),
        "prawn": ((0.92, 0.84, 0.74), (0.90, 0.26, 0.06), 0.25, 0.4),
    }[kind]
    if kind == "prawn":
        k = np.clip((np.sin(s * 17 + 1.5 * t * t) + 0.3 * ripple(x, y, 14)) * 1.6 - 0.1, 0, 1) * (
            0.3 + 0.7 * np.abs(t)
        )
        k = np.maximum(k, np.clip((s - 0.78) * 8, 0, 1))
        z = z + 0.010 * np.sin(s * 17 + 1.5 * t * t)
    elif kind == "egg":
        k = 0.5 + ripple(x, y, 6)
        z = z + 0.03 * (1 - np.abs(t) ** 6)
    else:
        k = np.clip(
            1.15 - np.abs(np.sin(9.5 * s + 2.2 * np.abs(t - 0.15) + 0.35 * ripple(x, y, 7))) * 4.2, 0, 1
        ) * (0.9 if kind == "salmon" else 0.45)
    m = mat(
        (1, 1, 1),
        rough=rough,
        bump=(14, 0.008),
        sss=sss,
        radius=(0.10, 0.04, 0.025),
        coat=0.55 if kind != "egg" else 0.2,
        vcol=True,
    )
    return sheet(np.stack([x, y, z], -1), m, thick=0.050, sub=1, cols=lerp(a, b, k))


def nigiri(kind):
    out = [*rice_block(), put(topping(kind), (0, 0, 0.085))]
    if kind == "egg":
        nori = mat((0.012, 0.022, 0.014), (0.03, 0.045, 0.025), (9, 0.4, 0.7), 0.35, (40, 0.01))
        a = np.linspace(-0.35, math.pi + 0.35, 40)
        y, z = (
            0.178 * np.sign(np.cos(a)) * np.abs(np.cos(a)) ** 0.6,
            0.222 * np.sign(np.sin(a)) * np.abs(np.sin(a)) ** 0.6 + 0.02,
        )
        out.append(
            sheet(
                np.stack([np.stack([0 * a + x, y, np.maximum(z, -0.09)], -1) for x in (-0.045, 0.045)]),
                nori,
                thick=0.008,
            )
        )
    return out


def maki(core, r=0.155, h=0.22):
    nori = mat((0.010, 0.020, 0.013), (0.028, 0.042, 0.024), (9, 0.4, 0.7), 0.35, (40, 0.012))
    grain = mat(
        (0.97, 0.91, 0.77),
        (0.94, 0.85, 0.66),
        (4, 0.5, 0.8),
        0.36,
        sss=0.12,
        radius=(0.03, 0.025, 0.018),
        coat=0.2,
    )
    out = [
        lathe([(r - 0.01, 0), (r, 0), (r, h), (r - 0.012, h), (r - 0.012, 0)], nori, wobble=0.03),
        lathe([(0, h - 0.02), (r - 0.02, h - 0.02)], mat((0.90, 0.84, 0.70), rough=0.5, bump=(20, 0.05))),
    ]
    places = [
        (
            (q * math.cos(a), q * math.sin(a), h - 0.012 + R.uniform(0, 0.012)),
            (R.uniform(-30, 30), R.uniform(-30, 30), R.uniform(0, 360)),
            R.uniform(0.85, 1.1),
        )
        for a, q in ((R.uniform(0, PI2), R.uniform(r * 0.40, r * 0.85)) for _ in range(75))
    ]
    out += copies(lump((0.034, 0.015, 0.015), grain, 2.2, 0.04, 3, n=9), places)
    for k, m in enumerate(core):
        a = k * PI2 / len(core) + 0.6
        q = 0 if len(core) == 1 else r * 0.24
        out.append(
            put(
                lump(
                    (r * (0.42 if len(core) == 1 else 0.27), r * (0.36 if len(core) == 1 else 0.25), 0.05),
                    m,
                    3.5,
                    0.08,
                    3,
                    n=18,
                ),
                (q * math.cos(a), q * math.sin(a), h - 0.018),
                (0, 0, R.uniform(0, 90)),
            )
        )
    return out


# ---------- burger ----------
def burger(r=0.62, double=False):
    """Bun with sesame, leaf, tomato, cheese that drapes, grilled patty."""
    bun = mat(
        (0.58, 0.23, 0.048),
        (0.34, 0.095, 0.016),
        (2.0, 0.38, 0.68),
        0.46,
        (11, 0.014),
        sss=0.15,
        radius=(0.06, 0.03, 0.01),
        coat=0.07,
        spec=0.4,
    )
    crumb_m = mat((0.92, 0.74, 0.46), (0.84, 0.58, 0.28), (6, 0.4, 0.7), 0.6, (20, 0.02), sss=0.3)
    out = [
        lathe(
            [(0, 0.0), (r * 0.86, 0.0), (r * 0.97, 0.05), (r * 0.98, 0.12), (r * 0.93, 0.17), (0, 0.17)], bun
        ),
        lathe([(0, 0.175), (r * 0.90, 0.172), (r * 0.94, 0.165)], crumb_m),
    ]
    z = 0.18
    g = mat(
        (0.20, 0.42, 0.05),
        (0.44, 0.62, 0.16),
        (3, 0.35, 0.7),
        0.32,
        (9, 0.02),
        sss=0.35,
        radius=(0.05, 0.07, 0.02),
        coat=0.3,
    )

    def ruffle(z):
        q, th = np.meshgrid(np.linspace(0.3, 1, 26), np.linspace(0, PI2, 360, endpoint=False), indexing="ij")
        k = np.clip((q - 0.72) / 0.28, 0, 1)
        f = np.sin(13 * th + 2 * np.sin(3 * th)) + 0.6 * np.sin(23 * th + 1)
        rr = r * q * 1.12 * (1 + 0.05 * k * np.sin(7 * th) + 0.02 * np.sin(2 * th + 1))
        return put(
            sheet(
                np.stack([rr * np.cos(th), rr * np.sin(th), 0.03 + k * (0.050 * f - 0.03)], -1),
                g,
                True,
                thick=0.010,
            ),
            (0, 0, z),
        )

    out.append(ruffle(z))
    z += 0.07
    tom = mat(
        (0.62, 0.045, 0.015),
        (0.74, 0.16, 0.05),
        (6, 0.45, 0.65),
        0.14,
        (9, 0.02),
        sss=0.3,
        radius=(0.08, 0.02, 0.01),
        coat=0.6,
    )
    for a in (0, 2.1, 4.2):
        out.append(
            put(
                lathe([(0, 0), (r * 0.46, 0), (r * 0.48, 0.02), (r * 0.46, 0.05), (0, 0.05)], tom),
                (r * 0.46 * math.cos(a + 0.9), r * 0.46 * math.sin(a + 0.9), z),
                (R.uniform(-3, 3), R.uniform(-3, 3), 0),
            )
        )
    z += 0.06
    for _ in range(2 if double else 1):
        m = mat(
            (1, 1, 1),
            (0.030, 0.012, 0.006),
            (6, 0.50, 0.68),
            0.50,
            (8, 0.09),
            sss=0.05,
            coat=0.14,
            vcol=True,
            detail=10,
        )
        out.append(
            put(
                lump(
                    (r * 0.99, r * 0.99, 0.115),
                    m,
                    3.4,
                    0.05,
                    8,
                    lambda u: lerp((0.10, 0.034, 0.014), (0.25, 0.095, 0.038), 0.5 + 1.4 * ripple3(u, 9)),
                    90,
                ),
                (0, 0, z + 0.11),
            )
        )
        z += 0.225
        s, t = np.meshgrid(np.linspace(-1, 1, 70), np.linspace(-1, 1, 70), indexing="ij")
        x, y = s * r * 0.95, t * r * 0.95
        over = np.clip(np.hypot(x, y) - r * 0.93, 0, 1)
        k = np.clip((r * 0.98) / np.maximum(np.hypot(x, y), 1e-6), 0, 1)
        ch = mat(
            (0.92, 0.48, 0.045),
            (0.95, 0.58, 0.09),
            (4, 0.4, 0.7),
            0.24,
            sss=0.4,
            radius=(0.08, 0.04, 0.01),
            coat=0.35,
        )
        out.append(
            put(
                sheet(
                    np.stack(
                        [
                            x * (k + 0.18 * (1 - k)),
                            y * (k + 0.18 * (1 - k)),
                            0.012 - 0.85 * over + 0.006 * ripple(x, y, 6),
                        ],
                        -1,
                    ),
                    ch,
                    thick=0.026,
                ),
                (0, 0, z),
                (0, 0, R.uniform(20, 70)),
            )
        )
    z += 0.02
    np.linspace(0, 1, 20)
    top = lathe(
        [(0, 0), (r * 0.90, 0.0), (r * 0.98, 0.03), (r * 1.01, 0.10)]
        + [(r * 1.01 * math.cos(a), 0.10 + 0.36 * math.sin(a)) for a in np.linspace(0.06, math.pi / 2, 16)],
        bun,
        wobble=0.012,
    )
    out.append(put(top, (0, 0, z), (R.uniform(-3, 3), -3, 0)))
    sm = mat((0.90, 0.78, 0.54), (0.80, 0.62, 0.34), (9, 0.4, 0.7), 0.45, coat=0.1)
    h = []
    for _ in range(130):
        a, e = R.uniform(0, PI2), math.acos(R.uniform(0.35, 1))
        n = Vector((math.sin(e) * math.cos(a), math.sin(e) * math.sin(a), math.cos(e)))
        p = (r * 1.01 * n.x, r * 1.01 * n.y, z + 0.10 + 0.362 * n.z)
        h.append(
            (
                p,
                (
                    math.degrees(math.atan2(-n.y * 0.7, n.z)),
                    math.degrees(math.atan2(n.x * 0.7, n.z)),
                    R.uniform(0, 360),
                ),
                R.uniform(0.8, 1.2),
            )
        )
    out += copies(lump((0.034, 0.019, 0.011), sm, 2, 0.05, 3, n=10), h)
    return out


def fry(m, l=0.7):
    c, t = R.uniform(-0.08, 0.08), np.linspace(-0.5, 0.5, 7)
    o = tube(np.c_[t * l, c * (t * t * 4), 0 * t], 0.048, m, np.r_[0.75, 1, 1, 1, 1, 1, 0.75], 0)
    return o
