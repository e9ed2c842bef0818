"""Props for cafés and bars: glasses, drinks, tea, cakes, breads, fruit."""

import math

import bpy
import numpy as np

from lab.pictures.studio import (
    PI2,
    R,
    ceramic,
    lathe,
    leaf,
    light,
    liquid,
    mat,
    mesh,
    put,
    ripple,
    sheet,
    tube,
)


# ---------- materials ----------
def nodes(m):
    m.use_nodes = True
    T = m.node_tree
    T.nodes.clear()
    return T.nodes.new, T.links.new


def clear(color=(1, 1, 1), rough=0, ior=1.45, shade=0.92):
    """Glass or a see-through liquid that lets light through to what stands behind it."""
    m = bpy.data.materials.new("glass")
    N, L = nodes(m)
    g, t, x, o = (
        N("ShaderNodeBsdfGlass"),
        N("ShaderNodeBsdfTransparent"),
        N("ShaderNodeMixShader"),
        N("ShaderNodeOutputMaterial"),
    )
    g.inputs["Color"].default_value, g.inputs["Roughness"].default_value, g.inputs["IOR"].default_value = (
        (*color, 1),
        rough,
        ior,
    )
    t.inputs[0].default_value = (*[c * shade for c in color], 1)
    p, f = N("ShaderNodeLightPath"), N("ShaderNodeMath")
    f.operation = "MAXIMUM"
    L(p.outputs["Is Shadow Ray"], f.inputs[0])
    L(p.outputs["Is Diffuse Ray"], f.inputs[1])
    L(f.outputs[0], x.inputs[0])
    L(g.outputs[0], x.inputs[1])
    L(t.outputs[0], x.inputs[2])
    L(x.outputs[0], o.inputs[0])
    return m


def film(tint=(0.98, 0.98, 0.98), rough=0.05, ior=1.45, haze=0):
    """Thin clear plastic: no refraction, only a reflection that grows towards the edge, and a little haze."""
    m = bpy.data.materials.new("film")
    N, L = nodes(m)
    g, t, x, o, f = (
        N("ShaderNode" + n)
        for n in ("BsdfGlossy", "BsdfTransparent", "MixShader", "OutputMaterial", "Fresnel")
    )
    g.inputs["Roughness"].default_value, f.inputs[0].default_value, t.inputs[0].default_value = (
        rough,
        ior,
        (*tint, 1),
    )
    last = t
    if haze:
        d, y = N("ShaderNodeBsdfDiffuse"), N("ShaderNodeMixShader")
        y.inputs[0].default_value, d.inputs[0].default_value = haze, (0.9, 0.9, 0.9, 1)
        L(t.outputs[0], y.inputs[1])
        L(d.outputs[0], y.inputs[2])
        last = y
    L(f.outputs[0], x.inputs[0])
    L(last.outputs[0], x.inputs[1])
    L(g.outputs[0], x.inputs[2])
    L(x.outputs[0], o.inputs[0])
    return m


def glow(color, power, alpha=1):
    m = bpy.data.materials.new("glow")
    N, L = nodes(m)
    e, t, x, o = (N("ShaderNode" + n) for n in ("Emission", "BsdfTransparent", "MixShader", "OutputMaterial"))
    e.inputs[0].default_value, e.inputs[1].default_value, x.inputs[0].default_value = (
        (*color, 1),
        power,
        alpha,
    )
    L(t.outputs[0], x.inputs[1])
    L(e.outputs[0], x.inputs[2])
    L(x.outputs[0], o.inputs[0])
    return m


def metal(c=(0.75, 0.73, 0.70), rough=0.16):
    m = mat(c, rough=rough)
    m.node_tree.nodes["Principled BSDF"].inputs["Metallic"].default_value = 1
    return m


def painted(rough=0.4, bump=None, sss=0.2, coat=0.1, **kw):
    """Colours come from the vertices."""
    return mat((1, 1, 1), rough=rough, bump=bump, sss=sss, coat=coat, vcol=True, **kw)


def mixc(a, b, k):
    k = np.clip(k, 0, 1)[..., None]
    return np.array(a) * (1 - k) + np.array(b) * k


# ---------- geometry ----------
def clone(o, loc=(0, 0, 0), rot=(0, 0, 0), scale=1):
    c = o.copy()
    bpy.context.collection.objects.link(c)
    return put(c, loc, rot, scale)


def ball(r, m, squash=1.0, n=24, wob=0.03):
    t = np.linspace(-math.pi / 2, math.pi / 2, 13)
    return lathe([(max(0, r * math.cos(a)), r * squash * math.sin(a)) for a in t], m, n, 1, wob)


def block(w, d, h, m, bevel=0.02, rough=0.0):
    """Box on z = 0 with rounded edges; rough moves the corners a little."""
    o = mesh(
        [
            (x * w / 2 + R.uniform(-rough, rough), y * d / 2 + R.uniform(-rough, rough), z * h)
            for x, y, z in [
                (-1, -1, 0),
                (1, -1, 0),
                (1, 1, 0),
                (-1, 1, 0),
                (-1, -1, 1),
                (1, -1, 1),
                (1, 1, 1),
                (-1, 1, 1),
            ]
        ],
        [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)],
        m,
    )
    b = o.modifiers.new("b", "BEVEL")
    b.width, b.segments = bevel, 4
    return o


def blob(rx, ry, rz, m, paint=None, n=90, k=140, lump=0.04, freq=2.0, flat=0.55, shape=None):
    """Closed lumpy body on z = 0, flattened below; paint(x, y, z, d) gives the colours of unit points."""
    v, th = np.meshgrid(
        np.linspace(-math.pi / 2, math.pi / 2, n), np.linspace(0, PI2, k, endpoint=False), indexing="ij"
    )
    x, y, z = np.cos(v) * np.cos(th), np.cos(v) * np.sin(th), np.sin(v)
    d = ripple(x * 2 + z, y * 2 - z, freq)
    q = 1 + lump * d
    if shape:
        q = q * (1 + shape(x, y, z))
    Z = np.where(z < -flat, -flat + 0.12 * (z + flat), z) + flat + 0.02
    P = np.stack([rx * q * x, ry * q * y, rz * q * Z], -1)
    P[..., 2] -= P[..., 2].min()
    return sheet(P, m, True, **({"cols": np.clip(paint(x, y, z, d), 0, 1)} if paint else {}))


