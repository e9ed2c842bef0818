"""Reads the QR code in a photo, for phones whose browser has no reader of its own.

The photo is drawn anew first, apart and limited like every upload: the reader sees pixels of our own making.
"""

from io import BytesIO

import zxingcpp
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from PIL import Image

from apps.accounts.pictures import uploads
from apps.accounts.pictures.drawing import Shape
from apps.web.problems import Problem

#: A code that fills a tenth of the photo's width is read at this size, in a twentieth of a second.
SHAPE = Shape(side=1200)
FORMATS = zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode])


def read_code(photo: "UploadedFile[bytes]", *, cashier_id: int) -> str:
    """The text of the QR code in a photo; Problem 422 no_code, and those of uploads.redraw."""
    drawn = uploads.redraw(photo, SHAPE, most_bytes=uploads.MAX_SHOWN_BYTES, owner_id=cashier_id)
    with Image.open(BytesIO(drawn.files[0])) as pixels:
        found = zxingcpp.read_barcodes(pixels.convert("L"), formats=FORMATS)
    texts = [one.text for one in found if one.text]
    if not texts:
        sentence = _("There is no QR code to be read in this photo. Go closer and hold the phone still.")
        raise Problem(422, "no_code", sentence)
    return texts[0]
