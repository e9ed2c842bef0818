-- Charge attempts to their sliding windows, each by itself: all of its windows, or none when one is full.
-- KEYS[1..] string: microseconds of a subject's newest hits under one limit, oldest first, 16 digits each; an
--           attempt's windows side by side
-- ARGV[1] cost of an attempt, in hits
-- ARGV[2] 1 to charge, 0 to look only
-- ARGV[3..] for each window of an attempt in turn: hits allowed, then the period in milliseconds
-- Returns three values for each refused attempt: its number from 1, the place of the limit that refuses longest,
-- milliseconds until it may allow. Nothing when all are allowed.
-- A value shorter than SHORT is written anew: one command, and no more bytes in the AOF than two.
local WIDTH, SHORT = 16, 64
local cost, charge, windows = tonumber(ARGV[1]), ARGV[2] == "1", (#ARGV - 2) / 2
local time, found = redis.call("TIME"), redis.call("MGET", unpack(KEYS))
local now = time[1] * 1000000 + time[2]
local stamps = string.rep(string.format("%.0f", now), cost)
local hits, allowed, surplus, refusals = {}, {}, {}, {}

for place = 1, windows do allowed[place] = tonumber(ARGV[1 + 2 * place]) end
for place, key in ipairs(KEYS) do
  -- A key of another type counts as none, and the first hit replaces it.
  local kept = found[place] or ""
  if #kept % WIDTH > 0 then return redis.error_reply("WRONGTYPE these are no hits: " .. key) end
  hits[key] = kept
end

-- Microseconds until enough of the oldest hits have left the window.
local function wait_for(kept, leaving, period_ms)
  return string.sub(kept, WIDTH * (leaving - 1) + 1, WIDTH * leaving) + period_ms * 1000 - now
end

local function add(key, leaving, period_ms)
  local kept = hits[key]
  -- More than are allowed are never asked for again.
  if leaving > 0 then kept = string.sub(kept, WIDTH * leaving + 1) end
  -- An attempt further on in this call may be the same subject's.
  hits[key] = kept .. stamps
  if leaving > 0 or #kept < SHORT then
    redis.call("SET", key, hits[key], "PX", period_ms)
  else
    redis.call("APPEND", key, stamps)
    redis.call("PEXPIRE", key, period_ms)
  end
end

for before = 0, #KEYS - 1, windows do
  local refused, longest = 0, 0
  for place = 1, windows do
    local kept = hits[KEYS[before + place]]
    surplus[place] = #kept / WIDTH + cost - allowed[place]
    local wait = surplus[place] > 0 and wait_for(kept, surplus[place], ARGV[2 + 2 * place]) or 0
    if wait > longest then refused, longest = place, wait end
  end
  if refused > 0 then
    local last = #refusals
    refusals[last + 1], refusals[last + 2] = before / windows + 1, refused
    refusals[last + 3] = math.ceil(longest / 1000)
  elseif charge then
    for place = 1, windows do add(KEYS[before + place], surplus[place], ARGV[2 + 2 * place]) end
  end
end
return refusals
