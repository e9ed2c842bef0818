"""Reads tables out of files: CSV in any usual encoding, and XLSX; row by row, in bounded memory."""

import codecs
import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import chain, zip_longest
from math import isfinite
from typing import IO, Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from openpyxl import load_workbook

from apps.adminkit import exports
from apps.imports.values import WrittenNumber, write_number

#: Rows of one file, and of a sheet with its empty ones (the most that Excel has).
MAX_ROWS, MAX_SHEET_ROWS = 200_000, 1_048_576
MAX_COLUMNS = 100
#: The longest text of a shop has 2,000.
MAX_CELL_CHARACTERS = 5_000
MAX_LINE_CHARACTERS = 256 * 1024
#: A sheet of 100,000 shops unpacks to 150 MB; its shared texts are all in memory at once.
MAX_UNPACKED_BYTES, MAX_SHARED_TEXT_BYTES = 400 * 1024 * 1024, 64 * 1024 * 1024
#: Sheets shrink to a tenth; what shrinks to a hundredth holds nothing.
MAX_RATIO, MIN_BOMB_BYTES = 100, 10 * 1024 * 1024
#: Stands for a formula without a value; no file holds it as text, which has no NUL.
_NO_VALUE = "=\x00"
#: What a spreadsheet shows for a formula that failed.
_FORMULA_ERRORS = {"#REF!", "#N/A", "#DIV/0!", "#NAME?", "#VALUE!", "#NUM!", "#NULL!"}
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
#: NUL, and halves of characters.
_NO_TEXT_PATTERN = re.compile(r"[\x00\ud800-\udfff]")
#: The tag of a formula in a sheet, with or without a name of its namespace.
_FORMULA_PATTERN, _FORMULA_TAG_BYTES = re.compile(rb"<(?:\w{1,20}:)?f[\s/>]"), 32
#: Excel's own first line, which names what parts the cells.
_DELIMITER_LINE = re.compile(r'"?sep=([,;|]|\t|\\t)"?\s*', re.IGNORECASE)
#: Characters that only a private agreement gives a meaning.
_PRIVATE_PATTERN = re.compile(r"[\ue000-\uf8ff\U000f0000-\U0010ffff]")
_BLOCK_BYTES = 1024 * 1024
_ZIP_START = b"PK\x03\x04"


class BadFile(ValueError):
    """A file that can't be read as a table at all; the text is for people."""


class Row(NamedTuple):
    """A row: its line (in a sheet its row), its cells as text, and why it can't be taken, or ""."""

    line: int
    cells: list[str]
    problem: str = ""


@dataclass(frozen=True)
class Table:
    """What a file turned out to have; `delimiter` parts its cells and is "" in a workbook."""

    headings: list[str]
    encoding: str
    delimiter: str
    rows: Iterator[Row]


def read(file: IO[bytes]) -> Table:
    """The table of a file; BadFile when there is none. Reading on may meet a last row with a problem."""
    file.seek(0)
    start = file.read(4)
    file.seek(0)
    if not start:
        raise BadFile(_("The file is empty."))
    is_sheet = start == _ZIP_START
    encoding, delimiter, lines = ("xlsx", "", _read_sheet(file)) if is_sheet else _read_text(file)
    first = next((row for row in lines if any(row.cells) or row.problem), None)
    if first is None:
        raise BadFile(_("The file has no rows."))
    if first.problem:
        raise BadFile(first.problem)
    headings = _clean_headings(first.cells)
    # A sheet knows nothing of cells behind the last one that has a value.
    rows = _pad(lines, len(headings)) if is_sheet else lines
    return Table(headings, encoding, delimiter, _limit(_fit(rows, len(headings))))


def _clean_headings(cells: Sequence[str]) -> list[str]:
    headings = [cell.strip() for cell in cells]
    while headings and not headings[-1]:
        headings.pop()
    if len(headings) > MAX_COLUMNS:
        raise BadFile(_("The file has more than %(most)d columns.") % {"most": MAX_COLUMNS})
    named = [heading for heading in headings if heading]
    if twice := next((heading for heading in named if named.count(heading) > 1), ""):
        raise BadFile(_("Two columns are called “%(name).40s”.") % {"name": twice})
    return headings


