"""Files as strangers send them: every encoding that is usual, and everything that is none."""

import io
import zipfile
from datetime import date, datetime

import pytest
from openpyxl import Workbook

from apps.adminkit import exports
from apps.imports import reading
from apps.imports.reading import BadFile, Row

CHINESE = "type,name\n美食,湖边面馆\n"
SHEET = "xl/worksheets/sheet1.xml"


def read(data: bytes) -> tuple[reading.Table, list[Row]]:
    table = reading.read(io.BytesIO(data))
    return table, list(table.rows)


def make_workbook(*rows: list[object]) -> bytes:
    book, file = Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def replace_sheet(xml: bytes) -> bytes:
    """A workbook with this XML as its sheet."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(make_workbook(["type", "name"]))) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, xml if name == SHEET else old.read(name))
    return made.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "gbk", "utf-16"])
def test_chinese_is_read_in_every_usual_encoding(encoding: str) -> None:
    table, rows = read(CHINESE.encode(encoding))
    assert (table.headings, rows) == (["type", "name"], [Row(2, ["美食", "湖边面馆"])])


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_delimiters_and_line_ends_of_other_programs(delimiter: str, end: str) -> None:
    _table, rows = read(f'type{delimiter}name{end}{end}bar{delimiter}"a{end}b"{end}'.encode())
    assert [row.cells for row in rows] == [["bar", f"a{end}b"]]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (b"\n\n,,\n", "no rows"),
        ("type,name".encode("utf-16-le"), "no text in UTF-8"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF\xff\xff", "no text in UTF-8"),
        (b"name,name\na,b\n", "Two columns are called"),
        (b"PK\x03\x04half of a workbook", "no XLSX workbook"),
        (b"a" * 300_000, "no text in UTF-8"),
        (",".join(f"c{number}" for number in range(200)).encode(), "more than 100 columns"),
    ],
)
def test_what_is_no_table_is_refused_in_words(data: bytes, why: str) -> None:
    with pytest.raises(BadFile, match=why):
        read(data)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"bar", "1 cell,"),
        (b"bar,a,b", "3 cells"),
        (b"bar,a\x00b", "NUL"),
        (b"bar,=1+1", "is a formula"),
        (b"bar,#REF!", "formula failed"),
        (b"bar," + b"x" * 6_000, "more than 5000 letters"),
    ],
)
def test_a_bad_row_leaves_the_others(line: bytes, why: str) -> None:
    _table, rows = read(b"type,name\n" + line + b"\nfood,good\n")
    assert why in rows[0].problem
    assert rows[1] == Row(3, ["food", "good"])


@pytest.mark.parametrize(
    "rest", [b'bar,"never closed\n' + b"x,y\n" * 100_000, b"bar," + b"x" * 1_000_000, "bar,面".encode()[:-1]]
)
def test_half_a_file_keeps_its_good_rows(rest: bytes) -> None:
    _table, rows = read(b"type,name\nfood,good\n" + rest)
    assert rows[0] == Row(2, ["food", "good"])
    assert "From here on the file can't be read" in rows[1].problem
    assert len(rows) == 2


def test_a_workbook_s_numbers_and_dates_are_text() -> None:
    _table, rows = read(
        make_workbook(["lat", "id", "name"], [30.25, 88.0, None], [None, None, None], [1, 2, "x"])
    )
    assert [row.cells for row in rows] == [["30.25", "88", ""], ["1", "2", "x"]]


def test_a_workbook_s_numbers_have_no_exponent_and_fifteen_digits() -> None:
    _table, rows = read(make_workbook(["a", "b", "c"], [0.1 + 0.2, 1e-7, 13800138000.0]))
    assert rows[0].cells == ["0.3", "0.0000001", "13800138000"]


def test_a_date_cell_says_its_day_and_time() -> None:
    _table, rows = read(make_workbook(["a", "b"], [datetime(2027, 12, 31), date(2027, 12, 31)]))
    assert rows[0].cells == ["2027-12-31 00:00:00", "2027-12-31 00:00:00"]


def test_a_sheet_that_is_hidden_is_not_the_table() -> None:
    book, file = Workbook(), io.BytesIO()
    book.active.append(["hidden"])
    book.active.sheet_state = "hidden"
    seen = book.create_sheet("Seen")
    seen.append(["type", "name"])
    seen.append(["bar", "a"])
    book.active = 1
    book.save(file)
    table, rows = read(file.getvalue())
    assert (table.headings, [row.cells for row in rows]) == (["type", "name"], [["bar", "a"]])


def test_a_formula_that_no_program_has_computed_is_told_and_not_an_empty_cell() -> None:
    _table, rows = read(make_workbook(["type", "name", "price"], ["bar", "a", "=40*2"], ["bar", "b", 80]))
    assert "A formula has no value yet" in rows[0].problem
    assert rows[0].cells == ["bar", "a", "="]
    assert rows[1] == Row(3, ["bar", "b", "80"])


@pytest.mark.parametrize("tag", [b"<f>1+1</f>", b'<x:f t="shared" si="0"/>', b"<f/>"])
def test_a_formula_is_found_wherever_it_stands_in_the_file(tag: bytes) -> None:
    for before in (0, reading._BLOCK_BYTES - 1, reading._BLOCK_BYTES - 2):
        assert reading._has_formulas(io.BytesIO(replace_sheet(b" " * before + tag)))
    assert not reading._has_formulas(io.BytesIO(replace_sheet(b"<font/><formulas>")))


@pytest.mark.parametrize("first", ["sep=;", "SEP=;", '"sep=;"', "\ufeffsep=;"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_first_line_that_names_the_delimiter_is_no_heading(first: str, end: str) -> None:
    table, rows = read(f"{first}{end}type;name{end}bar;a,b{end}".encode())
    assert (table.headings, table.delimiter) == (["type", "name"], ";")
    assert list(rows) == [Row(3, ["bar", "a,b"])]


def test_bytes_that_gb_18030_leaves_to_everybody_are_no_text() -> None:
    with pytest.raises(BadFile, match="no text in UTF-8"):
        read("类型,名称\nbar,\ue123\n".encode("gb18030"))


def test_a_private_character_refuses_its_row() -> None:
    _table, rows = read("type,name\nbar,\uf8ff\nfood,good\n".encode())
    assert "private characters" in rows[0].problem
    assert rows[1] == Row(3, ["food", "good"])


def test_what_an_export_guards_is_read_as_it_was() -> None:
    values = ["=1+1", "+86 571", "@home", "'quoted", "''=x", "1234567890123456789", "plain", "-"]
    cells = [exports.format_cell(value) for value in values]
    _table, rows = read(f"{','.join('abcdefgh')}\n{','.join(cells)}\n".encode())
    assert rows[0].cells == values


def test_half_a_workbook_is_refused_in_words() -> None:
    data = make_workbook(["type", "name"], ["bar", "a"])
    with pytest.raises(BadFile, match="half of one"):
        read(data[: len(data) // 2])


@pytest.mark.parametrize("limit", ["MIN_BOMB_BYTES", "MAX_UNPACKED_BYTES"])
def test_a_zip_bomb_is_not_unpacked(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, limit, 10)
    with pytest.raises(BadFile, match="unpacks to far more"):
        read(replace_sheet(b"<worksheet>" + b" " * 2_000_000))


def test_shared_texts_that_would_fill_the_memory_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_SHARED_TEXT_BYTES", 10)
    file = io.BytesIO(make_workbook(["type"]))
    with zipfile.ZipFile(file, "a") as book:
        book.writestr("xl/sharedStrings.xml", b"<sst></sst>")
    with pytest.raises(BadFile, match="unpacks to far more"):
        reading.read(file)


def test_entities_are_not_expanded_without_end() -> None:
    laughs = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 12))
    xml = (
        b'<!DOCTYPE worksheet [<!ENTITY l0 "ha">' + laughs + b"]><worksheet "
        b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        b'<row r="1"><c r="A1" t="inlineStr"><is><t>&l11;</t></is></c></row></sheetData></worksheet>'
    )
    with pytest.raises(BadFile, match="no XLSX"):
        read(replace_sheet(xml))


def test_a_row_with_an_endless_number_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_SHEET_ROWS", 1_000)
    xml = (
        b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        b'<row r="1"><c r="A1" t="inlineStr"><is><t>type</t></is></c></row>'
        b'<row r="999999999999"><c r="A2" t="inlineStr"><is><t>bar</t></is></c></row></sheetData></worksheet>'
    )
    _table, rows = read(replace_sheet(xml))
    assert rows == []


def test_a_file_of_too_many_rows_is_cut_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_ROWS", 2)
    _table, rows = read(b"type\na\nb\nc\nd\n")
    assert [row.cells for row in rows[:2]] == [["a"], ["b"]]
    assert "at most 2 rows" in rows[2].problem
    assert len(rows) == 3