# ---------- background ----------
def room(
    y=9,
    colors=((0.16, 0.09, 0.05), (0.34, 0.20, 0.11)),
    lamps=26,
    power=1.1,
    z=(0.5, 5.5),
    size=(0.12, 0.34),
    tints=((1, 0.50, 0.14), (1, 0.66, 0.28), (0.9, 0.30, 0.10)),
    width=7,
    bright=0.5,
):
    """Blurred wall far behind, with soft lamp discs that stand for defocused lights."""
    m = mat(colors[0], colors[1], (0.25, 0.3, 0.75), 0.9)
    p = m.node_tree.nodes["Principled BSDF"]
    p.inputs["Emission Color"].default_value, p.inputs["Emission Strength"].default_value = (
        (*colors[1], 1),
        bright,
    )
    mesh([(-30, y + 1, -2), (30, y + 1, -2), (30, y + 1, 16), (-30, y + 1, 16)], [(0, 1, 2, 3)], m)
    for _ in range(lamps):
        r, t = R.uniform(*size), R.choice(tints)
        o = lathe(
            [(0, 0), (r * 0.8, 0), (r, 0)],
            glow(t, power * R.uniform(0.4, 1.2), R.uniform(0.35, 0.75)),
            40,
            0,
            0,
        )
        put(o, (R.uniform(-width, width), y - R.uniform(0, 2), R.uniform(*z)), (90, 0, 0))
        o.visible_diffuse = o.visible_shadow = False


def bounce(watt=260, x=-3.4, z=3.0, color=(1, 0.90, 0.78)):
    """Large soft light beside the camera, for upright things seen from a low angle."""
    light((x, -6.5, z), (0, 0, 0.7), (3.2, 2.6), watt, color)


def plant(x, y, z=0, n=40, size=1.0, pot=True):
    g = mat((0.05, 0.15, 0.03), (0.11, 0.27, 0.06), (5, 0.4, 0.7), 0.4, sss=0.2)
    if pot:
        put(
            lathe(
                [(0, 0), (0.32, 0), (0.42, 0.6), (0.43, 0.63), (0.38, 0.6), (0.3, 0.03), (0, 0.03)],
                ceramic((0.55, 0.30, 0.18), (0.40, 0.20, 0.1)),
            ),
            (x, y, z),
            scale=size,
        )
    for _ in range(n):
        put(
            leaf(R.uniform(0.5, 1.0) * size, R.uniform(0.1, 0.18) * size, g, 0.4),
            (x + R.gauss(0, 0.1), y + R.gauss(0, 0.1), z + 0.55 * size),
            (R.uniform(-30, 30), R.uniform(-85, -10), R.uniform(0, 360)),
        )


# ---------- drinks ----------
def ice(m, s=0.24):
    return block(s, s * R.uniform(0.85, 1.1), s * R.uniform(0.85, 1.1), m, s * 0.16, s * 0.05)


def straw(m, r=0.05, h=1.9):
    return lathe(
        [
            (r, 0),
            (r, h / 2),
            (r, h - 0.01),
            (r * 0.98, h),
            (r * 0.86, h),
            (r * 0.84, h - 0.01),
            (r * 0.84, h * 0.5),
        ],
        m,
        32,
        0,
        0,
    )


def boba(paint, pearl, plastic, stick, h=1.34, r0=0.32, r1=0.46, level=0.88, ices=5, icem=None):
    """Plastic cup of milk tea with pearls. paint(th, f) colours the drink, f is 0 below, 1 on top."""

    def wall(z):
        return r0 + (r1 - r0) * z / h

    out = [
        lathe(
            [(0, 0.02), (r0 * 0.8, 0.02), (r0 * 0.9, 0), (r0 + 0.01, 0.0), (r0 + 0.024, 0.03)]
            + [(wall(z) + 0.024, z) for z in np.linspace(0.1, h - 0.02, 8)]
            + [(wall(h) + 0.026, h)],
            plastic,
            wobble=0,
        )
    ]
    out.append(
        put(
            tube(
                [
                    ((r1 + 0.026) * math.cos(a), (r1 + 0.026) * math.sin(a), 0)
                    for a in np.linspace(0, PI2, 97)
                ],
                0.017,
                plastic,
            ),
            (0, 0, h),
        )
    )
    f, th = np.meshgrid(np.linspace(0, 1, 120), np.linspace(0, PI2, 240, endpoint=False), indexing="ij")
    z = 0.04 + f * (h * level - 0.04)
    side = np.stack([wall(z) * np.cos(th), wall(z) * np.sin(th), z], -1)
    top = np.stack(
        [
            np.stack(
                [wall(z[-1]) * q * np.cos(th[0]), wall(z[-1]) * q * np.sin(th[0]), z[-1] - 0.02 * (1 - q**8)],
                -1,
            )
            for q in np.linspace(1, 0, 24)
        ]
    )
    cols = np.concatenate([paint(th, f), paint(th[:24], np.ones((24, 240)))])
    out.append(
        sheet(
            np.concatenate([side, top]),
            painted(0.32, sss=0.25, radius=(0.08, 0.05, 0.03)),
            True,
            cols=np.clip(cols, 0, 1),
        )
    )
    p = ball(0.060, pearl)
    for row in range(4):
        n = 15 - row // 3 * 6
        for i in range(n):
            if row == 3 and R.random() < 0.5:
                continue
            a, zz = (
                (i + 0.5 * (row % 2) + R.uniform(-0.2, 0.2)) * PI2 / n,
                0.095 + 0.098 * row + R.uniform(-0.015, 0.02),
            )
            q = wall(zz) - 0.030 + R.uniform(-0.016, 0.004)
            out.append(
                clone(
                    p, (q * math.cos(a), q * math.sin(a), zz), (R.uniform(0, 90), 0, 0), R.uniform(0.9, 1.08)
                )
            )
    bpy.data.objects.remove(p)
    out.append(put(straw(stick, 0.062, h * 1.42), (0.10, 0.05, 0.1), (R.uniform(4, 7), R.uniform(8, 11), 0)))
    for i in range(ices):
        a, q = i * PI2 / max(ices, 1) + R.uniform(-0.3, 0.3) + 2.2, 0.20 + R.uniform(-0.03, 0.05)
        out.append(
            put(
                ice(icem, 0.23),
                (q * math.cos(a), q * math.sin(a), h * level - 0.13),
                (R.uniform(-25, 25), R.uniform(-25, 25), R.uniform(0, 90)),
            )
        )
    return out


