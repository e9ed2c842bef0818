-- Charge an attempt to several sliding windows: all of them, or none when one is full.
-- KEYS[1..] zset: the hits of one subject under one limit, scored by microsecond
-- ARGV[1] cost of the attempt, in hits
-- ARGV[2] token that makes this attempt's members unique
-- ARGV[3] 1 to charge, 0 to look only
-- ARGV[4..] for each key in turn: hits allowed, then the period in milliseconds
-- Returns {place of the limit that refuses for longest, or 0, milliseconds until it may allow}.
local cost, token, charge = tonumber(ARGV[1]), ARGV[2], ARGV[3] == "1"

local time = redis.call("TIME")
local now = time[1] * 1000000 + time[2]
local refused, longest = 0, 0
for place, hits in ipairs(KEYS) do
  local allowed, period = tonumber(ARGV[2 + 2 * place]), tonumber(ARGV[3 + 2 * place]) * 1000
  local open = string.format("(%.0f", now - period)
  local surplus = redis.call("ZCOUNT", hits, open, "+inf") + cost - allowed
  if surplus > 0 then
    -- Room comes when the last of the surplus hits has left the window.
    local last = redis.call("ZRANGEBYSCORE", hits, open, "+inf", "WITHSCORES", "LIMIT", surplus - 1, 1)
    local wait = tonumber(last[2]) + period - now
    if wait > longest then
      refused, longest = place, wait
    end
  end
end
if refused > 0 or not charge then
  return { refused, math.ceil(longest / 1000) }
end

for place, hits in ipairs(KEYS) do
  local period = tonumber(ARGV[3 + 2 * place])
  redis.call("ZREMRANGEBYSCORE", hits, "-inf", string.format("%.0f", now - period * 1000))
  for turn = 1, cost do
    redis.call("ZADD", hits, string.format("%.0f", now), token .. ":" .. turn)
  end
  redis.call("PEXPIRE", hits, period)
end
return { 0, 0 }
