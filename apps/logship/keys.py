"""Redis keys of log shipping: the stream between sender and analysers, and how far each of them is."""

from apps.redis_kit import schema

BLOCKS = schema.key(
    "logship:{logship}:blocks",
    type="stream",
    about="compressed blocks of log files with file, offset and checksum; a consumer group an analyser",
    writer="lua/send_block, lua/settle_group",
    expiry="none; a block is freed when every living analyser is past it, all under LOG_STREAM_BYTES",
    expendable="the files are sent again, and analysers skip what SQL says they have counted",
)
SENT = schema.key(
    "logship:{logship}:sent",
    type="hash",
    about="file -> bytes of its text that are in the stream or were",
    writer="lua/send_block",
    expiry="none; logship.tidy removes files of 40 days ago",
    expendable="the files are sent again, and analysers skip what SQL says they have counted",
)
STATE = schema.key(
    "logship:{logship}:state",
    type="hash",
    about="bytes `stored` and `freed` since the stream began, `seen:<analyser>` in ms, `given-up:<analyser>`",
    writer="lua/send_block, lua/settle_group, lua/free_blocks",
    expiry="none",
    expendable="lost together with the stream that it describes",
)
