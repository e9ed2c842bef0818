"""Props for shops that are no kitchens: stones, candles, towels, bottles, weights, furniture, lights."""

import math

import bpy
import numpy as np

from lab.pictures.studio import PI2, R, lathe, mat, mesh, put, ripple, sheet, tube, wood


def sky(color, strength):
    b = bpy.context.scene.world.node_tree.nodes["Background"].inputs
    b[0].default_value, b[1].default_value = (*color, 1), strength


def lamp(loc, watt, color=(1, 0.58, 0.26), r=0.12):
    d = bpy.data.lights.new("l", "POINT")
    d.energy, d.color, d.shadow_soft_size = watt, color, r
    o = bpy.data.objects.new("l", d)
    o.location = loc
    bpy.context.collection.objects.link(o)


# ---------- materials ----------
def metal(c=(0.75, 0.73, 0.70), rough=0.18):
    m = mat(c, rough=rough)
    m.node_tree.nodes["Principled BSDF"].inputs["Metallic"].default_value = 1
    return m


def glow(color, strength):
    m = mat((0, 0, 0))
    i = m.node_tree.nodes["Principled BSDF"].inputs
    i["Emission Color"].default_value, i["Emission Strength"].default_value = (*color, 1), strength
    return m


def glass(color=(1, 1, 1), rough=0.0, shade=0.75):
    """Glass that lets light through to its shadow, since caustics are off."""
    m = mat(color, rough=rough, glass=1)
    T = m.node_tree
    N, L = T.nodes.new, T.links.new
    lp, tr, mx = N("ShaderNodeLightPath"), N("ShaderNodeBsdfTransparent"), N("ShaderNodeMixShader")
    tr.inputs[0].default_value = (*(shade * x for x in color), 1)
    L(lp.outputs["Is Shadow Ray"], mx.inputs[0])
    L(T.nodes["Principled BSDF"].outputs[0], mx.inputs[1])
    L(tr.outputs[0], mx.inputs[2])
    L(mx.outputs[0], T.nodes["Material Output"].inputs[0])
    return m


def terry(c=(0.86, 0.83, 0.77)):
    return mat(c, tuple(x * 0.86 for x in c), (26, 0.35, 0.65), 0.95, (42, 0.035), sheen=0.4)


def plaster(c):
    return mat(c, tuple(x * 0.80 for x in c), (0.35, 0.35, 0.7), 0.85, (6, 0.01), detail=10)


def hidden(o):
    """Seen by the camera and in reflections, but gives no light (a lamp beside it does)."""
    for x in o if isinstance(o, list) else [o]:
        x.visible_diffuse = x.visible_shadow = False
    return o


# ---------- solids ----------
def prism(ring, h, m, bevel=0.02, seg=3):
    """A flat outline raised to height h, edges rounded."""
    n = len(ring)
    o = mesh(
        [(x, y, z) for z in (0, h) for x, y in ring],
        [tuple(range(n))[::-1], tuple(range(n, 2 * n))]
        + [(i, (i + 1) % n, n + (i + 1) % n, n + i) for i in range(n)],
        m,
        smooth=False,
    )
    b = o.modifiers.new("b", "BEVEL")
    b.width, b.segments, b.harden_normals = bevel, seg, True
    o.data.shade_smooth()
    return o


def box(x, y, z, m, bevel=0.02, seg=3):
    return prism([(-x / 2, -y / 2), (x / 2, -y / 2), (x / 2, y / 2), (-x / 2, y / 2)], z, m, bevel, seg)


def ngon(n, r, turn=0.0):
    return [(r * math.cos(PI2 * i / n + turn), r * math.sin(PI2 * i / n + turn)) for i in range(n)]


