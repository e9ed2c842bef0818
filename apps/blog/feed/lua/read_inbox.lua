-- Read a stretch of an inbox, newest first; one that is missing begins to be filled.
-- KEYS[1] zset: notes by the microsecond of their publication; the member "floor": all above its score are here
-- ARGV[1] microsecond of the cursor, notes above it are not wanted, or +inf
-- ARGV[2] notes wanted besides those of just that microsecond
-- ARGV[3] seconds that an inbox lives after it was read
-- ARGV[4] seconds that a filling may take
-- Returns {floor, note, microsecond, ...}; a floor below zero alone: being filled since that microsecond.
local inbox, below = KEYS[1], ARGV[1]
local floor = redis.call("ZSCORE", inbox, "floor")
if not floor then
  local now = redis.call("TIME")
  floor = string.format("-%d%06d", now[1], now[2])
  redis.call("ZADD", inbox, floor, "floor")
  redis.call("EXPIRE", inbox, ARGV[4])
end
if tonumber(floor) < 0 then
  return { floor }
end
redis.call("EXPIRE", inbox, ARGV[3])
-- The cursor stands somewhere among the notes of its microsecond: the caller leaves out what it has seen.
local same = below == "+inf" and 0 or redis.call("ZCOUNT", inbox, below, below)
local wanted = tonumber(ARGV[2]) + same
return { floor, unpack(redis.call("ZREVRANGEBYSCORE", inbox, below, "(" .. floor, "WITHSCORES", "LIMIT", 0, wanted)) }
