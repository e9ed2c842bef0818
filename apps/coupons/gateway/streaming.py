"""Live streams of sales and orders: the stock of sales for `GET /api/live`, and the two streams for programs.

`GET /api/vouchers/<id>/stock` and `GET /api/orders/<id>` with `Accept: text/event-stream` send the state and
each change of it. A request that gets no stream (another person's order, too many streams) is answered by
Django with plain JSON or a refusal; a program then polls.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.http import Http404

from apps.accounts import auth
from apps.accounts.sessions import log_in_reader
from apps.accounts.sessions.log_in_reader import ListTopics, LogInReader
from apps.accounts.sessions.scopes import Scope
from apps.coupons import keys
from apps.coupons.buyer import order_views
from apps.coupons.models import FlashSale
from apps.front.live.polled_states import PolledStates
from apps.front.live.route import LiveRequest, LiveRoute, Plan, StreamKind
from apps.front.live.topics import person_topic
from apps.redis_kit import client
from apps.web.problems import Problem
from apps.web.problems.ids import MAX_ROW_ID

State = dict[str, Any]


def build_route(list_topics: ListTopics) -> LiveRoute:
    """The live streams of a web process; `list_topics` gives the further topics of a person's stream."""

    def plan_person(request: LiveRequest) -> Plan | None:
        return _add_sales(log_in_reader.plan(request, list_topics))

    kinds = [
        StreamKind("person", log_in_reader.PATH, plan_person, frozenset({"sales"})),
        StreamKind("stock", r"/api/vouchers/([0-9]{1,19})/stock", plan_stock, is_for_everybody=True),
        StreamKind("order", r"/api/orders/([0-9]{1,19})", plan_order, frozenset({"all_languages"})),
    ]
    polled = PolledStates(_read_stocks, is_urgent=_is_sold_out)
    return LiveRoute(kinds, polled=polled, find_log_in=LogInReader().find_sent)


def _add_sales(plan: Plan | None) -> Plan | None:
    """The plan of a person's stream with the stock of the sales that its page names."""
    if plan is None:
        return None
    rows = FlashSale.objects.offered().filter(pk__in=plan.subjects)
    offered = tuple(rows.values_list("pk", flat=True)) if plan.subjects else ()
    return replace(plan, subjects=offered, render=_render_stock_event)


def plan_stock(request: LiveRequest) -> Plan | None:
    """The stock of one sale, for everybody."""
    voucher_id = request.subject
    is_known = 0 < voucher_id <= MAX_ROW_ID
    if not is_known or not FlashSale.objects.offered().filter(pk=voucher_id).exists():
        return None
    return Plan(subjects=(voucher_id,), render=_render_stock)


def plan_order(request: LiveRequest) -> Plan | None:
    """The status of one order, for its buyer."""
    order_id = request.subject
    if not 0 < order_id <= MAX_ROW_ID:
        return None
    try:
        login = log_in_reader.check_scope(request, Scope.ORDERS)
        if login is None or not order_views.find_order_or_queued(order_id, auth.fetch_user(login)):
            return None
    except (Http404, Problem, *client.UNAVAILABLE):
        return None

    def translate(event: str, data: str) -> bytes | None:
        event_data = json.loads(data) if event == "order" else {}
        return _render_status(event_data["status"]) if event_data.get("id") == str(order_id) else None

    return Plan(
        user_id=login.user_id,
        topics=(person_topic(login.user_id),),
        translate=translate,
        snapshot=lambda: _render_status(order_views.fetch_states([order_id])[order_id].status),
    )


async def _read_stocks(voucher_ids: Sequence[int]) -> dict[int, State]:
    """The stock of each sale that is loaded, in one round trip."""
    transport = client.async_transport("live")
    stocks = await transport.execute_many([("GET", keys.for_sale(each).stock) for each in voucher_ids])
    return {
        voucher_id: {"left": int(left)}
        for voucher_id, left in zip(voucher_ids, stocks, strict=True)
        if isinstance(left, str) and left.isdigit()
    }


def _is_sold_out(state: State) -> bool:
    return bool(state["left"] == 0)


def _render_stock(_voucher_id: int, state: State) -> bytes:
    return b"data: %b\n\n" % json.dumps(state).encode()


def _render_stock_event(voucher_id: int, state: State) -> bytes:
    return b"event: stock\ndata: %b\n\n" % json.dumps({"sale": voucher_id} | state).encode()


def _render_status(status: str) -> bytes:
    return b"data: %b\n\n" % json.dumps({"status": status}).encode()
