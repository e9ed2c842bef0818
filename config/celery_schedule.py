"""The schedule of Celery's beat: tasks, periods, and the age at which a waiting run expires, in seconds."""

from celery.schedules import crontab

SCHEDULE: dict[str, dict[str, object]] = {
    "end log-ins that Redis missed": {
        "task": "accounts.revoke_in_redis",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "notice that log-in codes run out": {
        "task": "accounts.check_code_budget",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "go on with deleted accounts": {
        "task": "accounts.sweep_deletions",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "go on hiding what banned people wrote": {
        "task": "moderation.sweep_writings",
        "schedule": 10.0,
        "options": {"expires": 10},
    },
    "mend the index of shops": {
        "task": "shops.complete_index",
        "schedule": 300.0,
        "options": {"expires": 300},
    },
    "read all names for suggestions again": {
        "task": "search.rebuild_names",
        "schedule": 3_600.0,
        "options": {"expires": 3_600},
    },
    "mend the names for suggestions": {
        "task": "search.rebuild_names",
        "schedule": 60.0,
        "kwargs": {"only_if_incomplete": True},
        "options": {"expires": 60},
    },
    "clean counters": {"task": "metrics.clean", "schedule": 60.0, "options": {"expires": 60}},
    "send and count the access log": {"task": "logship.move", "schedule": 10.0, "options": {"expires": 10}},
    "tidy access logs": {"task": "logship.tidy", "schedule": 86_400.0, "options": {"expires": 3_600}},
    "keep the counts of visits": {"task": "uv.snapshot", "schedule": 600.0, "options": {"expires": 600}},
    "tidy visits": {"task": "uv.tidy", "schedule": 86_400.0, "options": {"expires": 3_600}},
    "rank the shops of each city": {
        "task": "rankings.make",
        "schedule": 3_600.0,
        "options": {"expires": 3_600},
    },
    "tidy log-ins": {"task": "accounts.tidy", "schedule": 86_400.0, "options": {"expires": 3_600}},
    # Expires after its period: a waiting run is superfluous once the next one is sent.
    "close overdue orders": {
        "task": "apps.coupons.tasks.close_overdue_orders",
        "schedule": 10.0,
        "options": {"expires": 10},
    },
    "tell of sales that a lost job forgot": {
        "task": "apps.coupons.tasks.tell_of_missed_sales",
        "schedule": 10.0,
        "options": {"expires": 10},
    },
    "offer, withdraw and refund vouchers at their dates": {
        "task": "apps.coupons.tasks.apply_voucher_dates",
        "schedule": 10.0,
        "options": {"expires": 10},
    },
    "write charges and counts of ads": {"task": "ads.save", "schedule": 5.0, "options": {"expires": 5}},
    "pace and price ads": {"task": "ads.pace", "schedule": 60.0, "options": {"expires": 60}},
    "settle payments that wait": {"task": "payments.sweep", "schedule": 5.0, "options": {"expires": 5}},
    "a board of leaders for the new day": {
        "task": "signins.complete_board",
        "schedule": 300.0,
        "options": {"expires": 300},
    },
    "tidy pictures of chats": {
        "task": "chat.tidy_pictures",
        "schedule": 3_600.0,
        "options": {"expires": 3_600},
    },
    "erase deleted notes": {"task": "blog.erase_deleted", "schedule": 3_600.0, "options": {"expires": 3_600}},
    "remove deleted lists": {
        "task": "saves.remove_deleted",
        "schedule": 3_600.0,
        "options": {"expires": 3_600},
    },
    "tidy photos": {"task": "blog.tidy_photos", "schedule": 3_600.0, "options": {"expires": 3_600}},
    "bring notes that did not reach the feeds": {
        "task": "blog.fan_out_missed",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "shed memory of areas past their quota": {
        "task": "monitoring.shed_memory",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    # Each run takes the parts whose hour is over, those that waited longest first.
    "reconcile what is due, app by app": {
        "task": "monitoring.reconcile",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "reconcile sales": {
        "task": "apps.coupons.tasks.reconcile_sales",
        "schedule": 300.0,
        "options": {"expires": 300},
    },
    "send messages that nobody was told of": {
        "task": "outbox.sweep",
        "schedule": 10.0,
        "options": {"expires": 10},
    },
    "go on with messages to lists of people": {
        "task": "mailbox.sweep",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "go on with imports, forget old ones": {
        "task": "imports.sweep",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "tidy notifications": {"task": "mailbox.tidy", "schedule": 86_400.0, "options": {"expires": 3_600}},
    "tidy the outbox": {"task": "outbox.tidy", "schedule": 86_400.0, "options": {"expires": 3_600}},
    "fill the indexes of search anew": {
        "task": "search.rebuild",
        # In UTC: ten past four at night in China.
        "schedule": crontab(hour=20, minute=10),
        "options": {"expires": 3_600},
    },
    "index changes that no task brought to search": {
        "task": "search.sweep",
        "schedule": 10.0,
        "options": {"expires": 10},
    },
    "keep tasks that died without SQL": {
        "task": "queues.flush_pending",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "do what commits owe": {"task": "queues.do_owed", "schedule": 10.0, "options": {"expires": 10}},
    "load sales that Redis has lost, or has otherwise than SQL": {
        "task": "apps.coupons.tasks.recover_sales",
        "schedule": 10.0,
        "options": {"expires": 10},
    },
    "tidy dead tasks": {"task": "queues.tidy", "schedule": 86_400.0, "options": {"expires": 3_600}},
}