def _pad(rows: Iterable[Row], width: int) -> Iterator[Row]:
    for row in rows:
        yield row._replace(cells=row.cells + [""] * (width - len(row.cells)))


def _fit(rows: Iterable[Row], width: int) -> Iterator[Row]:
    """Rows as wide as the headings, without empty ones; a row of another width has a problem."""
    for row in rows:
        cells = row.cells
        while len(cells) > width and not cells[-1].strip():
            cells = cells[:-1]
        if row.problem or not any(cell.strip() for cell in cells):
            if row.problem:
                yield row
            continue
        problem = _find_problem(cells)
        if not problem and len(cells) != width:
            sentence = ngettext(
                "It has %(cells)d cell, and the headings are %(width)d.",
                "It has %(cells)d cells, and the headings are %(width)d.",
                len(cells),
            )
            problem = sentence % {"cells": len(cells), "width": width}
        yield Row(row.line, [_clean_cell(cell) for cell in cells[:width]], problem)


def _clean_cell(cell: str) -> str:
    """A cell without spaces around it, and without the mark that an export guards it with."""
    if isinstance(cell, WrittenNumber):
        return cell
    return "=" if cell == _NO_VALUE else exports.read_cell(cell.strip())


def _find_problem(cells: Sequence[str]) -> str:
    for cell in cells:
        if cell == _NO_VALUE:
            return _("A formula has no value yet: open the file in a spreadsheet, save it, and send that.")
        if len(cell) > MAX_CELL_CHARACTERS:
            return _("A cell has more than %(most)d letters.") % {"most": MAX_CELL_CHARACTERS}
        if _NO_TEXT_PATTERN.search(cell):
            return _("It holds characters that no text has (NUL or halves of others).")
        if _PRIVATE_PATTERN.search(cell):
            return _("It holds private characters, which nobody else sees: was it saved in another encoding?")
        if cell in _FORMULA_ERRORS:
            return _("A formula failed: %(error)s.") % {"error": cell}
        if cell.startswith("="):
            return _("“%(cell).40s” is a formula. Paste its value instead.") % {"cell": cell}
    return ""


def _limit(rows: Iterator[Row]) -> Iterator[Row]:
    for number, row in enumerate(rows):
        if number == MAX_ROWS:
            sentence = _("A file has at most %(most)d rows: split it. The rows from here on are left out.")
            yield Row(row.line, [], sentence % {"most": MAX_ROWS})
            return
        yield row


# -- text ---------------------------------------------------------------------------------------
def _read_text(file: IO[bytes]) -> tuple[str, str, Iterator[Row]]:
    encoding = _find_encoding(file)
    file.seek(0)
    text = io.TextIOWrapper(file, encoding=encoding, newline="")
    lines = _bounded_lines(text)
    try:
        first = next(lines, "")
    except (UnicodeError, csv.Error) as error:
        raise BadFile(_unreadable()) from error
    if "\x00" in first:
        # UTF-16 without its mark.
        raise BadFile(_unreadable())
    if named := _DELIMITER_LINE.fullmatch(first):
        delimiter = named[1].replace("\\t", "\t")
        # Its line is counted, so that a row's number is the one that an editor shows.
        return encoding, delimiter, _parse_lines(lines, delimiter, first_line=2)
    delimiter = max(",\t;", key=first.count)
    return encoding, delimiter, _parse_lines(chain([first], lines), delimiter)


def _find_encoding(file: IO[bytes]) -> str:
    """The encoding that the whole file can be read in; BadFile when none of the usual ones fits."""
    file.seek(0)
    start = file.read(4)
    marked = next((encoding for mark, encoding in _BYTE_ORDER_MARKS if start.startswith(mark)), "")
    for encoding in [marked] if marked else ["utf-8", "gb18030"]:
        file.seek(0)
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            # Without an end: half a file may end within a character, and is no other encoding for that.
            texts = map(decoder.decode, iter(lambda: file.read(_BLOCK_BYTES), b""))
            if all(encoding == "utf-8" or marked or not _PRIVATE_PATTERN.search(text) for text in texts):
                return encoding
        except UnicodeError:
            continue
    raise BadFile(_unreadable())


