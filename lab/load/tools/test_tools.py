"""The sale driven by the tools that people have: what each counts, and reconcile is clean after it.

A tool that isn't here is skipped with the line that installs it, and its file is still read by a parser.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest

from tests.books import Books
from tests.crowd import site_setup
from tests.sites import Site, wait_until

TOOLS = Path(__file__).parent
PEOPLE, STOCK = 60, 20
WRK = pytest.mark.program("wrk", "apt-get install wrk")
HEY = pytest.mark.program("hey", "apt-get install hey")
JMETER = pytest.mark.program("jmeter", "JMeter 5: Debian's 2.13 reads no plan with its XStream")
K6 = pytest.mark.program("k6", "grafana.com/docs/k6")
VEGETA = pytest.mark.program("vegeta", "github.com/tsenart/vegeta")
NODE = pytest.mark.program("node", "apt-get install nodejs")


@dataclass
class Sale:
    """A sale with fewer units than people, and the environment that names it to a tool."""

    site: Site
    books: Books
    voucher_id: int
    tokens: Path

    def run(self, *command: object, **environment: str) -> subprocess.CompletedProcess[str]:
        named = {"URL": self.site.base_url, "VOUCHER": str(self.voucher_id), "TOKENS": str(self.tokens)}
        return subprocess.run(
            list(map(str, command)),
            env=os.environ | named | environment,
            cwd=self.tokens.parent,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    def sold(self) -> int:
        """The number of orders, once every one is a row; reconcile has to be clean then."""
        wait_until(
            lambda: not self.books.waiting(self.voucher_id), seconds=60, otherwise="orders are not recorded"
        )
        assert site_setup.reconcile(self.site)["clean"]
        return len(self.books.orders(self.voucher_id))


@pytest.fixture(scope="module")
def site_with_people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Books, Path]]:
    with Site(tmp_path_factory.mktemp("site")) as site:
        site.start("web", "consumer")
        tokens = site.directory / "tokens.txt"
        site.manage("mint_tokens", "--users", str(PEOPLE), "--out", str(tokens), "--verbosity", "0")
        yield site, Books(database_url=site.environment["DATABASE_URL"], redis_url=site.redis_url), tokens


@pytest.fixture
def sale(site_with_people: tuple[Site, Books, Path]) -> Sale:
    site, books, tokens = site_with_people
    return Sale(site, books, site_setup.create_sale(site, stock=STOCK), tokens)


@pytest.mark.fault
def test_locust_counts_no_refusal_as_a_failure(sale: Sale) -> None:
    """Rounds of fresh presses: 201 for some, 409 and 429 for others."""
    words = ["--headless", "-u", "8", "-r", "8", "-t", "3s", "--only-summary", "--json"]
    done = sale.run(
        sys.executable, "-m", "locust", "-f", TOOLS / "locustfile.py", "--host", sale.site.base_url, *words
    )
    assert done.returncode == 0, done.stderr
    (counted,) = json.loads(done.stdout)
    assert counted["num_failures"] == 0
    assert counted["num_requests"] > PEOPLE
    assert sale.sold() == STOCK


@pytest.mark.fault
def test_locust_counts_a_token_that_is_none(sale: Sale, tmp_path: Path) -> None:
    forged = tmp_path / "forged.txt"
    forged.write_text("nobody\n")
    words = ["--headless", "-u", "1", "-r", "1", "-t", "5s", "--only-summary", "--json"]
    done = sale.run(
        sys.executable, "-m", "locust", "-f", TOOLS / "locustfile.py", "--host", sale.site.base_url, *words,
        TOKENS=str(forged),
    )  # fmt: skip
    (counted,) = json.loads(done.stdout)
    assert counted["num_failures"] == counted["num_requests"] > 0
    assert done.returncode == 1


@pytest.mark.fault
@WRK
def test_wrk_prints_the_answers_by_code(sale: Sale) -> None:
    done = sale.run("wrk", "-t1", "-c8", "-d2s", "-s", TOOLS / "sale.lua", sale.site.base_url)
    assert done.returncode == 0, done.stderr
    answers = dict(re.findall(r"(\d{3})=(\d+)", done.stdout.partition("answers:")[2]))
    assert int(answers["201"]) == STOCK
    assert set(answers) <= {"201", "409", "429"}
    assert sale.sold() == STOCK


@pytest.mark.fault
@HEY
def test_hey_repeats_one_persons_claim(sale: Sale) -> None:
    """Every answer is the first one's: the key is the same."""
    done = sale.run(TOOLS / "hey.sh", "-n", "60", "-c", "6")
    assert done.returncode == 0, done.stderr
    assert re.search(r"\[201\]\s+60 responses", done.stdout), done.stdout
    assert sale.sold() == 1