# ---------- tea ----------
def gaiwan(m, r=0.48):
    """Lidded bowl on its saucer, lid a little askew."""
    p = [
        (0, 0.04),
        (0.20, 0.04),
        (0.21, 0),
        (0.235, 0),
        (0.24, 0.07),
        (0.30, 0.12),
        (0.38, 0.24),
        (0.43, 0.38),
        (0.485, 0.48),
        (0.495, 0.485),
        (0.47, 0.47),
        (0.415, 0.38),
        (0.36, 0.25),
        (0.27, 0.14),
        (0, 0.10),
    ]
    k = r / 0.48
    body = lathe([(a * k, b * k + 0.05) for a, b in p], m)
    dish = lathe(
        [
            (0, 0.03),
            (0.22, 0.03),
            (0.25, 0.045),
            (0.30, 0.04),
            (0.52, 0.11),
            (0.535, 0.115),
            (0.53, 0.095),
            (0.32, 0.015),
            (0.26, 0),
            (0, 0),
        ],
        m,
    )
    lid = lathe(
        [
            (0, 0.17),
            (0.10, 0.17),
            (0.12, 0.16),
            (0.12, 0.235),
            (0.135, 0.245),
            (0.155, 0.24),
            (0.15, 0.17),
            (0.26, 0.13),
            (0.36, 0.05),
            (0.405, 0),
            (0.40, -0.012),
            (0.35, 0.03),
            (0.2, 0.11),
            (0, 0.13),
        ],
        m,
    )
    return [dish, body, put(lid, (0.02 * k, -0.01, 0.46 * k + 0.05), (3, -4, 0), k)]


def teapot(m, r=0.52):
    """Round clay teapot: belly, spout, loop handle, lid with a knob."""
    b = [
        (0, 0.02),
        (0.28, 0.02),
        (0.29, 0),
        (0.32, 0),
        (0.33, 0.03),
        (0.44, 0.12),
        (0.515, 0.27),
        (0.51, 0.40),
        (0.43, 0.53),
        (0.30, 0.60),
        (0.25, 0.615),
        (0.245, 0.60),
        (0, 0.6),
    ]
    k = r / 0.52
    out = [lathe([(x * k, z * k) for x, z in b], m)]
    out.append(
        lathe(
            [
                (0.255, 0.605),
                (0.262, 0.62),
                (0.255, 0.635),
                (0.20, 0.665),
                (0.08, 0.70),
                (0.05, 0.71),
                (0.042, 0.735),
                (0.07, 0.765),
                (0.078, 0.79),
                (0.06, 0.82),
                (0, 0.83),
            ],
            m,
        )
    )
    t = np.linspace(0, 1, 24)
    spout = [(k * (0.42 + 0.46 * a), 0, k * (0.20 + 0.40 * a**1.5 + 0.06 * math.sin(a * 3.1))) for a in t]
    out.append(tube(spout, 0.105 * k, m, 1.35 - 0.95 * t**0.7, 10))
    a = np.linspace(1.35, -1.35, 32)
    out.append(
        tube(
            [(-k * (0.22 + 0.60 * math.cos(x)), 0, k * (0.34 + 0.23 * math.sin(x))) for x in a],
            0.042 * k,
            m,
            0.8 + 0.35 * np.abs(a / 1.3) ** 2,
            8,
        )
    )
    return out


def teacup(m, tea, r=0.27, h=0.27):
    p = [
        (0, 0.03),
        (r * 0.42, 0.03),
        (r * 0.44, 0),
        (r * 0.52, 0),
        (r * 0.55, 0.03),
        (r * 0.80, h * 0.35),
        (r * 0.94, h * 0.75),
        (r, h),
        (r - 0.012, h + 0.004),
        (r - 0.03, h * 0.9),
        (r * 0.80 - 0.02, h * 0.4),
        (r * 0.5, h * 0.2),
        (0, h * 0.18),
    ]
    return [lathe(p, m, 64), put(liquid(r * 0.92, tea), (0, 0, h * 0.76))]


def slat_tray(w, d, m, dark, h=0.22):
    """Tea tray: frame with narrow slats over a dark hollow."""
    out = [put(block(w - 0.1, d - 0.1, 0.03, dark), (0, 0, 0.03))]
    for s in (-1, 1):
        out += [
            put(block(w, 0.14, h, m, 0.03), (0, s * (d / 2 - 0.07), 0)),
            put(block(0.14, d - 0.28, h, m, 0.03), (s * (w / 2 - 0.07), 0, 0)),
        ]
    n = int((w - 0.28) / 0.135)
    for i in range(n):
        out.append(
            put(
                block(0.105, d - 0.28, 0.06, m, 0.015),
                ((i - (n - 1) / 2) * (w - 0.28) / n, 0, h - 0.075 + R.uniform(-0.004, 0.004)),
            )
        )
    return out


def curl(m, l=0.12):
    """A dry tea leaf, twisted."""
    a, b = R.uniform(0, 6), R.uniform(0.01, 0.03)
    return tube(
        [(x * l, b * math.sin(5 * x + a), b * math.cos(7 * x + a)) for x in np.linspace(-0.5, 0.5, 12)],
        0.011,
        m,
        np.sin(np.linspace(0.3, 2.9, 12)) * R.uniform(0.8, 1.5),
        2,
    )


def twig(x, y, z, bark, bloom=None, leafm=None, length=2.4, lean=(0.4, 0.2), n=4):
    """Thin branches with blossoms or leaves."""
    for b in range(n):
        t = np.linspace(0, 1, 24)
        dx, dy, L = lean[0] * R.uniform(-1, 2), lean[1] * R.uniform(-1, 1), length * R.uniform(0.6, 1)
        p = np.c_[
            x + dx * t**1.3 * L + 0.05 * np.sin(9 * t + b),
            y + dy * t * L + 0.05 * np.cos(8 * t + b),
            z + t * L * (1 - 0.25 * t * abs(dx)),
        ]
        tube(p, 0.022, bark, 1 - 0.75 * t, 3)
        for _ in range(14):
            i = R.randint(6, 23)
            q = p[i] + np.array([R.gauss(0, 0.04) for _ in range(3)])
            if bloom and R.random() < 0.8:
                for k in range(5):
                    put(
                        leaf(0.11, 0.06, bloom, 0.3),
                        q,
                        (R.uniform(-20, 20), R.uniform(-50, -5), 72 * k + R.uniform(-9, 9)),
                    )
            elif leafm:
                put(
                    leaf(R.uniform(0.2, 0.4), R.uniform(0.05, 0.09), leafm, 0.3),
                    q,
                    (R.uniform(-40, 40), R.uniform(-50, 40), R.uniform(0, 360)),
                )


# ---------- fruit ----------
def lattice(f, th, rows, n):
    """Staggered dots on a body: distance across and along to the nearest dot, 0..1."""
    v = f * rows
    i = np.floor(v)
    u = th / PI2 * n + 0.5 * (i % 2)
    return (u - np.floor(u) - 0.5) * 2, (v - i - 0.5) * 2


