-- Read a page of an inbox, the newest notes first; a missing inbox starts to be filled.
-- KEYS[1] zset: notes by the microsecond of their publication; the member "floor": the inbox has
--         every note above its score
-- ARGV[1] microsecond of the cursor, which excludes later notes, or +inf
-- ARGV[2] number of notes besides those of just that microsecond
-- ARGV[3] lifetime of an inbox after a read, in seconds
-- ARGV[4] time that a filling may take, in seconds
-- Returns {floor, note, microsecond, ...}; while the inbox is filled {floor} alone, a negative one.
local inbox_key = KEYS[1]
local cursor = ARGV[1]

-- 1. A missing inbox starts to be filled: its floor is the present microsecond, negative.
local floor = redis.call("ZSCORE", inbox_key, "floor")
if not floor then
  local now = redis.call("TIME")
  floor = string.format("-%d%06d", now[1], now[2])
  redis.call("ZADD", inbox_key, floor, "floor")
  redis.call("EXPIRE", inbox_key, ARGV[4])
end
if tonumber(floor) < 0 then
  return { floor }
end

-- 2. Read from the cursor down to the floor, and let the inbox live on.
redis.call("EXPIRE", inbox_key, ARGV[3])
-- The cursor is somewhere among the notes of its microsecond: the caller drops those it has shown.
local same_microsecond = 0
if cursor ~= "+inf" then
  same_microsecond = redis.call("ZCOUNT", inbox_key, cursor, cursor)
end
local limit = tonumber(ARGV[2]) + same_microsecond
local above_floor = "(" .. floor
local notes = redis.call(
  "ZREVRANGEBYSCORE", inbox_key, cursor, above_floor, "WITHSCORES", "LIMIT", 0, limit
)
return { floor, unpack(notes) }
