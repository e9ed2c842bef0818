-- Add a block of a file to the stream, if it is the file's next one and there is room for it.
-- KEYS[1] stream: blocks
-- KEYS[2] hash: bytes sent of each file
-- KEYS[3] hash: state of the stream
-- ARGV[1] file
-- ARGV[2] bytes of the file before the block
-- ARGV[3] bytes of the block's text
-- ARGV[4] checksum of the text
-- ARGV[5] 1 when its last line goes on in the next block, else 0
-- ARGV[6] most bytes that the stream may hold
-- ARGV[7] milliseconds of silence after which an analyser is given up when there is no room
-- ARGV[8] the compressed text
-- Returns {0 no room, 1 added or 2 not the next one, bytes sent of the file}.
local stream, sent_key, state = KEYS[1], KEYS[2], KEYS[3]
local file, start, size, checksum, goes_on, limit, patience, text = unpack(ARGV, 1, 8)
-- What Redis needs for an entry beside its text.
local ENTRY_BYTES = 256

-- 1. A repeated call, and another sender, find the file further on.
local sent = tonumber(redis.call("HGET", sent_key, file) or 0)
if sent ~= tonumber(start) then
  return { 2, sent }
end

-- 2. A block larger than the limit goes through an empty stream.
local function bytes_held()
  local counts = redis.call("HMGET", state, "stored", "freed")
  return tonumber(counts[1] or 0) - tonumber(counts[2] or 0)
end

local needed = #text + ENTRY_BYTES
if bytes_held() > 0 and bytes_held() + needed > tonumber(limit) then
  free_blocks({ stream, state }, { patience })
  if bytes_held() > 0 and bytes_held() + needed > tonumber(limit) then
    return { 0, sent }
  end
end

-- 3. Block, position and bytes together.
local before = redis.call("HGET", state, "stored") or "0"
redis.call("XADD", stream, "*", "file", file, "start", start, "crc", checksum, "goes_on", goes_on,
  "before", before, "text", text)
sent = sent + tonumber(size)
redis.call("HSET", sent_key, file, string.format("%d", sent))
redis.call("HINCRBY", state, "stored", needed)
return { 1, sent }