def strawberry(m, r=0.16, l=0.34, half=False):
    """Tip up, flat calyx end on z = 0; half cuts it lengthwise (the cut faces -y)."""
    n, k = 90, 150
    f, th = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, PI2, k, endpoint=False), indexing="ij")
    body = np.interp(
        f,
        [0, 0.02, 0.10, 0.25, 0.45, 0.65, 0.82, 0.93, 0.98, 1],
        [0, 0.55, 0.86, 1.0, 0.97, 0.80, 0.52, 0.30, 0.16, 0],
    )
    du, dv = lattice(np.clip((f - 0.10) / 0.86, 0, 1), th, 8, 11)
    fade = np.clip(f * 9 - 1, 0, 1) * np.clip((1 - f) * 9, 0, 1)
    seed, pit = (
        np.exp(-((du / 0.15) ** 2) - (dv / 0.26) ** 2) * fade,
        np.exp(-((du / 0.40) ** 2) - (dv / 0.52) ** 2) * fade,
    )
    rr = r * body * (
        1 + 0.05 * np.sin(2 * th + R.uniform(0, 6)) + 0.04 * np.sin(3 * th + R.uniform(0, 6))
    ) + r * (-0.085 * pit + 0.030 * seed)
    lean = R.uniform(-0.05, 0.05) * l
    x, y, z = rr * np.cos(th) + lean * f**2, rr * np.sin(th), l * (f + 0.04 * np.cos(th) * (1 - f))
    c = mixc(
        (0.50, 0.008, 0.006), (0.66, 0.10, 0.03), np.clip(0.20 - f, 0, 1) * 3 + 0.12 * ripple(x * 9, z * 9, 2)
    )
    c = mixc(c, (0.62, 0.24, 0.035), 0.9 * seed)
    if half:
        w = np.clip(1 - np.abs(rr * np.cos(th)) / (r * np.maximum(body, 0.05)), 0, 1)
        heart = np.clip(w * 1.8 - 0.7, 0, 1) * np.clip(1 - np.abs(f - 0.45) * 2.1, 0, 1)
        flatten = np.clip(-np.sin(th) * 30, 0, 1)
        y = np.where(y < 0, 0, y)
        c = mixc(
            c, mixc((0.62, 0.05, 0.025), (0.90, 0.55, 0.42), heart * 1.4 + 0.15 * np.sin(40 * f)), flatten
        )
    return sheet(np.stack([x, y, z], -1), m, True, cols=np.clip(c, 0, 1))


def raspberry(m, r=0.115, l=0.20):
    f, th = np.meshgrid(np.linspace(0, 1, 100), np.linspace(0, PI2, 160, endpoint=False), indexing="ij")
    body = np.interp(f, [0, 0.03, 0.2, 0.45, 0.7, 0.88, 0.97, 1], [0, 0.72, 0.96, 1, 0.86, 0.58, 0.28, 0])
    du, dv = lattice(f, th, 7, 11)
    drop = np.sqrt(np.clip(1 - 0.62 * (du**2 + dv**2), 0, 1))
    rr = r * body * (0.80 + 0.26 * drop) * (1 + 0.03 * np.sin(3 * th + R.uniform(0, 6)))
    c = mixc(
        (0.20, 0.004, 0.012), (0.62, 0.03, 0.06), drop * 1.3 - 0.3 + 0.15 * ripple(np.cos(th) * 4, f * 9, 2)
    )
    return sheet(
        np.stack([rr * np.cos(th), rr * np.sin(th), l * (f + 0.03 * drop)], -1),
        m,
        True,
        cols=np.clip(c, 0, 1),
    )


def blueberry(m, r=0.085):
    prof = [
        (0, -0.86),
        (0.35, -0.84),
        (0.72, -0.62),
        (0.97, -0.15),
        (0.96, 0.22),
        (0.76, 0.62),
        (0.46, 0.84),
        (0.40, 0.92),
        (0.33, 0.90),
        (0.28, 0.74),
        (0, 0.70),
    ]
    o = lathe([(a * r, b * r) for a, b in prof], m, 40, 1, 0.05)
    return o


def mats_fruit():
    return dict(
        straw=painted(0.24, (26, 0.004), 0.22, 0.7, radius=(0.06, 0.015, 0.01)),
        rasp=painted(0.30, (40, 0.003), 0.3, 0.5, radius=(0.06, 0.01, 0.02)),
        blue=mat(
            (0.022, 0.026, 0.075), (0.12, 0.14, 0.27), (7, 0.42, 0.72), 0.42, (20, 0.003), sss=0.1, coat=0.25
        ),
        mint=mat(
            (0.05, 0.20, 0.025),
            (0.11, 0.33, 0.05),
            (7, 0.4, 0.7),
            0.4,
            (26, 0.010),
            sss=0.3,
            radius=(0.03, 0.06, 0.01),
            coat=0.15,
        ),
    )


def kiwi(r=0.19, thick=0.05):
    q, th = np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, PI2, 180, endpoint=False), indexing="ij")
    ray = np.sin(th * 26 + 0.8 * ripple(np.cos(th) * 3, np.sin(th) * 3, 2))
    c = mixc((0.70, 0.76, 0.42), (0.26, 0.48, 0.035), np.clip((q - 0.26 + 0.05 * ray) * 5, 0, 1))
    c = mixc(c, (0.40, 0.58, 0.10), np.clip((q - 0.6) * 2, 0, 0.6) * (ray > 0.2))
    seeds = np.exp(-(((q - 0.40 - 0.07 * np.sin(th * 13 + 1)) / 0.055) ** 2)) * (np.cos(th * 30) > 0.35)
    c = mixc(c, (0.02, 0.018, 0.012), seeds * 1.4)
    c = mixc(c, (0.30, 0.45, 0.06), np.clip((q - 0.93) * 16, 0, 1))
    P = np.stack(
        [
            r * q * np.cos(th) * 1.06,
            r * q * np.sin(th),
            0.006 * ray * (1 - q) + 0.012 * seeds + thick - 0.03 * np.clip(q - 0.92, 0, 1) / 0.08,
        ],
        -1,
    )
    return sheet(P, painted(0.18, sss=0.35, coat=0.7, radius=(0.04, 0.06, 0.01)), True, cols=np.clip(c, 0, 1))


def mint(m, s=0.2, n=3, at=(0, 0, 0)):
    return [
        put(
            leaf(s * R.uniform(0.8, 1.1), s * 0.32, m, 0.35),
            at,
            (R.uniform(-15, 15), R.uniform(-50, -20), 360 / n * i + R.uniform(-20, 20)),
        )
        for i in range(n)
    ]


