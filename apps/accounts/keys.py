from apps.redis_kit import eviction, schema
from apps.redis_kit.schema import marked as _

LOGIN_CODE = schema.key(
    "accounts:code:<phone>",
    type="hash",
    about=_("keyed hash of a holder's newest code for a phone (both as one digest), and its checks so far"),
    writer="codes.send, codes.check",
    expiry="settings.LOGIN_CODE_TTL",
    expendable=_("the person asks for another code"),
    private=_("log-in codes"),
)

OPEN_CODE = schema.key(
    "accounts:open-code:<phone>",
    type="string",
    about=_("key of the newest log-in code that the API has sent to a phone (as a digest)"),
    writer="codes.send",
    expiry="settings.LOGIN_CODE_TTL",
    expendable=_("the person asks for another code"),
    private=_("log-in codes"),
)

PASSKEY_CHALLENGE = schema.key(
    "accounts:passkey:<holder>",
    type="string",
    about=_("random bytes that a passkey signs next, by who asked for them (as a digest)"),
    writer="passkeys.new_challenge, passkeys.take_challenge",
    expiry=_("5 minutes, or the first answer"),
    expendable=_("the person presses the button again"),
    private=_("log-in codes"),
)

DONE_ACTION = schema.key(
    "accounts:done-action:<action>",
    type="string",
    about=_("a form that a visitor posted was sent after the log-in"),
    writer="pending_actions.perform",
    expiry=_("15 minutes, as long as the browser keeps the form"),
    expendable=_("a form that is sent once more, by the same browser, turns nothing back"),
)

TOKEN = schema.key(
    "accounts:token:<digest>",
    type="string",
    about=_(
        "hot copy of a log-in by the SHA-256 of its token: user:id:due:next, the second from which a use "
        "tells SQL, and that from which it writes at all; or gone:revoked, gone:unknown"
    ),
    writer="token_cache.find, token_cache.fill, token_cache.mark_revoked, token_cache.mark_unknown",
    expiry=_("1 week after the last use; 1 hour when revoked, 1 minute when unknown"),
    rebuilt_from="apps.accounts.sessions.token_cache:COPY",
)

CARD = schema.key(
    "accounts:card:<user>",
    type="string",
    about=_("what pages show a person of themselves, as JSON: id, nickname, avatar's URL, is_staff"),
    writer="person_cards.PersonPart, person_cards.forget",
    expiry=_("5 minutes"),
    expendable=_("the next page reads it from SQL"),
)

CONTACTS = schema.key(
    "accounts:contacts:<user>",
    type="list",
    about=_("ids of the 100 people that a person last wrote to, mentioned or answered, the newest first"),
    writer="contacts.touch, contacts.forget",
    expiry=_("90 days after the last"),
    expendable=_("suggestions begin with the people one follows until the next message"),
    private=_("whom a person writes to"),
)

ADMIN_SESSION = schema.key(
    "django:<version>:django.contrib.sessions.cached_db<session>",
    type="string",
    about=_("an admin session, pickled by Django's cache"),
    writer="Django",
    expiry=_("SESSION_COOKIE_AGE after the last change"),
    expendable=_("a copy: Django reads the session from SQL again"),
    private=_("admin sessions"),
)

SUGGESTIONS_BUDGET = eviction.MemoryBudget("suggestions", connection="default", keys=[CONTACTS], quota=0.05)
