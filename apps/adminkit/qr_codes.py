import qrcode
from django.utils.safestring import SafeString, mark_safe
from qrcode.constants import ERROR_CORRECT_M

#: Light squares around the code; the white frame it is shown in makes up the four that scanners want.
QUIET_ZONE_MODULES = 2


def render_svg(text: str) -> SafeString:
    """A QR code as one SVG path in the colour of its surroundings, without an inline style."""
    code = qrcode.QRCode(error_correction=ERROR_CORRECT_M, border=QUIET_ZONE_MODULES)
    code.add_data(text)
    code.make(fit=True)
    rows = code.get_matrix()
    drawn = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark)
    size = len(rows)
    return mark_safe(  # noqa: S308 - digits of our own drawing
        f'<svg viewBox="0 0 {size} {size}" shape-rendering="crispEdges" aria-hidden="true">'
        f'<path fill="currentColor" d="{drawn}"/></svg>'
    )
