"""The JSON API of notes: one router a subject."""

from ninja import Router

from apps.blog.api.comments import router as comments
from apps.blog.api.feed import router as feed
from apps.blog.api.likes import router as likes
from apps.blog.api.notes import router as notes
from apps.blog.api.photos import router as photos
from apps.blog.api.viewed import router as viewed

router = Router()
router.add_router("", feed)
router.add_router("", likes)
router.add_router("", comments)
router.add_router("", notes)
router.add_router("", photos)
router.add_router("", viewed)
