-- Charge attempts to their sliding windows: each to all of its own, or to none when one is full.
-- KEYS[1..] string: newest hits of a subject under one limit, oldest first, each 16 digits of unix
--           microseconds; an attempt's windows are neighbours
-- ARGV[1] cost of an attempt, in hits
-- ARGV[2] 0 to look only, 1 to charge, 2 to charge and tell what one attempt has left
-- ARGV[3..] for each window of an attempt in turn: hits allowed, then the period in milliseconds
-- Returns three values for each refused attempt: its number from 1, the number of the limit that
-- refuses longest, milliseconds until it may allow. Nothing when all are allowed. With 2, three
-- more for each of the windows: 0, the limit's number, hits that it has left.
local HIT_BYTES = 16
-- A shorter value is written anew: one command, as few bytes in the append-only file as two.
local SHORT_BYTES = 64
local cost, is_charged = tonumber(ARGV[1]), ARGV[2] ~= "0"
local window_count = (#ARGV - 2) / 2

-- 1. Read the clock and every window, and check them before the first write.
local time = redis.call("TIME")
local now_us = time[1] * 1000000 + time[2]
local new_hits = string.rep(string.format("%.0f", now_us), cost)
local allowed, period_ms = {}, {}
for window = 1, window_count do
  allowed[window] = tonumber(ARGV[1 + 2 * window])
  period_ms[window] = ARGV[2 + 2 * window]
end
local hits = {}
local values = redis.call("MGET", unpack(KEYS))
for index, key in ipairs(KEYS) do
  -- A key of another type counts as empty, and the first hit replaces it.
  local value = values[index] or ""
  if #value % HIT_BYTES > 0 then
    return redis.error_reply("WRONGTYPE these are no hits: " .. key)
  end
  hits[key] = value
end

-- Microseconds until the oldest `surplus` hits have left the window.
local function wait_us(value, surplus, window)
  local last_to_leave = string.sub(value, HIT_BYTES * (surplus - 1) + 1, HIT_BYTES * surplus)
  return last_to_leave + period_ms[window] * 1000 - now_us
end

local function charge(key, surplus, window)
  local value = hits[key]
  -- Hits beyond the allowed number are never read again.
  if surplus > 0 then
    value = string.sub(value, HIT_BYTES * surplus + 1)
  end
  -- A later attempt of this call may be the same subject's.
  hits[key] = value .. new_hits
  if surplus > 0 or #value < SHORT_BYTES then
    redis.call("SET", key, hits[key], "PX", period_ms[window])
  else
    redis.call("APPEND", key, new_hits)
    redis.call("PEXPIRE", key, period_ms[window])
  end
end

-- 2. Decide each attempt, and charge it at once: the next one may be the same subject's.
local refusals, surplus = {}, {}
for offset = 0, #KEYS - 1, window_count do
  local refusing, longest_us = 0, 0
  for window = 1, window_count do
    local value = hits[KEYS[offset + window]]
    surplus[window] = #value / HIT_BYTES + cost - allowed[window]
    local wait = surplus[window] > 0 and wait_us(value, surplus[window], window) or 0
    if wait > longest_us then
      refusing, longest_us = window, wait
    end
  end
  if refusing > 0 then
    refusals[#refusals + 1] = offset / window_count + 1
    refusals[#refusals + 1] = refusing
    refusals[#refusals + 1] = math.ceil(longest_us / 1000)
  elseif is_charged then
    for window = 1, window_count do
      charge(KEYS[offset + window], surplus[window], window)
    end
  end
end

-- 3. Count what is left, for who asks.
if ARGV[2] == "2" then
  for window = 1, window_count do
    refusals[#refusals + 1] = 0
    refusals[#refusals + 1] = window
    refusals[#refusals + 1] = math.max(0, allowed[window] - #hits[KEYS[window]] / HIT_BYTES)
  end
end
return refusals