@pytest.mark.fault
@JMETER
def test_jmeter_asserts_201_or_409(sale: Sale, tmp_path: Path) -> None:
    address = urlsplit(sale.site.base_url)
    options: dict[str, object] = {"host": address.hostname, "port": address.port}
    options |= {"voucher": sale.voucher_id, "tokens": sale.tokens, "threads": 8}
    words = [f"-J{name}={value}" for name, value in options.items()]
    samples = tmp_path / "samples.csv"
    done = sale.run(
        "jmeter", "-n", "-t", TOOLS / "sale.jmx", "-l", samples, "-j", tmp_path / "jmeter.log", *words
    )
    total = re.findall(r"summary =\s+(\d+) .*Err:\s+(\d+)", done.stdout)[-1]
    assert total == (str(PEOPLE), "0"), done.stdout
    assert sale.sold() == STOCK


@pytest.mark.fault
@K6
def test_k6_keeps_its_thresholds(sale: Sale) -> None:
    done = sale.run(
        "k6", "run", "-e", f"URL={sale.site.base_url}", "-e", f"VOUCHER={sale.voucher_id}",
        "-e", f"TOKENS={sale.tokens}", "-e", "VUS=8", TOOLS / "sale.js",
    )  # fmt: skip
    assert done.returncode in {0, 99}, done.stderr
    assert re.search(rf"http_reqs\D+{PEOPLE}\b", done.stdout), done.stdout
    assert sale.sold() == STOCK


@pytest.mark.fault
@VEGETA
def test_vegeta_attacks_the_targets(sale: Sale) -> None:
    targets = sale.tokens.with_name("targets.txt")
    targets.write_text(make_targets(sale.tokens, sale.site.base_url, sale.voucher_id))
    words = ["-rate=100", f"-duration={PEOPLE / 100}s", f"-targets={targets}"]
    attacked = sale.run("sh", "-c", f"vegeta attack {' '.join(words)} | vegeta report -type=json")
    codes = json.loads(attacked.stdout)["status_codes"]
    assert codes == {"201": STOCK, "409": PEOPLE - STOCK}
    assert sale.sold() == STOCK


def test_jmeters_plan_is_whole() -> None:
    """Read by a parser: in every tree, each element is followed by its own subtree."""
    plan = ElementTree.parse(TOOLS / "sale.jmx").getroot()
    assert plan.tag == "jmeterTestPlan"
    for tree in plan.iter("hashTree"):
        children = [child.tag for child in tree]
        assert "hashTree" in children[1::2] or not children
        assert all(tag == "hashTree" for tag in children[1::2])
    (data,) = plan.iter("CSVDataSet")
    (assertion,) = plan.iter("ResponseAssertion")
    assert text_of(data, "recycle") == "false"
    assert text_of(data, "stopThread") == "true"
    assert text_of(assertion, "claim") == "201|409"
    assert text_of(assertion, "Assertion.assume_success") == "true"
    assert list(plan.iter("ResultCollector"))


def text_of(element: ElementTree.Element, name: str) -> str | None:
    """The text of the property with this name."""
    return next((child.text for child in element.iter() if child.get("name") == name), None)


