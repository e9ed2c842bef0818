"""The JSON API of what Redis keeps on disk; the project's API mounts it with its own authentication."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from apps.monitoring import persistence
from apps.web.problems import documented

router = Router()


class LossOut(Schema):
    mode: str = Field(description="none, rdb, no, everysec or always: a snapshot, or when a file is on disk")
    directives: str = Field(description="the lines of redis.conf that set it")
    is_current: bool = Field(description="whether this server has it")
    seconds: float = Field(description="of writes that a power cut would lose now, at most")
    claims_per_second: float | None = Field(description="as it was measured here; null: it was not")
    p99_ms: float | None = Field(description="milliseconds of the slowest claim in a hundred, measured here")


class PersistenceOut(Schema):
    mode: str = Field(description="the server's setting; empty where it doesn't say")
    policy: str = Field(description="its maxmemory-policy")
    save_rules: str = Field(description='when a snapshot is made, as redis.conf has it; "": never')
    saved_at: datetime | None = Field(description="of the last snapshot; null: there is none")
    aof_bytes: int | None = Field(description="size of the append-only file; null: there is none")
    losses: list[LossOut] = Field(description="every setting, and what it would lose here")
    warnings: list[str] = Field(description="what should not stay as it is, the worst first")
    measured_at: datetime | None = Field(description="by `make bench-persistence`; null: never")


@router.get(
    "/persistence",
    operation_id="getPersistence",
    response=PersistenceOut,
    summary="What Redis keeps on disk, and what would be lost",
    openapi_extra=documented.problems({401: ["not_logged_in"], 403: ["forbidden", "second_factor_required"]}),
)
def show_persistence(request: HttpRequest) -> dict[str, Any]:
    """As the admin's page "Persistence" shows it."""
    state, report = persistence.read_state(), persistence.read_measurements()
    measured = report.by_mode if report else persistence.NOTHING_MEASURED
    size = state.number("aof_current_size")
    return {
        "mode": state.mode,
        "policy": state.policy,
        "save_rules": state.save_rules,
        "saved_at": state.saved_at,
        "aof_bytes": size if size >= 0 else None,
        "losses": list(map(_build_loss, persistence.list_losses(state, measured))),
        "warnings": list(map(str, persistence.list_warnings(state, measured))),
        "measured_at": report.measured_at if report else None,
    }


def _build_loss(loss: persistence.Loss) -> dict[str, Any]:
    measured = loss.measurement
    return {
        "mode": loss.mode,
        "directives": loss.directives,
        "is_current": loss.is_current,
        "seconds": loss.seconds,
        "claims_per_second": measured.claims_per_second if measured else None,
        "p99_ms": measured.p99_ms if measured else None,
    }