# ---------- pastry ----------
def tart(shell, cream, r=0.46, h=0.20, flutes=26):
    """Fluted crust with custard inside; z = h - .03 is the custard's level at the wall."""
    th = np.linspace(0, PI2, flutes * 10, endpoint=False)
    rows, cols = [], []
    for q, z, wave in [
        (0, 0.0, 0),
        (0.80, 0, 0.3),
        (0.84, 0.015, 1),
        (0.92, h * 0.5, 1),
        (0.99, h * 0.92, 1),
        (1.0, h, 0.9),
        (0.975, h + 0.014, 0.6),
        (0.945, h, 0.3),
        (0.91, h * 0.8, 0),
        (0.86, h * 0.4, 0),
    ]:
        k = (
            r
            * q
            * (1 + wave * (0.030 * np.abs(np.sin(flutes * th / 2)) - 0.015) + 0.008 * np.sin(3 * th + 1))
        )
        rows.append(
            np.stack(
                [k * np.cos(th), k * np.sin(th), z + 0.006 * wave * np.sin(5 * th + R.uniform(0, 6))], -1
            )
        )
        dark = (
            0.35 * z / h
            + 0.5 * (z >= h)
            + 0.12 * ripple(np.cos(th) * 4, np.sin(th) * 4, 3)
            + 0.25 * wave * np.abs(np.sin(flutes * th / 2)) * (z > 0.01)
        )
        cols.append(mixc((0.74, 0.42, 0.14), (0.40, 0.145, 0.03), dark))
    out = [sheet(np.array(rows), shell, True, sub=1, cols=np.clip(np.array(cols), 0, 1))]
    out.append(
        put(
            lathe([(r * q, 0.05 * (1 - q * q)) for q in np.linspace(0, 0.93, 12)], cream, 64, 1, 0.0),
            (0, 0, h - 0.03),
        )
    )
    return out


def wedge(r, deg, z0, z1, m, rough=0.0, freq=9, out=0.0):
    """One layer of a cake slice, point at the origin, along +x."""
    a = np.radians(np.linspace(-deg / 2, deg / 2, 50))
    side = np.linspace(0.02, 1, 50)[:, None] * r
    per = np.concatenate(
        [
            side * [math.cos(a[0]), math.sin(a[0])],
            np.c_[r * np.cos(a), r * np.sin(a)][1:-1],
            side[::-1] * [math.cos(a[-1]), math.sin(a[-1])],
        ]
    )
    c = np.array([r * 0.6, 0])
    nrm = (per - c) / np.linalg.norm(per - c, axis=1)[:, None]
    rows = []
    for z, inset in (
        [(z0, 0.05), (z0, 0.012), (z0 + 0.012, 0)]
        + [(z0 + (z1 - z0) * t, 0) for t in np.linspace(0.12, 0.88, 9)]
        + [(z1 - 0.012, 0), (z1, 0.012), (z1, 0.05)]
    ):
        p = per + nrm * (out - inset)
        d = rough * ripple(p[:, 0] * 3 + z * 7, p[:, 1] * 3 - z * 6, freq, 9)[:, None] if rough else 0
        rows.append(np.c_[p + nrm * d, np.full(len(p), z)])
    for q in (0.8, 0.5, 0.2, 0):
        p = c + (rows[15 - 1][:, :2] - c) * q
        rows.append(np.c_[p, z1 + rough * 0.6 * ripple(p[:, 0], p[:, 1], freq)])
    return sheet(np.array(rows), m, True)


def dollop(m, r=0.15, h=0.20, arms=7):
    """Piped star of cream."""
    f, th = np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, PI2, arms * 16, endpoint=False), indexing="ij")
    body = np.interp(f, [0, 0.05, 0.3, 0.55, 0.8, 0.95, 1], [0.8, 0.95, 1, 0.78, 0.42, 0.12, 0])
    rr = r * body * (1 + 0.17 * np.cos(arms * (th + 1.5 * f)) * np.clip(1.1 - f, 0, 1))
    return sheet(np.stack([rr * np.cos(th) + 0.02 * f**3, rr * np.sin(th), h * f], -1), m, True)


def fork(m, l=1.5):
    x = np.linspace(0.28, l, 24)
    out = [
        tube(
            [(a, 0, 0.05 * math.sin(2.2 * a)) for a in x],
            0.030,
            m,
            np.interp(x, [0.28, 0.4, 0.8, l], [1.6, 0.9, 0.8, 1.7]),
        )
    ]
    for k in (-1, 0, 1):
        out.append(
            tube(
                [
                    (
                        a,
                        k * 0.052 * min(1, (0.34 - a) * 9),
                        0.055 * math.sin(2.2 * 0.28) * (1 - (a - 0.28) ** 2 * 3),
                    )
                    for a in np.linspace(0.34, 0, 14)
                ],
                0.017,
                m,
                np.linspace(1.2, 0.55, 14),
            )
        )
    return out


# ---------- bread ----------
def crust_colors(bake, flour=0, cut=0):
    """bake 0..1 from pale through gold to dark; flour and cut (pale crumb) lie over it."""
    b = np.clip(bake, 0, 1)[..., None]
    pale, gold, brown, dark = (
        np.array(c)
        for c in ((0.86, 0.62, 0.32), (0.60, 0.27, 0.07), (0.30, 0.10, 0.025), (0.10, 0.030, 0.010))
    )
    c = np.where(
        b < 0.33,
        pale + (gold - pale) * b * 3,
        np.where(b < 0.7, gold + (brown - gold) * (b - 0.33) * 2.7, brown + (dark - brown) * (b - 0.7) * 3.3),
    )
    return mixc(mixc(c, (0.88, 0.70, 0.42), cut), (0.90, 0.85, 0.76), flour)