@NODE
def test_k6s_people_claim_once_each(tmp_path: Path) -> None:
    """Run by Node with stand-ins for k6's modules: nobody is left out, and nobody comes twice."""
    tokens = tmp_path / "tokens.txt"
    tokens.write_text("".join(f"t{number}\n" for number in range(PEOPLE)))
    names = {"k6": "", "k6/data": "", "k6/execution": "", "k6/http": ""}
    script = (TOOLS / "sale.js").read_text()
    stand_ins = tmp_path / "k6.mjs"
    stand_ins.write_text(STAND_INS)
    for name in names:
        script = script.replace(f'from "{name}";', f'from "{stand_ins}";')
    # Default imports have no names: each takes the stand-in of its own.
    script = re.sub(r"import (exec|http) from", r"import { \1 } from", script)
    (tmp_path / "sale.mjs").write_text(f"import {{ __ENV, open }} from '{stand_ins}';\n{script}")
    (tmp_path / "run.mjs").write_text(RUN_ITERATIONS)
    done = subprocess.run(
        ["node", str(tmp_path / "run.mjs")],
        env=os.environ | {"URL": "http://127.0.0.1:1", "VOUCHER": "17", "TOKENS": str(tokens)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["expected"] == [201, 409, 503]
    assert sorted(said["bearers"]) == sorted(f"Bearer t{number}" for number in range(PEOPLE))
    assert len(set(said["keys"])) == PEOPLE
    assert said["paths"] == ["http://127.0.0.1:1/api/vouchers/17/seckill"]
    assert set(said["thresholds"]) == {"http_req_failed", "http_req_duration", "checks"}


#: What k6's modules give the script, and what it did with them.
STAND_INS = """
import { readFileSync } from "node:fs";
export const seen = { bearers: [], keys: [], paths: [], expected: [] };
export const __ENV = process.env;
export const open = (path) => readFileSync(path, "utf8");
export class SharedArray extends Array {
  constructor(name, make) { super(); this.push(...make()); }
}
export const exec = { scenario: { iterationInTest: 0 } };
export const check = (answer, rules) => Object.values(rules).every((rule) => rule(answer));
export const http = {
  expectedStatuses: (...codes) => codes,
  setResponseCallback: (codes) => { seen.expected = codes; },
  post: (path, body, { headers }) => {
    if (!seen.paths.includes(path)) seen.paths.push(path);
    seen.bearers.push(headers.Authorization);
    seen.keys.push(headers["Idempotency-Key"]);
    return { status: 201 };
  },
};
"""
RUN_ITERATIONS = """
import { exec, seen } from "./k6.mjs";
import claim, { options } from "./sale.mjs";
const { iterations } = options.scenarios.rush;
for (let number = 0; number < iterations; number++) {
  exec.scenario.iterationInTest = number;
  claim();
}
console.log(JSON.stringify({ ...seen, thresholds: Object.keys(options.thresholds) }));
"""


def make_targets(tokens: Path, url: str, voucher_id: int) -> str:
    """Vegeta's targets, as its comment says to make them."""
    words = ["awk", "-v", f"url={url}", "-v", f"voucher={voucher_id}", "-f", TOOLS / "vegeta.awk", tokens]
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True).stdout


def test_vegetas_targets_are_a_claim_a_token(tmp_path: Path) -> None:
    """In its HTTP format: a request line, headers, an empty line."""
    tokens = tmp_path / "tokens.txt"
    tokens.write_text("a-1\nb_2\n")
    first, second, rest = make_targets(tokens, "http://127.0.0.1:8000", 17).split("\n\n")
    assert rest == ""
    for target, token in ((first, "a-1"), (second, "b_2")):
        line, bearer, key = target.splitlines()
        assert line == "POST http://127.0.0.1:8000/api/vouchers/17/seckill"
        assert bearer == f"Authorization: Bearer {token}"
        assert re.fullmatch(r"Idempotency-Key: [A-Za-z0-9_-]{1,64}", key)
    assert first.splitlines()[2] != second.splitlines()[2]