def _unreadable() -> str:
    return _("The file is no text in UTF-8, UTF-16 or GB 18030, and no XLSX. Save it as “CSV UTF-8”.")


def _bounded_lines(text: IO[str]) -> Iterator[str]:
    while line := text.readline(MAX_LINE_CHARACTERS + 1):
        if len(line) > MAX_LINE_CHARACTERS:
            raise csv.Error(_("the line is longer than %(most)d letters") % {"most": MAX_LINE_CHARACTERS})
        yield line


def _parse_lines(lines: Iterable[str], delimiter: str, first_line: int = 1) -> Iterator[Row]:
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        line = reader.line_num + first_line
        try:
            yield Row(line, next(reader))
        except StopIteration:
            return
        except (csv.Error, UnicodeError) as error:
            sentence = _("From here on the file can't be read: %(why)s. Is a quote opened and never closed?")
            yield Row(line, [], sentence % {"why": str(error)[:100]})
            return


# -- workbooks ----------------------------------------------------------------------------------
def _read_sheet(file: IO[bytes]) -> Iterator[Row]:
    _refuse_bombs(file)
    try:
        sheet = _open_sheet(file, data_only=True)
        formulas = _open_sheet(file, data_only=False) if _has_formulas(file) else None
    except Exception as error:  # what its many parts raise for strangers' bytes, no list has
        raise BadFile(_("The file is no XLSX workbook, or only half of one.")) from error
    return _iter_sheet(sheet, formulas)


def _open_sheet(file: IO[bytes], *, data_only: bool) -> Any:
    """The first sheet that people see: its values, or its formulas."""
    book = load_workbook(file, read_only=True, data_only=data_only, keep_links=False)
    return next(sheet for sheet in book.worksheets if sheet.sheet_state == "visible")


def _has_formulas(file: IO[bytes]) -> bool:
    """Whether any sheet has a formula: only then the formulas are read beside their values."""
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            if not member.filename.lower().startswith("xl/worksheets/sheet"):
                continue
            end = b""
            with archive.open(member) as sheet:
                while block := sheet.read(_BLOCK_BYTES):
                    if _FORMULA_PATTERN.search(end + block):
                        return True
                    end = block[-_FORMULA_TAG_BYTES:]
    return False


def _refuse_bombs(file: IO[bytes]) -> None:
    """BadFile for a workbook that unpacks to far more than a table of texts does."""
    try:
        members = zipfile.ZipFile(file).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise BadFile(_("The file is no XLSX workbook, or only half of one.")) from error
    is_bomb = any(
        one.file_size > MIN_BOMB_BYTES and one.file_size > MAX_RATIO * max(one.compress_size, 1)
        for one in members
    )
    shared = sum(one.file_size for one in members if one.filename.lower().endswith("sharedstrings.xml"))
    if (
        is_bomb
        or shared > MAX_SHARED_TEXT_BYTES
        or sum(one.file_size for one in members) > MAX_UNPACKED_BYTES
    ):
        raise BadFile(_("The workbook unpacks to far more than a table of texts has. Save it as CSV."))


def _iter_sheet(sheet: Any, formulas: Any) -> Iterator[Row]:
    number = 0
    try:
        for number, values in enumerate(_iter_values(sheet, formulas), start=1):
            if number > MAX_SHEET_ROWS:
                return
            cells = [_to_text(value) for value in values]
            while cells and not cells[-1]:
                cells.pop()
            yield Row(number, cells)
    except Exception as error:  # as above
        sentence = _("From here on the sheet can't be read: %(why)s.")
        yield Row(number + 1, [], sentence % {"why": str(error)[:100]})


def _iter_values(sheet: Any, formulas: Any) -> Iterator[Sequence[Any]]:
    """The values of each row; where a formula has none, because no program has computed it, the formula."""
    rows = sheet.iter_rows(max_col=MAX_COLUMNS + 1, values_only=True)
    if formulas is None:
        yield from rows
        return
    for values, written in zip(
        rows, formulas.iter_rows(max_col=MAX_COLUMNS + 1, values_only=True), strict=False
    ):
        pairs = zip_longest(values, written)
        yield [_NO_VALUE if one is None and other is not None else one for one, other in pairs]


def _to_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and isfinite(value):
        return write_number(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)
