"""Redis keys of log shipping: the stream between sender and analysers, and how far each of them is."""

from apps.redis_kit import schema
from apps.redis_kit.schema import marked as _

BLOCKS = schema.key(
    "logship:{logship}:blocks",
    type="stream",
    about=_("compressed blocks of log files with file, offset and checksum; a consumer group an analyser"),
    writer="lua/send_block, lua/settle_group",
    expiry=_("none; a block is freed when every living analyser is past it, all under LOG_STREAM_BYTES"),
    expendable=_("the files are sent again, and analysers skip what SQL says they have counted"),
)
SENT = schema.key(
    "logship:{logship}:sent",
    type="hash",
    about=_("file -> bytes of its text that are in the stream or were"),
    writer="lua/send_block",
    expiry=_("none; logship.tidy removes files of 40 days ago"),
    expendable=_("the files are sent again, and analysers skip what SQL says they have counted"),
)
STATE = schema.key(
    "logship:{logship}:state",
    type="hash",
    about=_(
        "bytes `stored` and `freed` since the stream began, `seen:<analyser>` in ms, `given-up:<analyser>`"
    ),
    writer="lua/send_block, lua/settle_group, lua/free_blocks",
    expiry=_("none"),
    expendable=_("lost together with the stream that it describes"),
)