def ball(r, m, n=40):
    return lathe([(r * math.sin(a), -r * math.cos(a)) for a in np.linspace(0, math.pi, n // 2)], m, n, 1, 0)


def ring(R1, r, m, n=64):
    return lathe([(R1 + r * math.cos(a), r * math.sin(a)) for a in np.linspace(0, PI2, 21)], m, n, 1, 0)


def wall(m, y, w=60, h=30):
    return sheet(np.array([[[-w, y, -1], [w, y, -1]], [[-w, y, h], [w, y, h]]], float), m)


def bokeh(n, y, x, z, colors, strength=30, r=0.09):
    """Small lights far behind, which the lens turns into discs."""
    ms = [glow(c, strength * k) for c in colors for k in (0.5, 1)]
    for _ in range(n):
        put(
            hidden(ball(r * R.uniform(0.6, 1.2), R.choice(ms), 12)),
            (R.uniform(*x), y + R.uniform(-1, 1), R.uniform(*z)),
        )


# ---------- spa ----------
def stone(a, b, h, m):
    th, ph = np.meshgrid(np.linspace(0, PI2, 72, endpoint=False), np.linspace(0, math.pi, 30))
    x, y, z = np.cos(th) * np.sin(ph), np.sin(th) * np.sin(ph), -np.cos(ph)
    k = 1 + 0.05 * ripple(x + z, y - z, 2.4) + 0.015 * ripple(x - z, y + z, 6)
    flat = np.sign(z) * np.abs(z) ** 1.0 * (1 - 0.12 * np.abs(z) ** 3)
    return sheet(np.stack([a * x * k, b * y * k, h / 2 * flat + h / 2 * 0.88], -1), m, True, sub=1)


def candle(r, h, m=None, watt=10):
    """Wax pillar that shines through near its flame."""
    m = m or mat((0.90, 0.80, 0.62), rough=0.42, sss=0.8, radius=(0.35, 0.16, 0.06), vcol=True)
    T = m.node_tree
    v = T.nodes.new("ShaderNodeVertexColor")
    v.layer_name = "Lit"
    p = T.nodes["Principled BSDF"]
    T.links.new(v.outputs[0], p.inputs["Emission Color"])
    p.inputs["Emission Strength"].default_value = 1.5
    prof = (
        [(0, 0), (r * 0.97, 0), (r, 0.02)]
        + [(r, z) for z in np.linspace(0.1, h - 0.05, 14)]
        + [(r, h), (r - 0.03, h + 0.015), (r - 0.07, h - 0.02), (r * 0.5, h - 0.06), (0, h - 0.07)]
    )
    o = lathe(prof, m, 48, 1, 0.02)
    z = np.array([v.co.z for v in o.data.vertices])
    for name, c in (
        ("Col", np.tile((0.90, 0.80, 0.62), (len(z), 1))),
        ("Lit", np.clip((z - h + 0.75) / 0.75, 0, 1)[:, None] ** 2 * np.array((1, 0.36, 0.08)) * 0.8),
    ):
        a = o.data.color_attributes.new(name, "FLOAT_COLOR", "POINT")
        a.data.foreach_set("color", np.c_[c, np.ones(len(z))].ravel())
    wick = tube([(0, 0, h - 0.08), (0.005, 0, h), (0.02, 0, h + 0.07)], 0.012, mat((0.03, 0.02, 0.02)))
    f = [
        (0.052 * math.sin(math.pi * t**0.62) ** 1.1 + 0.001, h + 0.02 + 0.34 * t)
        for t in np.linspace(0, 1, 16)
    ]
    return [o, wick, hidden(lathe(f, glow((1, 0.50, 0.13), 14), 20, 1, 0.0))]


def flame_light(x, y, z, watt=14):
    lamp((x, y, z + 0.25), watt, (1, 0.55, 0.22), 0.08)


def roll(width, m, r=0.42, turns=3.6, fill=0.86, start=0.06, fuzz=0.012):
    t = np.linspace(0, 1, 240)
    a = -t * turns * PI2 - 1.9
    y = np.linspace(-width / 2, width / 2, 50)
    A, Y = np.meshgrid(a, y, indexing="ij")
    rad = start + (r - start) * t[:, None] + fuzz * ripple(A, 1.6 * Y, 1.5) + 0 * Y
    end = 0.03 * ripple(A * 0.7, A * 0.2, 1)
    return sheet(
        np.stack([rad * np.cos(A), Y + end, rad * np.sin(A) + r + 0.02], -1),
        m,
        thick=fill * (r - start) / turns,
        sub=1,
    )


def folded(w, d, m, layers=4, thick=0.10):
    """A cloth folded to and fro; the rounded folds look forward (to -y)."""
    pts, g = [], thick * 1.18
    for i in range(layers):
        s = 1 if i % 2 else -1
        e = R.uniform(-0.03, 0.03)
        pts += [(-s * x * (d / 2 - g / 2) + e, i * g + 0.03 * (1 - x * x)) for x in np.linspace(-1, 1, 24)]
        if i < layers - 1:
            pts += [
                (-s * (d / 2 - g / 2) + e - s * g / 2 * math.sin(a), i * g + g / 2 * (1 - math.cos(a)))
                for a in np.linspace(0.2, math.pi - 0.2, 8)
            ]
    p = np.array(pts)
    x = np.linspace(-w / 2, w / 2, 50)
    Y, X = np.meshgrid(p[:, 0], x, indexing="ij")
    Z = np.tile(p[:, 1:], (1, 50)) + 0.012 * ripple(X, Y * 0.7, 2)
    return sheet(np.stack([X + 0.01 * ripple(X, Z * 9, 2), Y, Z + thick / 2], -1), m, thick=thick, sub=1)


# ---------- flowers ----------
def plumeria(r=0.45, heart=(0.98, 0.62, 0.06), outer=(0.95, 0.93, 0.88)):
    m = mat(
        (1, 1, 1),
        rough=0.42,
        sss=0.45,
        radius=(0.08, 0.06, 0.04),
        vcol=True,
        bump=(9, 0.004),
        stretch=(1, 4, 1),
    )
    u, v = np.meshgrid(np.linspace(0, 1, 36), np.linspace(-1, 1, 25), indexing="ij")
    out = []
    for i in range(5):
        half = 0.42 * np.sin(math.pi * np.clip(u, 0, 0.999) ** 1.35) ** 0.62 * (1 - 0.25 * (u < 0)) + 0.05 * (
            1 - u
        )
        z = (
            0.10
            + 0.30 * u * (1.1 - u)
            + 0.15 * v * np.sin(math.pi * u)
            + 0.07 * (np.abs(v) ** 3) * u
            + R.uniform(-0.03, 0.05) * u**2
        )
        k = np.clip(1.25 - 2.3 * u + 0.18 * v, 0, 1)[..., None] ** 1.2
        c = np.array(outer) * (1 - k) + np.array(heart) * k
        o = sheet(np.stack([r * u, r * half * v, r * z], -1), m, sub=1, cols=c, thick=0.012)
        out.append(put(o, (0, 0, 0.004 * i), (0, 0, 72 * i + R.uniform(-4, 4))))
    e = bpy.data.objects.new("e", None)
    bpy.context.collection.objects.link(e)
    for o in out:
        o.parent = e
    return e


def rose(r=0.5, inner=(0.80, 0.12, 0.16), outer=(0.93, 0.42, 0.42)):
    """Cups of petals, open at the border and closed in the middle."""
    m = mat((1, 1, 1), rough=0.5, sss=0.4, radius=(0.06, 0.03, 0.03), vcol=True, sheen=0.2)
    e = bpy.data.objects.new("e", None)
    bpy.context.collection.objects.link(e)
    u, v = np.meshgrid(np.linspace(0, 1, 22), np.linspace(-1, 1, 21), indexing="ij")
    for k in range(26):
        f = (k + 1) / 26  # 0 at the heart, 1 at the border
        a0, spread = k * 2.4 + R.uniform(-0.25, 0.25), 1.25 - 0.45 * f
        tilt = 0.06 + 1.0 * f**1.3
        rad = r * (0.06 + 0.34 * f + u * 0.62 * np.sin(tilt) * (1 + 0.12 * u)) * (1 + 0.05 * ripple(u, v, 4))
        z = r * (
            (0.9 - 0.34 * f) * u * np.cos(tilt * 0.9)
            + 0.1 * (1 - f)
            + 0.05 * np.abs(v) ** 2 * u * -1
            - 0.16 * f * u**4
            + 0.02 * ripple(u, v, 5)
        )
        ang = a0 + v * spread * (0.35 + 0.65 * np.sin(math.pi * np.clip(u, 0.02, 0.96) ** 0.7) ** 0.5) * (
            1 if f > 0.3 else 1.5
        )
        t = np.clip(f * 0.75 + 0.35 * u - 0.1, 0, 1)[..., None]
        o = sheet(
            np.stack([rad * np.cos(ang), rad * np.sin(ang), z], -1),
            m,
            sub=1,
            thick=0.008,
            cols=np.array(inner) * (1 - t) + np.array(outer) * t,
        )
        o.parent = e
    return e


# ---------- nail bar ----------
def polish(color, cap, shell, open_=False, pearl=False):
    """Bottle of nail polish with its tall cap; an open one shows the neck."""
    m = mat(color, rough=0.30 if pearl else 0.12, coat=0.6, bump=(90, 0.002) if pearl else None)
    if pearl:
        m.node_tree.nodes["Principled BSDF"].inputs["Metallic"].default_value = 0.55
    side = [
        (0, 0),
        (0.19, 0),
        (0.235, 0.03),
        (0.25, 0.10),
        (0.25, 0.34),
        (0.235, 0.43),
        (0.17, 0.50),
        (0.105, 0.53),
        (0.095, 0.60),
    ]
    out = [
        lathe(side + [(0.075, 0.60), (0.075, 0.55), (0, 0.55)], shell, 48, 1, 0),
        lathe(
            [
                (0, 0.05),
                (0.17, 0.05),
                (0.215, 0.08),
                (0.222, 0.12),
                (0.222, 0.34),
                (0.205, 0.42),
                (0.14, 0.47),
                (0, 0.475),
            ],
            m,
            48,
            1,
            0,
        ),
    ]
    if not open_:
        out.append(put(polish_cap(cap), (0, 0, 0.57)))
    return out


def polish_cap(m):
    return lathe(
        [
            (0, 0),
            (0.122, 0),
            (0.125, 0.01),
            (0.125, 0.03),
            (0.118, 0.035),
            (0.112, 0.30),
            (0.100, 0.70),
            (0.094, 0.72),
            (0.07, 0.73),
            (0, 0.73),
        ],
        m,
        48,
        1,
        0,
    )


def polish_brush(cap, color):
    """Cap with stem and loaded bristles, lying along x."""
    c = polish_cap(cap)
    stem = lathe([(0.028, -0.42), (0.028, 0), (0.0, 0)], mat((0.85, 0.85, 0.85), rough=0.25), 16, 1, 0)
    tip = lathe(
        [(0, -0.72), (0.03, -0.71), (0.05, -0.62), (0.045, -0.50), (0.032, -0.40), (0, -0.40)],
        mat(color, rough=0.12, coat=0.6),
        24,
        1,
        0.08,
    )
    e = put([c, stem, tip], (0, 0, 0))
    return e


def nail_tip(l, w, color, pearl=False):
    m = mat(color, rough=0.28 if pearl else 0.10, coat=0.7)
    u, v = np.meshgrid(np.linspace(0, 1, 30), np.linspace(-1, 1, 17), indexing="ij")
    half = w * (0.80 + 0.20 * np.minimum(u * 2.2, 1)) * np.clip((1.0 - u) / 0.26, 0, 1) ** 0.45
    z = 0.55 * w * (1 - v**2) + 0.10 * l * u * (1 - u) * 2
    return sheet(np.stack([l * u, half * v, z], -1), m, sub=1, thick=0.014)


# ---------- karaoke ----------
def microphone(band=None):
    """Hand microphone along x, its ball at the origin side (-x end at 0)."""
    wire = metal((0.55, 0.54, 0.53), 0.26)
    mesh_ball = lathe(
        [(0.235 * math.sin(a), -0.235 * math.cos(a)) for a in np.linspace(0.12, math.pi - 0.12, 26)],
        wire,
        44,
        0,
        0,
    )
    w = mesh_ball.modifiers.new("w", "WIREFRAME")
    w.thickness = 0.013
    out = [mesh_ball, ball(0.205, mat((0.012, 0.012, 0.013), rough=0.9))]
    out.append(
        lathe(
            [(0.20, -0.04), (0.248, -0.04), (0.252, -0.02), (0.252, 0.03), (0.248, 0.05), (0.20, 0.05)],
            band or metal((0.8, 0.8, 0.8), 0.15),
            64,
            1,
            0,
        )
    )
    body = mat((0.018, 0.018, 0.020), rough=0.38, bump=(60, 0.001), coat=0.2)
    out.append(
        lathe(
            [
                (0.20, 0.16),
                (0.205, 0.18),
                (0.215, 0.24),
                (0.195, 0.32),
                (0.150, 0.52),
                (0.142, 0.60),
                (0.118, 1.72),
                (0.112, 1.78),
                (0.07, 1.80),
                (0, 1.80),
            ],
            body,
            64,
            1,
            0,
        )
    )
    out.append(
        lathe(
            [(0.18, 0.10), (0.212, 0.16), (0.216, 0.185), (0.205, 0.2)], metal((0.6, 0.6, 0.6), 0.2), 64, 1, 0
        )
    )
    sw = put(box(0.18, 0.06, 0.03, mat((0.30, 0.30, 0.30), rough=0.3), 0.008), (-0.130, 0, 0.78), (0, -90, 0))
    out.append(sw)
    e = bpy.data.objects.new("e", None)
    bpy.context.collection.objects.link(e)
    for o in out:
        o.parent = e
    top = bpy.data.objects.new("e", None)
    bpy.context.collection.objects.link(top)
    e.parent = top
    e.rotation_euler = (0, math.radians(90), 0)
    return top


def tumbler(shell, drink, r=0.40, h=0.86, fill=0.42):
    out = [
        lathe(
            [
                (0, 0),
                (r * 0.86, 0),
                (r * 0.90, 0.02),
                (r, h),
                (r - 0.02, h + 0.012),
                (r - 0.04, h),
                (r * 0.88 - 0.03, 0.14),
                (r * 0.6, 0.11),
                (0, 0.10),
            ],
            shell,
            64,
            1,
            0,
        )
    ]
    k = r * 0.88 - 0.038
    out.append(
        lathe(
            [(0, 0.115), (k * 0.7, 0.125), (k, 0.155), (k + 0.065 * fill, 0.12 + fill), (0, 0.12 + fill)],
            drink,
            64,
            1,
            0,
        )
    )
    ice = glass((0.95, 0.97, 1), 0.04)
    for x, y, z in ((-0.10, 0.06, fill - 0.06), (0.12, -0.06, fill - 0.02)):
        out.append(
            put(
                box(0.24, 0.22, 0.22, ice, 0.04),
                (x, y, z),
                (R.uniform(-25, 25), R.uniform(-25, 25), R.uniform(0, 90)),
            )
        )
    return out


def heart(s):
    t = np.linspace(0.12, PI2 - 0.12, 90)
    return [
        (
            s * np.sin(a) ** 3,
            s * (13 * np.cos(a) - 5 * np.cos(2 * a) - 2 * np.cos(3 * a) - np.cos(4 * a)) / 16,
        )
        for a in t
    ]


def wave(s=1.0):
    """A quaver: a loop for the head, a stem and a flag."""
    head = [(-0.35 + 0.30 * math.cos(a), -0.75 + 0.22 * math.sin(a)) for a in np.linspace(0, PI2 * 0.98, 30)]
    return [
        (s * x, s * z)
        for x, z in head
        + [(-0.04, -0.7), (-0.04, 1.0)]
        + [(-0.04 + 0.62 * k, 1.0 - 0.75 * k**1.6) for k in np.linspace(0.05, 1, 14)]
    ]


# ---------- gym ----------
def kettlebell(iron, skin, r=1.0):
    """Cast bell with a coloured coat over its lower part."""
    a = np.linspace(-0.98, 1.30, 30)
    prof = (
        [(0, 0), (r * 0.52, 0)]
        + [(r * math.cos(x), 0.84 * r + r * 0.98 * math.sin(x)) for x in a if x > -0.95]
        + [(0.10, 1.82 * r), (0, 1.82 * r)]
    )
    low = [
        (r * 1.006 * math.cos(x), 0.84 * r + r * 0.986 * math.sin(x)) for x in np.linspace(-0.93, 0.16, 20)
    ]
    t = np.linspace(0, 1, 60)
    ang = np.pi * (1 - t)
    hx = 0.60 * r * np.sign(np.cos(ang)) * np.abs(np.cos(ang)) ** 0.55
    hz = 1.52 * r + 1.02 * r * np.abs(np.sin(ang)) ** 0.62
    hx = hx * (1 + 0.10 * np.sin(np.pi * np.clip((hz / r - 1.5) / 1.0, 0, 1)))
    hx, hz = np.r_[-0.40 * r, hx, 0.40 * r], np.r_[1.22 * r, hz, 1.22 * r]  # the feet end inside the bell
    w = 1 + 0.38 * np.clip(1 - (hz / r - 1.5) / 0.55, 0, 1) ** 2
    return [
        lathe(prof, iron, 96, 1, 0),
        lathe(low, skin, 96, 1, 0, thick=0.012),
        tube(np.c_[hx, 0 * hx, hz], 0.165 * r, iron, w, 10),
    ]


def dumbbell(rubber, chrome, r=0.50, h=0.62, grip=1.25):
    """Two six-sided heads on a knurled bar, lying along x on a flat side."""
    out = []
    for s in (-1, 1):
        x0 = s * grip / 2 if s > 0 else -grip / 2 - h
        out.append(put(prism(ngon(6, r, PI2 / 12), h, rubber, 0.06, 4), (x0, 0, r * 0.866), (0, 90, 0)))
        out.append(
            put(
                lathe([(0, 0), (0.30, 0), (0.31, 0.01), (0.30, 0.02), (0, 0.02)], chrome, 48, 1, 0),
                (s * (grip / 2 + h + 0.002) - (0.018 if s > 0 else -0.0), 0, r * 0.866),
                (0, 90 * s, 0),
            )
        )
    out.append(
        tube(
            [(x, 0, r * 0.866) for x in np.linspace(-grip / 2, grip / 2, 20)],
            0.135,
            chrome,
            1 + 0.16 * np.cos(np.linspace(-1.3, 1.3, 20)),
            8,
        )
    )
    return out


def gym_bottle(body, lid, r=0.36):
    prof = (
        [(0, 0), (r * 0.92, 0), (r, 0.05)]
        + [(r * (1 - 0.09 * math.exp(-(((z - 1.15) / 0.22) ** 2))), z) for z in np.linspace(0.12, 1.75, 24)]
        + [(r * 0.9, 1.86), (r * 0.8, 1.9)]
    )
    return [
        lathe(prof, body, 64, 1, 0),
        lathe(
            [
                (r * 0.86, 1.84),
                (r * 0.98, 1.85),
                (r * 0.98, 2.10),
                (r * 0.9, 2.16),
                (r * 0.42, 2.2),
                (r * 0.36, 2.24),
                (r * 0.36, 2.40),
                (r * 0.25, 2.44),
                (0, 2.44),
            ],
            lid,
            64,
            1,
            0,
        ),
    ]


# ---------- hairdresser (1 unit = 40 cm) ----------
def cushion(x, y, z, m):
    """Upholstered block: rounded."""
    o = box(x, y, z, m, min(x, y, z) * 0.42, 6)
    s = o.modifiers.new("s", "SUBSURF")
    s.levels = s.render_levels = 1
    return o


def salon_chair(skin, steel):
    """Seen from behind: back with a piped border, arms, seat, foot plate."""
    out = [
        lathe(
            [
                (0, 0),
                (0.78, 0),
                (0.80, 0.02),
                (0.78, 0.05),
                (0.20, 0.09),
                (0.11, 0.12),
                (0.10, 0.75),
                (0.0, 0.75),
            ],
            steel,
            72,
            1,
            0,
        )
    ]
    out.append(put(cushion(1.42, 1.35, 0.32, skin), (0, 0.12, 0.78)))
    back = put(cushion(1.50, 0.34, 1.40, skin), (0, -0.60, 1.06), (8, 0, 0))
    out.append(back)
    for s in (-1, 1):
        out.append(
            tube(
                [
                    (s * 0.76, -0.50, 1.0),
                    (s * 0.80, -0.48, 1.36),
                    (s * 0.80, -0.40, 1.50),
                    (s * 0.80, 0.35, 1.52),
                    (s * 0.80, 0.55, 1.46),
                    (s * 0.78, 0.60, 1.30),
                    (s * 0.74, 0.58, 0.95),
                ],
                0.045,
                steel,
            )
        )
        out.append(put(cushion(0.20, 0.86, 0.13, skin), (s * 0.80, 0, 1.50)))
    seam = mat((0.02, 0.015, 0.012), rough=0.6)
    for x in (-0.34, 0.34):
        out.append(
            put(
                tube([(x, -0.172, z) for z in np.linspace(0.14, 1.26, 10)], 0.012, seam),
                (0, -0.60, 1.06),
                (8, 0, 0),
            )
        )
    return out


def pump(r, h, body, top):
    """Shampoo bottle with a pump."""
    return [
        lathe(
            [(0, 0), (r * 0.95, 0), (r, 0.02), (r, h * 0.86), (r * 0.85, h * 0.95), (r * 0.4, h), (0, h)],
            body,
            40,
            1,
            0,
        ),
        lathe(
            [
                (0, h),
                (r * 0.45, h),
                (r * 0.45, h + 0.08),
                (r * 0.16, h + 0.09),
                (r * 0.16, h + 0.2),
                (0, h + 0.2),
            ],
            top,
            24,
            1,
            0,
        ),
        tube([(-0.02, 0, h + 0.2), (r * 1.2, 0, h + 0.2), (r * 1.3, 0, h + 0.17)], r * 0.2, top),
    ]


# ---------- massage ----------
def tub(r=1.5, h=1.18, n=22):
    """Staves with gaps and a taper, two brass hoops, a floor."""
    m = wood((0.28, 0.15, 0.07), (0.52, 0.32, 0.16), 0.5)
    out = []
    for i in range(n):
        a, w = PI2 * i / n, PI2 / n * 0.485
        ring_ = [
            (rr * math.cos(a + s * w), rr * math.sin(a + s * w))
            for rr, s in ((r, -1), (r, 0), (r, 1), (r - 0.13, 1), (r - 0.13, 0), (r - 0.13, -1))
        ]
        o = prism(ring_, h + R.uniform(-0.008, 0.008), m, 0.014, 2)
        for v in o.data.vertices:
            k = 0.90 + 0.10 * v.co.z / h
            v.co.x, v.co.y = v.co.x * k, v.co.y * k
        out.append(o)
    brass = metal((0.78, 0.55, 0.27), 0.28)
    for z in (0.20, 0.82):
        k = r * (0.90 + 0.10 * z / h) + 0.012
        out.append(
            lathe(
                [(k - 0.03, z), (k, z), (k + 0.012, z + 0.10), (k - 0.02, z + 0.10)],
                brass,
                96,
                0,
                0,
                thick=0.012,
            )
        )
    out.append(lathe([(0, 0.12), (r * 0.89, 0.12)], m, 48, 0, 0))
    return out


def petal(r, m):
    u, v = np.meshgrid(np.linspace(0, 1, 14), np.linspace(-1, 1, 13), indexing="ij")
    half = 0.82 * np.sin(math.pi * np.clip(u, 0.02, 0.985) ** 0.72) ** 0.6
    z = 0.35 * (u - 0.5) ** 2 + 0.30 * (v * half) ** 2 + 0.05 * ripple(u, v, 3)
    return sheet(np.stack([r * 1.7 * (u - 0.5), r * half * v, r * z + 0.01], -1), m, sub=1, thick=0.008)


# ---------- party ----------
def cake(cream, drip, r=0.98, h=1.10):
    """Frosted drum; the glaze runs down in tongues of different length."""
    th = np.linspace(0, PI2, 260, endpoint=False)
    cols = [
        (k, R.uniform(0.10, 0.52), R.uniform(0.6, 1.1)) for k in np.linspace(0, PI2, 17, endpoint=False) + 0.1
    ]
    run = 0.07 + sum(
        l * np.exp(-(((np.angle(np.exp(1j * (th - k - 0.05)))) / (0.075 * w)) ** 4)) for k, l, w in cols
    )
    rows = [
        np.stack([q * np.cos(th), q * np.sin(th), h + 0.02 + 0 * th], -1) for q in (0.001, 0.5 * r, 0.92 * r)
    ]
    rows.append(np.stack([(r + 0.005) * np.cos(th), (r + 0.005) * np.sin(th), h - 0.01 + 0 * th], -1))
    for f in np.linspace(0.15, 1, 12):
        g = 0.022 + 0.028 * f**3
        rows.append(np.stack([(r + g) * np.cos(th), (r + g) * np.sin(th), h - 0.03 - run * f], -1))
    rows.append(np.stack([(r - 0.02) * np.cos(th), (r - 0.02) * np.sin(th), h - 0.05 - run], -1))
    body = lathe(
        [(0, 0), (r * 0.99, 0), (r, 0.02)]
        + [(r + 0.006 * math.sin(23 * z), z) for z in np.linspace(0.06, h - 0.06, 24)]
        + [(r, h - 0.03), (r - 0.04, h), (0, h)],
        cream,
        120,
        1,
        0.006,
    )
    beads = [
        put(ball(0.075, cream, 18), (r * 1.02 * math.cos(a), r * 1.02 * math.sin(a), 0.05), (0, 0, 0))
        for a in np.linspace(0, PI2, 52, endpoint=False)
    ]
    return [body, sheet(np.array(rows), drip, True, sub=1)] + beads


def birthday_candle(c, h=0.50):
    a, z = np.meshgrid(np.linspace(0, PI2, 24, endpoint=False), np.linspace(0, h, 60))
    s = (np.sin(a - 26 * z) > 0.35)[..., None]
    m = mat((1, 1, 1), rough=0.4, sss=0.3, radius=(0.05, 0.04, 0.03), vcol=True)
    k = sheet(
        np.stack([0.034 * np.cos(a), 0.034 * np.sin(a), z], -1),
        m,
        True,
        cols=np.where(s, np.array((0.93, 0.90, 0.85)), np.array(c)),
    )
    f = [
        (0.040 * math.sin(math.pi * t**0.62) ** 1.1 + 0.001, h + 0.05 + 0.20 * t)
        for t in np.linspace(0, 1, 14)
    ]
    return [
        k,
        tube([(0, 0, h - 0.01), (0, 0, h + 0.07)], 0.008, mat((0.03, 0.02, 0.02))),
        hidden(lathe(f, glow((1, 0.50, 0.13), 14), 16, 1, 0)),
    ]


def balloon(r, c):
    """Teardrop with a knot and a string."""
    m = mat(c, rough=0.22, sss=0.35, radius=(0.4, 0.3, 0.25), coat=0.35)
    prof = [
        (
            r * math.sin(a) * (1 - 0.10 * (1 + math.cos(a)) * 0.5 * (1 + math.cos(a)) / 2),
            -r * math.cos(a) * (1.12 if a < 1.57 else 1.0),
        )
        for a in np.linspace(0.04, math.pi, 30)
    ]
    z = -1.12 * r
    knot = lathe(
        [(0.02, z + 0.02), (0.035, z - 0.02), (0.10, z - 0.10), (0.085, z - 0.11), (0, z - 0.05)],
        m,
        20,
        1,
        0.1,
    )
    string = tube(
        [
            (0.05 * math.sin(3 * t), 0.05 * math.sin(2 * t + 1), z - 0.06 - 3.4 * t)
            for t in np.linspace(0, 1, 24)
        ],
        0.010,
        mat((0.8, 0.76, 0.7)),
    )
    return [lathe(prof, m, 64, 1, 0.004), knot, string]


def bunting(colors, x0, x1, y, z, n=13, sag=0.75):
    def f(t):
        return (x0 + (x1 - x0) * t, y, z - sag * 4 * t * (1 - t))

    tube([f(t) for t in np.linspace(0, 1, 40)], 0.018, mat((0.8, 0.76, 0.7)))
    for i in range(n):
        p, q = f((i + 0.12) / n), f((i + 0.88) / n)
        u, v = np.meshgrid(np.linspace(0, 1, 14), np.linspace(0, 1, 14), indexing="ij")
        X = p[0] + (q[0] - p[0]) * (0.5 + (u - 0.5) * (1 - v))
        Z = p[2] + (q[2] - p[2]) * u - 0.80 * v
        c = colors[i % len(colors)]
        sheet(
            np.stack([X, y - 0.02 + 0.06 * ripple(u, v, 4) * v, Z], -1),
            mat(c, tuple(0.85 * k for k in c), (12, 0.3, 0.7), 0.9, sheen=0.2),
            thick=0.01,
        )


# ---------- dinner ----------
def wineglass(shell, wine, h=1.9):
    out = [
        (0, 0),
        (0.34, 0),
        (0.345, 0.015),
        (0.10, 0.045),
        (0.035, 0.10),
        (0.028, 0.80),
        (0.06, 0.88),
        (0.26, 1.02),
        (0.37, 1.24),
        (0.385, 1.42),
        (0.34, 1.72),
        (0.30, h),
        (0.288, h),
    ]
    ins = [(0.328, 1.72), (0.373, 1.42), (0.357, 1.24), (0.25, 1.045), (0.06, 0.92), (0, 0.91)]
    w = [(0, 0.915), (0.06, 0.925), (0.248, 1.05), (0.353, 1.24), (0.362, 1.30), (0, 1.30)]
    return [lathe(out + ins, shell, 64, 1, 0), lathe(w, wine, 64, 1, 0)]


def cutlery(m, kind):
    t = np.linspace(0, 1, 24)
    w = np.where(t < 0.55, 1.25 - 0.6 * t, 0.92)
    out = [tube([(1.9 * k - 0.95 + 0.6, 0, 0.02 * math.sin(5 * k)) for k in t * 0.68], 0.034, m, w)]
    if kind == "knife":
        x = np.linspace(0, 1, 20)
        P = np.stack(
            [
                np.stack([0.9 + 0.85 * x, -0.045 + 0 * x, 0 * x], -1),
                np.stack([0.9 + 0.85 * x, 0.055 * np.sqrt(1 - x**3) + 0.0 * x, 0 * x], -1),
            ]
        )
        out.append(put(sheet(P, m, thick=0.014), (0, 0, 0.01)))
    else:
        u = np.linspace(0, 1, 14)
        P = np.stack(
            [
                np.stack([0.9 + 0.3 * u, s * (0.03 + 0.09 * np.sin(u * 1.57)), 0.03 * np.sin(3 * u)], -1)
                for s in np.linspace(-1, 1, 9)
            ]
        )
        out.append(sheet(P, m, thick=0.016))
        out += [
            tube(
                [(1.18 + 0.50 * k, s * 0.10, 0.005 + 0.05 * (1 - (2 * k - 1) ** 2) * 0.4) for k in u],
                0.018,
                m,
            )
            for s in (-1, -0.33, 0.33, 1)
        ]
    return out


# ---------- toys ----------
def arch(w, h, d, m):
    """Bridge block: a half-round hole below, standing on z = 0, seen from -y."""
    r = min(w * 0.30, h * 0.72)
    out = [(-w / 2, 0), (-w / 2, h), (w / 2, h), (w / 2, 0)] + [
        (r * math.cos(a), r * math.sin(a)) for a in np.linspace(0, math.pi, 18)
    ]
    o = prism(out[::-1], d, m, 0.015, 2)
    return [put(o, (0, d / 2, 0), (90, 0, 0))]


def wedge(w, h, d, m):
    return [put(prism([(-w / 2, 0), (w / 2, 0), (0, h)], d, m, 0.03, 3), (0, d / 2, 0), (90, 0, 0))]


def train(P):
    """Engine and two wagons with round wheels and loads, along x."""
    out = []

    def wheels(x, w):
        for dx in (-w * 0.32, w * 0.32):
            for s in (-1, 1):
                out.append(
                    put(
                        lathe(
                            [
                                (0, 0),
                                (0.13, 0),
                                (0.145, 0.01),
                                (0.145, 0.07),
                                (0.13, 0.08),
                                (0.06, 0.08),
                                (0.05, 0.10),
                                (0, 0.10),
                            ],
                            P[5],
                            40,
                            0,
                            0,
                        ),
                        (x + dx, s * 0.25, 0.145),
                        (-90 * s, 0, 0),
                    )
                )

    for x, k in ((-0.55, 0), (0.45, 1), (1.35, 3)):
        w = 0.95 if k == 0 else 0.74
        out.append(put(box(w, 0.44, 0.13, P[5], 0.03), (x, 0, 0.16)))
        wheels(x, w)
        if k == 0:
            out.append(
                put(
                    lathe([(0, 0), (0.19, 0), (0.205, 0.015), (0.205, 0.56), (0, 0.56)], P[0], 48, 0, 0),
                    (x - 0.46, 0, 0.48),
                    (0, 90, 0),
                )
            )
            out.append(put(box(0.36, 0.44, 0.50, P[1], 0.03), (x + 0.28, 0, 0.29)))
            out.append(put(box(0.48, 0.54, 0.08, P[2], 0.03), (x + 0.28, 0, 0.79)))
            out.append(
                put(
                    lathe(
                        [(0, 0), (0.06, 0), (0.065, 0.2), (0.10, 0.28), (0.10, 0.31), (0, 0.31)],
                        P[2],
                        32,
                        0,
                        0,
                    ),
                    (x - 0.26, 0, 0.66),
                )
            )
        else:
            out.append(put(box(w, 0.42, 0.20, P[k], 0.03), (x, 0, 0.29)))
            for dx in (-0.18, 0.17):
                out.append(put(ball(0.16, P[(k + 2) % 5 if dx < 0 else (k + 4) % 5], 32), (x + dx, 0, 0.58)))
    for x in (0, 0.9):
        out.append(tube([(x - 0.08, 0, 0.22), (x + 0.1, 0, 0.22)], 0.02, P[5]))
    return out


# ---------- street ----------
def lantern(r, h, color):
    """Paper lantern with ribs, lit from inside, black caps and a tassel; hangs from its top."""
    m = glow(color, 1.0)
    T = m.node_tree
    v = T.nodes.new("ShaderNodeVertexColor")
    v.layer_name = "Col"
    T.links.new(v.outputs[0], T.nodes["Principled BSDF"].inputs["Emission Color"])
    T.nodes["Principled BSDF"].inputs["Emission Strength"].default_value = 1.7
    th, t = np.meshgrid(np.linspace(0, PI2, 48, endpoint=False), np.linspace(0, 1, 90))
    k = r * (0.52 + 0.48 * np.sin(math.pi * t) ** 0.6) * (1 + 0.018 * np.cos(t * PI2 * 11))
    lit = (
        (0.35 + 0.65 * np.sin(math.pi * np.clip(t * 0.9 + 0.02, 0, 1)))
        * (1 - 0.16 * (np.cos(t * PI2 * 11) < -0.6))
    )[..., None]
    col = lit * np.array(color) + (lit**4) * np.array((0, 0.16, 0.05))
    black = mat((0.02, 0.018, 0.016), rough=0.4)
    out = [hidden(sheet(np.stack([k * np.cos(th), k * np.sin(th), h * t], -1), m, True, cols=col))]
    for z in (-0.06, h - 0.01):
        out.append(
            put(lathe([(0, 0), (r * 0.54, 0), (r * 0.54, 0.07), (0, 0.07)], black, 40, 0, 0), (0, 0, z))
        )
    out.append(tube([(0, 0, h), (0, 0, h + 0.9), (0, 0.9, h + 0.9)], 0.018, black))
    out.append(tube([(0, 0, -0.06), (0, 0, -0.42)], 0.03, mat(color, rough=0.7), (0.6, 1.4)))
    return out


def backdrop(y, low, high, z0, z1, strength=1.0, w=50):
    """A sky: two colours that shine, mixed from z0 to z1."""
    m = glow(low, strength)
    T = m.node_tree
    v = T.nodes.new("ShaderNodeVertexColor")
    v.layer_name = "Col"
    T.links.new(v.outputs[0], T.nodes["Principled BSDF"].inputs["Emission Color"])
    t = np.linspace(0, 1, 24)
    P = np.stack(np.broadcast_arrays(np.array([[-w, w]]), y, (z0 + (z1 - z0) * t)[:, None]), -1).astype(float)
    c = np.broadcast_to(
        (np.array(low) * (1 - t[:, None]) + np.array(high) * t[:, None])[:, None], P.shape
    ).copy()
    return sheet(P, m, cols=c)
