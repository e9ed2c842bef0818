-- Charge attempts to their sliding windows, each by itself: all of its windows, or none when one is full.
-- KEYS[1..] list: microseconds of a subject's newest hits under one limit, oldest first; an attempt's side by side
-- ARGV[1] cost of an attempt, in hits
-- ARGV[2] 1 to charge, 0 to look only
-- ARGV[3..] for each window of an attempt in turn: hits allowed, then the period in milliseconds
-- Returns two values an attempt: place of the limit that refuses longest, or 0; milliseconds until it may allow.
local cost, charge, windows = tonumber(ARGV[1]), ARGV[2] == "1", (#ARGV - 2) / 2
local time = redis.call("TIME")
local now, answers = time[1] * 1000000 + time[2], {}
local stamp = string.format("%.0f", now)

-- Microseconds to wait, and how many hits must have left the window by then.
local function wait_for(hits, allowed, period)
  local surplus = redis.call("LLEN", hits) + cost - allowed
  if surplus <= 0 then return 0, 0 end
  return math.max(0, redis.call("LINDEX", hits, surplus - 1) + period - now), surplus
end

for first = 1, #KEYS, windows do
  local refused, longest, surplus = 0, 0, {}
  for place = 1, windows do
    local allowed, period, wait = tonumber(ARGV[1 + 2 * place]), ARGV[2 + 2 * place] * 1000, 0
    wait, surplus[place] = wait_for(KEYS[first + place - 1], allowed, period)
    if wait > longest then refused, longest = place, wait end
  end
  for place = 1, refused == 0 and charge and windows or 0 do
    local hits = KEYS[first + place - 1]
    -- More than are allowed are never asked for again.
    if surplus[place] > 0 then redis.call("LTRIM", hits, surplus[place], -1) end
    for _ = 1, cost do redis.call("RPUSH", hits, stamp) end
    redis.call("PEXPIRE", hits, ARGV[2 + 2 * place])
  end
  answers[#answers + 1], answers[#answers + 2] = refused, math.ceil(longest / 1000)
end
return answers
