-- How far a consumer group is behind; finished entries are deleted, so what is there is still to be done.
-- KEYS[1] stream
-- ARGV[1] consumer group
-- Returns {entries nobody has read, entries read but not finished, age of the oldest in milliseconds}.
local stream, group = KEYS[1], ARGV[1]

local summary = redis.pcall("XPENDING", stream, group)
local pending = summary.err and 0 or summary[1]
local oldest = redis.call("XRANGE", stream, "-", "+", "COUNT", 1)[1]
if not oldest then
  return { 0, pending, 0 }
end
local time = redis.call("TIME")
local age = time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(string.match(oldest[1], "^%d+"))
return { math.max(redis.call("XLEN", stream) - pending, 0), pending, math.max(age, 0) }
