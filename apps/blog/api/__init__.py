"""The JSON API of notes: one router a subject."""

from ninja import Router

from apps.blog.api.comments import router as comments
from apps.blog.api.lists import router as lists
from apps.blog.api.notes import router as notes

router = Router()
router.add_router("", lists)
router.add_router("", comments)
router.add_router("", notes)
