"""The JSON API of saves and of lists."""

from ninja import Router

from apps.saves.api.lists import router as lists
from apps.saves.api.saves import router as saves

router = Router()
router.add_router("", saves)
router.add_router("", lists)