def sourdough(L=1.05, W=0.66, H=0.60, rings=True):
    """Oval loaf: one long open cut with a lifted ear, flour in basket rings, dark blistered crust."""
    v, th = np.meshgrid(
        np.linspace(-math.pi / 2, math.pi / 2, 240), np.linspace(0, PI2, 420, endpoint=False), indexing="ij"
    )
    x, y, z = np.cos(v) * np.cos(th), np.cos(v) * np.sin(th), np.sin(v)
    x = np.sign(x) * np.abs(x) ** 0.88
    up = np.clip(z * 2, 0, 1)
    line = y + 0.40 - 0.16 * x**2 + 0.03 * np.sin(5 * x + 1)  # distance from the cut
    ends = np.clip((0.84 - np.abs(x)) * 7, 0, 1)
    width = 0.19 * np.sqrt(np.clip(1 - (x / 0.86) ** 2, 0, 1)) + 1e-3
    cut = np.clip(1.6 - np.abs(line) / width * 1.6, 0, 1) * ends * up
    ear = np.exp(-(((line - width * 1.02) / 0.05) ** 2)) * ends * up * (1 + 0.5 * ripple(x * 7, y, 2))
    torn = ripple(x * 14, y * 5, 3, 9)
    lump, blister = ripple(x * 3, y * 3 + z, 1.6), np.clip(ripple(x * 26 + z * 9, y * 22, 2, 9) - 0.25, 0, 1)
    q = 1 + 0.03 * lump - 0.11 * cut * (1 + 0.35 * torn) + 0.055 * ear + 0.022 * blister * (1 - cut)
    Z = np.where(z < -0.42, -0.42 + 0.1 * (z + 0.42), z)
    P = np.stack([L * q * x, W * q * y, H * q * Z], -1)
    P[..., 2] -= P[..., 2].min()
    r2 = np.hypot(x * 1.05, y)
    band = 0.62 + 0.16 * np.sin(r2 * 40 + 6 * lump) if rings else np.ones_like(x) * 0.6
    flour = (
        band
        * np.clip(up * 1.2 - 0.1, 0, 1)
        * (1 - cut)
        * (1 - ear)
        * np.clip(0.42 + 0.8 * ripple(x * 6, y * 10, 2, 9) + 0.4 * ripple(x * 22, y * 30, 2, 9), 0, 1)
        * 0.85
    )
    bake = (
        0.72
        + 0.16 * lump
        + 0.30 * ear
        + 0.14 * ripple(x * 9, y * 9 + z * 5, 2, 8)
        + 0.5 * blister
        - 0.28 * np.clip(-z * 2, 0, 1)
        - 0.40 * cut
    )
    c = crust_colors(bake, np.clip(flour, 0, 1), np.clip(cut * 0.75 + 0.35 * torn * cut, 0, 1))
    return sheet(
        P, painted(0.62, (26, 0.012), 0.06, 0.05, radius=(0.05, 0.03, 0.01)), True, cols=np.clip(c, 0, 1)
    )


def bun(r=0.36, h=0.30, seeds=None, shine=0.45):
    """Glazed round bun, paler at the foot; seeds on top."""
    o = blob(
        r,
        r,
        h,
        painted(0.30, (9, 0.008), 0.15, shine, radius=(0.06, 0.03, 0.01)),
        lambda x, y, z, d: crust_colors(
            0.36 + 0.42 * np.clip(z, -0.6, 1) + 0.12 * d + 0.06 * ripple(x * 6, y * 6, 2)
        ),
        60,
        90,
        0.045,
        1.5,
        0.45,
    )
    out = [o]
    for _ in range(70 if seeds else 0):
        a, q = R.uniform(0, PI2), 0.78 * math.sqrt(R.random())
        v = math.sqrt(max(0, 1 - q * q))
        out.append(
            clone(
                seeds,
                (r * q * math.cos(a) * 0.98, r * q * math.sin(a) * 0.98, h * (v + 0.49) * 0.995),
                (
                    math.degrees(q * math.sin(a)) * -0.9 + R.uniform(-9, 9),
                    math.degrees(q * math.cos(a)) * 0.9,
                    R.uniform(0, 360),
                ),
                R.uniform(0.8, 1.15),
            )
        )
    return out


def seed_grain(m, l=0.030):
    o = lathe([(0, -l), (l * 0.42, -l * 0.5), (l * 0.52, 0), (l * 0.36, l * 0.55), (0, l)], m, 10, 1, 0)
    o.rotation_euler = (math.pi / 2, 0, 0)
    o.data.transform(o.rotation_euler.to_matrix().to_4x4())
    return put(o, (0, 0, -3))


def bread_slice(w=0.62, h=0.56, thick=0.11):
    """Cut slice: open crumb, thin brown crust; stands in the x-z plane."""
    q, th = np.meshgrid(np.linspace(0, 1, 90), np.linspace(0, PI2, 220, endpoint=False), indexing="ij")
    e = 1 + 0.05 * np.cos(2 * th) - 0.06 * np.sin(3 * th + 0.3) + 0.02 * np.sin(5 * th)
    x, z = w * q * e * np.cos(th), h * q * e * np.sin(th)
    z = np.where(z < -0.62 * h, -0.62 * h + 0.15 * (z + 0.62 * h), z)
    hole = np.clip(
        np.maximum(ripple(x * 9, z * 12, 2.2, 7) * 2.4 - 0.75, ripple(x * 24, z * 30, 2.2, 9) * 2.2 - 0.70),
        0,
        1,
    ) * np.clip((0.88 - q) * 12, 0, 1)
    rim = np.clip((q - 0.95) * 26, 0, 1)
    c = mixc(mixc((0.88, 0.74, 0.50), (0.62, 0.44, 0.24), hole), (0.24, 0.085, 0.025), rim)
    front = np.stack([x, -thick / 2 + 0.05 * hole, z], -1)
    back = np.stack([x, thick / 2 + 0 * x, z], -1)[::-1]
    P = np.concatenate([front, back])
    P[..., 2] -= P[..., 2].min()
    return sheet(
        P,
        painted(0.8, (30, 0.010), 0.2, 0, radius=(0.05, 0.03, 0.02)),
        True,
        cols=np.clip(np.concatenate([c, c[::-1]]), 0, 1),
    )


# ---------- bar ----------
def coupe(m, r=0.46, stem=0.62):
    """Shallow stemmed glass; returns the glass and its inner level function r(z) as points."""
    base = [
        (0, 0.0),
        (0.34, 0),
        (0.345, 0.012),
        (0.30, 0.022),
        (0.06, 0.05),
        (0.035, 0.10),
        (0.032, stem - 0.05),
        (0.05, stem),
    ]
    bowl_ = [
        (r * q, stem + 0.46 * r * 2 * (1 - math.sqrt(max(0, 1 - q**2.4))) * 0.62)
        for q in (0.3, 0.55, 0.75, 0.88, 0.96, 1.0)
    ]
    top = bowl_[-1][1]
    wall = [(r * 1.005, top + 0.06), (r * 1.0, top + 0.072), (r * 0.985, top + 0.06)]
    inner = [
        (r * q * 0.975, stem + 0.018 + 0.46 * r * 2 * (1 - math.sqrt(max(0, 1 - q**2.4))) * 0.62)
        for q in (1.0, 0.96, 0.88, 0.75, 0.55, 0.3, 0.12, 0)
    ]
    return lathe(base + bowl_ + wall + inner, m, wobble=0), inner


