"""Imports from the upload to the last row: checked first, written after a yes, in batches.

A batch, its numbers and its refused rows are one transaction: a worker that dies loses none and repeats none.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import timedelta
from tempfile import TemporaryFile
from typing import IO, Any

from django.db import DataError, IntegrityError, transaction
from django.utils import timezone, translation
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from import_export.results import Error, RowResult

from apps.accounts.models import User
from apps.imports import reading, resource
from apps.imports.kinds import KINDS
from apps.imports.models import FilePiece, Import, RefusedRow
from apps.imports.reading import Row
from apps.imports.resource import BatchResource
from apps.queues import delayed, owed
from apps.redis_kit import client
from apps.web.batches import chunked
from apps.web.problems import Problem
from apps.web.problems.translation import SQL_UNAVAILABLE

#: tasks.go_on by its name: it imports this.
TASK_NAME = "imports.go_on"
#: Rows of a transaction; SQLite's writers wait for one.
BATCH_ROWS = 500
PIECE_BYTES = 512 * 1024
#: A task ends long before its time limit, and the next one goes on.
SLICE_SECONDS = 60.0
MAX_SAMPLES, MAX_REFUSALS = 20, 10_000
#: After so long without progress the task is taken for lost.
STALLED_AFTER = timedelta(minutes=2)
#: How long a checked file waits for a yes, and how long the numbers of an import are kept.
FILE_RETENTION, RETENTION = timedelta(days=7), timedelta(days=90)
Progress = Callable[[Import], object]
Results = list[RowResult | None]
log = logging.getLogger(__name__)


def start(
    kind: str,
    file: IO[bytes],
    *,
    name: str,
    by: User | None,
    stops_at_errors: bool = False,
    by_worker: bool = True,
) -> Import:
    """Keep the file, and have a worker check it, or leave that to the caller. Problem 422 empty_file."""
    with transaction.atomic():
        made = Import.objects.create(
            kind=kind,
            file_name=name.replace("\x00", "")[-200:],
            by=by,
            stops_at_errors=stops_at_errors,
            language=get_language() or "",
        )
        number = -1
        for number, data in enumerate(iter(lambda: file.read(PIECE_BYTES), b"")):
            FilePiece.objects.create(of=made, number=number, data=data)
        if number < 0:
            raise Problem(422, "empty_file", _("The file is empty."))
        if by_worker:
            owed.run_after_commit(enqueue, made.pk)
    return made


def confirm(import_id: int, *, by_worker: bool = True) -> Import:
    """Have a worker write a checked file, or leave that to the caller; Problem 409 unless it is checked."""
    with transaction.atomic():
        run = _lock_checked(import_id)
        run.state, run.moved_at = Import.State.WRITING, timezone.now()
        run.done = run.created = run.changed = run.unchanged = run.refused = 0
        run.samples, run.doubts = [], []
        run.save()
        run.refusals.all().delete()
        if by_worker:
            owed.run_after_commit(enqueue, run.pk)
    return run


def cancel(import_id: int) -> Import:
    """Forget a checked file; Problem 409 unless it waits for an answer."""
    with transaction.atomic():
        run = _lock_checked(import_id)
        run.state, run.moved_at = Import.State.CANCELLED, timezone.now()
        run.save()
        run.pieces.all().delete()
    return run


def _lock_checked(import_id: int) -> Import:
    run = Import.objects.select_for_update().get(pk=import_id)
    if run.state != Import.State.CHECKED:
        raise Problem(409, "not_waiting", _("This import is no longer waiting for an answer."))
    return run


def enqueue(import_id: int) -> None:
    """Have a worker go on; while the broker is away the sweep does."""
    try:
        key = f"imports:{import_id}"
        delayed.schedule_many(
            [delayed.Job(TASK_NAME, [import_id], timezone.now(), key, delayed.Priority.LOW)]
        )
    except client.UNAVAILABLE:
        return


def go_on(
    import_id: int, *, seconds: float = SLICE_SECONDS, progress: Progress = lambda _run: None
) -> Import:
    """Check or write batches until the file ends or the time is over; the import as it is then."""
    run = Import.objects.get(pk=import_id)
    if not run.is_active:
        return run
    with translation.override(run.language or None):
        try:
            return _go_on(run, time.monotonic() + seconds, progress)
        except reading.BadFile as error:
            return _fail(run, str(error))
        except (*client.UNAVAILABLE, *SQL_UNAVAILABLE):
            raise
        except Exception:
            log.exception("import %d stopped at row %d", run.pk, run.done)
            sentence = ngettext(
                "A fault of this site stopped it after %(done)d row, which is done. The log says more.",
                "A fault of this site stopped it after %(done)d rows, which are done. The log says more.",
                run.done,
            )
            return _fail(Import.objects.get(pk=import_id), sentence % {"done": run.done})


def _go_on(run: Import, until: float, progress: Progress) -> Import:
    with closing(_assemble(run)) as file:
        table = reading.read(file)
        kind = _find_kind(run)(delimiter=table.delimiter)
        columns = kind.name_columns(table.headings)
        _require_columns(kind, columns)
        run.encoding = table.encoding
        for rows in chunked(_skip(table.rows, run.done, kind, columns), BATCH_ROWS):
            if not _take(run, kind, columns, rows):
                return Import.objects.get(pk=run.pk)
            progress(run)
            if time.monotonic() >= until:
                return run
    return _end(run)


def sweep() -> int:
    """Start lost tasks again and forget old files; how many were started."""
    now = timezone.now()
    active = Import.objects.filter(state__in=[Import.State.CHECKING, Import.State.WRITING])
    stalled = list(active.filter(moved_at__lt=now - STALLED_AFTER).values_list("pk", flat=True))
    for import_id in stalled:
        enqueue(import_id)
    old = Import.objects.filter(moved_at__lt=now - FILE_RETENTION)
    FilePiece.objects.filter(of__in=old).delete()
    old.filter(state=Import.State.CHECKED).update(state=Import.State.CANCELLED)
    Import.objects.filter(moved_at__lt=now - RETENTION).delete()
    return len(stalled)


def _assemble(run: Import) -> IO[bytes]:
    file: Any = TemporaryFile()  # noqa: SIM115 - the caller closes it
    for piece in run.pieces.order_by("number").iterator(chunk_size=4):
        file.write(piece.data)
    return file  # type: ignore[no-any-return]


def _find_kind(run: Import) -> type[BatchResource]:
    found = KINDS.get(run.kind)
    if found is None:
        raise reading.BadFile(_("This site doesn't import “%(kind)s”.") % {"kind": run.kind})
    return found


def _require_columns(kind: BatchResource, columns: Iterable[str]) -> None:
    if not any(columns):
        names = ", ".join(field.column_name for field in kind.fields.values())
        sentence = _("None of its columns is known. The first row names them: %(names)s.")
        raise reading.BadFile(sentence % {"names": names})


def _skip(rows: Iterator[Row], done: int, kind: BatchResource, columns: list[str]) -> Iterator[Row]:
    for _number, row in zip(range(done), rows, strict=False):
        kind.note(columns, row)
    return rows


def _take(run: Import, kind: BatchResource, columns: list[str], rows: list[Row]) -> bool:
    """Check or write a batch; False when another worker has taken it, or it was cancelled."""
    is_check = run.state == Import.State.CHECKING
    # Checked outside of the transaction: on SQLite writers would wait for the reading of each cell.
    results = _import_batch(kind, columns, rows, dry_run=True) if is_check else []
    with transaction.atomic():
        locked = Import.objects.select_for_update().get(pk=run.pk)
        if (locked.state, locked.done) != (run.state, run.done):
            return False
        results = results or _import_batch(kind, columns, rows, dry_run=False)
        _count(run, kind, rows, results)
        run.moved_at = timezone.now()
        run.save()
    return True


def _import_batch(kind: BatchResource, columns: list[str], rows: list[Row], *, dry_run: bool) -> Results:
    """A result a row, None for a row that can't be read."""
    good = [row for row in rows if not row.problem]
    rest = iter(kind.import_rows(columns, good, dry_run=True) if dry_run else _write(kind, columns, good))
    return [None if row.problem else next(rest) for row in rows]


