-- Measure how far a consumer group is behind; finished entries are deleted, the others to be done.
-- KEYS[1] stream
-- ARGV[1] consumer group
-- Returns {entries never delivered, entries delivered but not finished, age of the oldest in ms}.
local stream, group = KEYS[1], ARGV[1]

-- 1. Count the delivered ones; without a group there are none.
local summary = redis.pcall("XPENDING", stream, group)
local pending = summary.err and 0 or summary[1]

-- 2. An entry's id begins with the millisecond in which it was added.
local oldest = redis.call("XRANGE", stream, "-", "+", "COUNT", 1)[1]
if not oldest then
  return { 0, pending, 0 }
end
local time = redis.call("TIME")
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local age_ms = now_ms - tonumber(string.match(oldest[1], "^%d+"))
local undelivered = redis.call("XLEN", stream) - pending
return { math.max(undelivered, 0), pending, math.max(age_ms, 0) }