def filled(inner, m, level, grow=0.004):
    """Liquid body for a list of inner wall points (from the rim down to the middle), up to z = level."""
    p = sorted(((a + grow, z - grow) for a, z in inner), key=lambda q: q[1])
    zs, rs = [z for _, z in p], [a for a, _ in p]
    low = [(a, z) for a, z in p if z < level]
    rl = float(np.interp(level, zs, rs))
    return lathe(
        [(0, low[0][1])]
        + [q for q in low if q[0] > 0]
        + [
            (rl, level - 0.012),
            (rl, level),
            (rl - 0.02, level - 0.006),
            (rl * 0.5, level - 0.008),
            (0, level - 0.008),
        ],
        m,
        wobble=0,
    )


def tumbler(m, r=0.40, h=0.92, base=0.14, taper=0.92, facets=0):
    """Heavy straight glass with a thick bottom, cut facets at will."""
    out = (
        [(0, 0.03), (r * taper * 0.7, 0.02), (r * taper * 0.92, 0), (r * taper, 0.03)]
        + [(r * (taper + (1 - taper) * t), h * t) for t in np.linspace(0.1, 0.97, 9)]
        + [(r, h - 0.01), (r - 0.012, h)]
    )
    inn = [
        (r - 0.028 - r * (1 - taper) * t, h - 0.012 - (h - base - 0.05) * t) for t in np.linspace(0, 1, 9)
    ] + [(r * taper - 0.08, base + 0.01), (0, base)]
    o = lathe(out + inn, m, 120 if facets else 96, 0 if facets else 1, 0)
    if facets:
        me = o.data
        for v in me.vertices:
            q, a = math.hypot(v.co.x, v.co.y), math.atan2(v.co.y, v.co.x)
            if 0.05 < v.co.z < h * 0.62 and q > r * taper * 0.96 - 0.02 and q > 0.3 * r:
                k = (
                    1
                    - 0.035
                    * abs(math.cos(a * facets / 2))
                    * math.sin(min(1, (v.co.z - 0.05) / (h * 0.57)) * math.pi) ** 0.3
                )
                v.co.x *= k
                v.co.y *= k
    return o, inn


def peel(m, r=0.10, turns=1.4, w=0.055, rise=0.30):
    """Ribbon of citrus zest, coiled."""
    t = np.linspace(0, 1, 80)
    a = t * turns * PI2
    rr = r * (1 - 0.35 * t)
    c = np.stack([rr * np.cos(a), rr * np.sin(a), rise * t], -1)
    return sheet(
        np.stack([c - [0, 0, w], c + np.stack([0.02 * np.cos(a), 0.02 * np.sin(a), w + 0 * t], -1)], 0),
        m,
        thick=0.018,
        sub=1,
    )


def citrus(
    r=0.32,
    thick=0.07,
    flesh=((0.94, 0.42, 0.03), (0.98, 0.62, 0.12)),
    skin=(0.93, 0.40, 0.02),
    n=10,
    half=False,
):
    """Slice (or half, domed below) of an orange, lemon or grapefruit; the cut looks up."""
    q, th = np.meshgrid(np.linspace(0, 1, 110), np.linspace(0, PI2, 360, endpoint=False), indexing="ij")
    s = np.abs((th / PI2 * n) % 1 - 0.5) * 2  # 1 on the walls between segments
    wall = np.clip((s * q * PI2 * r / n / 2 - (q * PI2 * r / n / 2 - 0.013)) / 0.008, 0, 1)
    wall = np.maximum(wall, np.clip((0.085 - q) * 30, 0, 1))
    pith = np.clip((q - 0.875) * 26, 0, 1)
    juice = ripple(q * 9, th * 9, 3, 9) * 0.5 + 0.5 * np.sin(
        th * n * 9 + 4 * ripple(q * 5, th * 3, 2)
    ) * np.clip(q * 2, 0, 1)
    c = mixc(flesh[0], flesh[1], 0.5 + 0.5 * juice)
    c = mixc(c, (0.96, 0.84, 0.58), np.maximum(wall * 0.85, pith))
    zest = np.clip((q - 0.955) * 40, 0, 1)
    c = mixc(c, skin, zest)
    z = (
        0.006 * juice * (1 - pith) * (1 - wall)
        - 0.016 * wall * (1 - pith)
        - 0.03 * np.clip(q - 0.97, 0, 1) / 0.03
    )
    P = np.stack([r * q * np.cos(th), r * q * np.sin(th), z + thick], -1)
    down = []
    for v in np.linspace(0.08, 1, 16):
        k = math.cos(v * math.pi / 2) if half else (1 if v < 0.99 else 0)
        zz = thick - (r * 0.92 * math.sin(v * math.pi / 2) if half else min(v * 1.05, 1) * thick)
        down.append(
            np.stack(
                [r * k * np.cos(th[0]) + 0.003 * np.sin(40 * th[0]), r * k * np.sin(th[0]), zz + 0 * th[0]],
                -1,
            )
        )
    P = np.concatenate([P, np.array(down)])
    C = np.concatenate([c, np.broadcast_to(np.array(skin) * 0.95, (16, 360, 3))])
    if half:
        P[..., 2] += r * 0.92 - thick
    return sheet(
        P, painted(0.22, (60, 0.003), 0.35, 0.5, radius=(0.08, 0.05, 0.02)), True, cols=np.clip(C, 0, 1)
    )


def cherry(m, stem, r=0.085):
    return [
        ball(r, m, 0.95, 32, 0.04),
        tube([(0.05 * t * t, 0.02 * t, r * 0.85 + 0.26 * t) for t in np.linspace(0, 1, 10)], 0.009, stem),
    ]


def bottle(m, h=2.6, r=0.38, label=None):
    p = [
        (0, 0),
        (r, 0),
        (r + 0.01, 0.04),
        (r, h * 0.55),
        (r * 0.9, h * 0.62),
        (r * 0.4, h * 0.72),
        (r * 0.34, h * 0.98),
        (r * 0.4, h),
        (0, h),
    ]
    out = [lathe(p, m, wobble=0)]
    if label:
        out.append(lathe([(r + 0.012, h * 0.14), (r + 0.012, h * 0.44)], label, wobble=0, sub=0))
    return out


