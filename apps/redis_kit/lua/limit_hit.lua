-- Charge attempts to their sliding windows, each by itself: all of its windows, or none when one is full.
-- KEYS[1..] zset: the hits of one subject under one limit, scored by microsecond; an attempt's side by side
-- ARGV[1] cost of an attempt, in hits
-- ARGV[2] token that makes this call's members unique
-- ARGV[3] 1 to charge, 0 to look only
-- ARGV[4..] for each window of an attempt in turn: hits allowed, then the period in milliseconds
-- Returns two values an attempt: place of the limit that refuses longest, or 0; milliseconds until it may allow.
local cost, token, charge, windows = tonumber(ARGV[1]), ARGV[2], ARGV[3] == "1", (#ARGV - 3) / 2
local time = redis.call("TIME")
local now, answers = time[1] * 1000000 + time[2], {}
local stamp = string.format("%.0f", now)

-- Microseconds to wait, and whether hits that have left the window must make room.
local function wait_for(hits, allowed, period)
  if redis.call("ZCARD", hits) + cost <= allowed then return 0, false end
  local open = string.format("(%.0f", now - period)
  local surplus = redis.call("ZCOUNT", hits, open, "+inf") + cost - allowed
  if surplus <= 0 then return 0, true end
  -- Room comes when the last of the surplus hits has left the window.
  local last = redis.call("ZRANGEBYSCORE", hits, open, "+inf", "WITHSCORES", "LIMIT", surplus - 1, 1)
  return tonumber(last[2]) + period - now, true
end

for first = 1, #KEYS, windows do
  local refused, longest, full = 0, 0, {}
  for place = 1, windows do
    local allowed, period, wait = tonumber(ARGV[2 + 2 * place]), ARGV[3 + 2 * place] * 1000, 0
    wait, full[place] = wait_for(KEYS[first + place - 1], allowed, period)
    if wait > longest then refused, longest = place, wait end
  end
  for place = 1, refused == 0 and charge and windows or 0 do
    local hits, period = KEYS[first + place - 1], ARGV[3 + 2 * place]
    if full[place] then
      redis.call("ZREMRANGEBYSCORE", hits, "-inf", string.format("%.0f", now - period * 1000))
    end
    for turn = 1, cost do redis.call("ZADD", hits, stamp, token .. ":" .. first .. ":" .. turn) end
    redis.call("PEXPIRE", hits, period)
  end
  answers[#answers + 1], answers[#answers + 2] = refused, math.ceil(longest / 1000)
end
return answers