def _write(kind: BatchResource, columns: list[str], rows: list[Row]) -> list[RowResult]:
    """Write rows together, or one by one when the database refuses a row."""
    try:
        with transaction.atomic():
            return kind.import_rows(columns, rows, dry_run=False)
    except (IntegrityError, DataError) as error:
        if len(rows) == 1:
            refused = RowResult()
            refused.import_type = RowResult.IMPORT_TYPE_ERROR
            refused.errors.append(Error(_refusal_of_database(error)))
            return [refused]
    return [result for row in rows for result in _write(kind, columns, [row])]


def _refusal_of_database(error: Exception) -> ValueError:
    if isinstance(error, IntegrityError):
        return ValueError(_("Somebody else has written the same thing just now. Import the file once more."))
    return ValueError(_("The database can't hold one of its values."))


def _count(run: Import, kind: BatchResource, rows: list[Row], results: Results) -> None:
    refusals = []
    for row, result in zip(rows, results, strict=True):
        if result is None or not result.is_valid():
            reason = row.problem if result is None else resource.describe_error(result, kind._meta.model)
            cells = [cell[:200].replace("\x00", "\ufffd") for cell in row.cells]
            clean = [cell.encode(errors="replace").decode() for cell in cells]
            refusals.append(RefusedRow(of=run, line=row.line, reason=reason[:1_000], values=clean))
            continue
        run.unchanged += result.is_skip()
        run.created += result.is_new()
        run.changed += result.is_update()
        if not result.is_skip() and len(run.samples) < MAX_SAMPLES:
            changed = [] if result.is_new() else list(result.instance.changed_columns)
            run.samples.append([row.line, str(result.instance)[:100], changed])
        _note_doubt(run, row, kind.describe_doubt(result.instance))
    RefusedRow.objects.bulk_create(refusals[: max(0, MAX_REFUSALS - run.refused)])
    run.refused += len(refusals)
    run.done += len(rows)


def _note_doubt(run: Import, row: Row, doubt: str) -> None:
    doubts = run.doubts or []
    if doubt and len(doubts) < MAX_SAMPLES:
        run.doubts = [*doubts, [row.line, doubt[:300]]]


def _end(run: Import) -> Import:
    run.total = run.done
    if run.state == Import.State.CHECKING and run.done:
        run.state = Import.State.CHECKED
        if run.stops_at_errors and run.refused:
            return _fail(
                run, _("Nothing is imported, because rows are wrong. Mend them and send the file again.")
            )
    elif run.state == Import.State.CHECKING:
        return _fail(run, _("The file has headings and no rows."))
    else:
        run.state = Import.State.DONE
        run.pieces.all().delete()
    run.moved_at = timezone.now()
    run.save()
    return run


def _fail(run: Import, why: str) -> Import:
    run.state, run.error, run.moved_at = Import.State.FAILED, why[:500], timezone.now()
    run.save()
    run.pieces.all().delete()
    return run