def mug(m, r=0.42, h=1.30, panels=10):
    """Beer mug of thick glass with dimples and a handle."""
    o, inn = tumbler(m, r, h, 0.12, 0.97, panels)
    a = np.linspace(-1.45, 1.45, 40)
    return [
        o,
        tube(
            [(r * 0.93 + 0.36 * math.cos(x) ** 0.7, 0, h * 0.52 + h * 0.34 * math.sin(x)) for x in a],
            0.062,
            m,
            0.95 + 0.2 * (a / 1.45) ** 2,
            10,
        ),
    ], inn


def foam(m, r, h, spill=0):
    """Beer head: rounded, lumpy, a little above the rim."""
    q, th = np.meshgrid(np.linspace(0, 1, 50), np.linspace(0, PI2, 160, endpoint=False), indexing="ij")
    x, y = r * q * np.cos(th), r * q * np.sin(th)
    lump = ripple(x * 9, y * 9, 1.6, 7)
    top = np.stack(
        [
            x * (1 + 0.02 * lump),
            y * (1 + 0.02 * lump),
            h * (1 - 0.45 * q**5) + 0.026 * lump + 0.012 * ripple(x * 30, y * 30, 2, 9),
        ],
        -1,
    )
    f = np.linspace(0, 1, 14)[1:]
    side = np.stack(
        [
            np.stack(
                [
                    r * np.cos(th[0]),
                    r * np.sin(th[0]),
                    top[-1, :, 2] * (1 - k)
                    - k * (0.08 + 0.03 * ripple(3 * np.cos(th[0]), 3 * np.sin(th[0]), 2, 6)),
                ],
                -1,
            )
            for k in f
        ]
    )
    return sheet(np.concatenate([top, side]), m, True)


def droplets(m, r, z0, z1, n=220, taper=0):
    """Condensation on a glass wall."""
    o = ball(0.012, m, 1.2, 10, 0.1)
    o.location.z = -3
    out = [o]
    for _ in range(n):
        a, t = R.uniform(0, PI2), R.random()
        q = r + taper * t
        out.append(
            clone(
                o,
                (q * math.cos(a), q * math.sin(a), z0 + (z1 - z0) * t),
                (0, 0, math.degrees(a)),
                R.choice((0.4, 0.5, 0.6, 0.8, 1.1)),
            )
        )
    return out


def peanut(m, l=0.15):
    """Two-lobed shell with a net of ridges."""
    f, th = np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, PI2, 72, endpoint=False), indexing="ij")
    body = np.sqrt(np.clip(1 - (2 * f - 1) ** 2, 0, 1)) ** 0.8 * (
        0.86 + 0.20 * np.cos((f - 0.05) * 2 * PI2 + math.pi)
    )
    net = np.abs(np.sin(th * 5)) ** 0.5 * 0.5 + np.abs(np.sin(f * 20 + np.sin(th * 5))) ** 0.5 * 0.5
    rr = l * 0.42 * body * (1 + 0.10 * (net - 0.7) + 0.05 * ripple(f * 6, np.cos(th) * 2, 2))
    c = mixc((0.36, 0.19, 0.07), (0.74, 0.50, 0.25), net * 1.2 - 0.2 + 0.2 * ripple(f * 5, np.cos(th) * 2, 2))
    return sheet(
        np.stack([l * 2 * (f - 0.5), rr * np.cos(th), rr * np.sin(th) + 0.02 * (2 * f - 1) ** 2], -1),
        m,
        True,
        cols=np.clip(c, 0, 1),
    )


def orange(skin, r=0.36):
    """Whole citrus fruit with its pores and a small dimple on top."""
    t = np.linspace(-math.pi / 2, math.pi / 2, 40)
    return [
        lathe(
            [
                (
                    max(0, r * math.cos(a)),
                    r * 0.95 * math.sin(a) - 0.05 * r * math.exp(-(((a - math.pi / 2) / 0.16) ** 2)),
                )
                for a in t
            ],
            skin,
            96,
            1,
            0.02,
        ),
        put(ball(0.03, mat((0.14, 0.20, 0.06), rough=0.7), 0.5, 10, 0.2), (0, 0, r * 0.90)),
    ]


# ---------- ices ----------
def scoop(m, r=0.34, tint=None):
    """Ball of ice cream: scraped skin above, ragged skirt below."""
    v, th = np.meshgrid(
        np.linspace(-math.pi / 2, math.pi / 2, 120), np.linspace(0, PI2, 220, endpoint=False), indexing="ij"
    )
    x, y, z = np.cos(v) * np.cos(th), np.cos(v) * np.sin(th), np.sin(v)
    drag = ripple(x * 2 + 9 * z, y * 2 + 9 * z, 1.6, 9)
    pit = np.clip(ripple(x * 12 + z * 5, y * 12 - z * 7, 2, 9) - 0.18, 0, 1)
    skirt = np.exp(-(((z + 0.52) / 0.13) ** 2))
    q = (
        1
        + 0.025 * drag
        - 0.10 * pit * (1 - 0.5 * skirt)
        + skirt * (0.07 + 0.07 * ripple(x * 6, y * 6, 2, 9) + 0.03 * ripple(x * 20, y * 20, 2, 6))
    )
    Z = np.where(z < -0.62, -0.62 + 0.2 * (z + 0.62), z)
    P = np.stack([r * q * x, r * q * y, r * q * Z], -1)
    P[..., 2] -= P[..., 2].min()
    return sheet(P, m, True)


def wafer(m, l=1.0, r=0.055):
    """Rolled wafer stick."""
    t = np.linspace(0, 1, 60)
    o = lathe(
        [(r * (0.8 if a < 0.5 else 1) * (1 + 0.05 * math.sin(52 * a)), l * a) for a in t]
        + [(r * 0.6, l), (r * 0.55, l * 0.9)],
        m,
        40,
        0,
        0.03,
    )
    return o


def drizzle(m, r, z, n=9):
    """Sauce over a scoop: cap with runs of different length."""
    th, f = np.meshgrid(np.linspace(0, PI2, 240, endpoint=False), np.linspace(0, 1, 50), indexing="xy")
    k = (
        0.55
        + 0.30 * ripple(np.cos(th) * 2, np.sin(th) * 2, 2, 6)
        + 0.22 * np.maximum(np.sin(n * th + 2 * ripple(np.cos(th), np.sin(th), 2)), 0) ** 2
    )
    a = f * np.clip(k, 0.3, 1.2) * 1.7
    lift = r * (1.035 + 0.025 * np.exp(-(((f - 0.93) / 0.09) ** 2)) - 0.05 * np.clip(f - 0.965, 0, 1) / 0.035)
    return put(
        sheet(
            np.stack([lift * np.sin(a) * np.cos(th), lift * np.sin(a) * np.sin(th), lift * np.cos(a)], -1),
            m,
            True,
        ),
        (0, 0, z),
    )
