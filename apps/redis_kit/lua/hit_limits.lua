-- Charge attempts to their sliding windows: each to all of its own, or to none when one is full.
-- KEYS[1..] string: newest hits of a subject under one limit, oldest first, each 16 digits of unix
--           microseconds; an attempt's windows are neighbours
-- ARGV[1] cost of an attempt, in hits
-- ARGV[2] 0 to look only, 1 to charge, 2 to charge and tell what one attempt has left; an attempt
-- counts for later ones of the call in any case
-- ARGV[3..] for each window of an attempt in turn: hits allowed, then the period in milliseconds
-- Returns three values for each refused attempt: its number from 1, the number of the limit that
-- refuses longest, milliseconds until it may allow. Nothing when all are allowed. With 2, three
-- more for each of the windows: 0, the limit's number, hits that it has left. Another script that
-- has this as a part also gets a function that charges allowed attempts, by their numbers.
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
local hits, stored = {}, {}
local values = redis.call("MGET", unpack(KEYS))
for index, key in ipairs(KEYS) do
  -- A key of another type counts as empty, and the first hit replaces it.
  local value = values[index] or ""
  if #value % HIT_BYTES > 0 then
    return redis.error_reply("WRONGTYPE these are no hits: " .. key)
  end
  hits[key], stored[key] = value, value
end

-- Microseconds until the oldest `surplus` hits have left the window.
local function wait_us(value, surplus, window)
  local last_to_leave = string.sub(value, HIT_BYTES * (surplus - 1) + 1, HIT_BYTES * surplus)
  return last_to_leave + period_ms[window] * 1000 - now_us
end

-- Charge these attempts, each key once: several may be the same subject's.
local function charge(attempts)
  local times, window_of = {}, {}
  for _, attempt in ipairs(attempts) do
    for window = 1, window_count do
      local key = KEYS[(attempt - 1) * window_count + window]
      times[key], window_of[key] = (times[key] or 0) + 1, window
    end
  end
  for key, count in pairs(times) do
    local window, added = window_of[key], string.rep(new_hits, count)
    local surplus = (#stored[key] + #added) / HIT_BYTES - allowed[window]
    if surplus > 0 or #stored[key] < SHORT_BYTES then
      -- Hits beyond the allowed number are never read again.
      local value = string.sub(stored[key] .. added, HIT_BYTES * math.max(surplus, 0) + 1)
      redis.call("SET", key, value, "PX", period_ms[window])
    else
      redis.call("APPEND", key, added)
      redis.call("PEXPIRE", key, period_ms[window])
    end
  end
end

-- 2. Decide each attempt. The next one may be the same subject's.
local refusals, granted = {}, {}
for offset = 0, #KEYS - 1, window_count do
  local refusing, longest_us = 0, 0
  for window = 1, window_count do
    local value = hits[KEYS[offset + window]]
    local surplus = #value / HIT_BYTES + cost - allowed[window]
    local wait = surplus > 0 and wait_us(value, surplus, window) or 0
    if wait > longest_us then
      refusing, longest_us = window, wait
    end
  end
  if refusing > 0 then
    refusals[#refusals + 1] = offset / window_count + 1
    refusals[#refusals + 1] = refusing
    refusals[#refusals + 1] = math.ceil(longest_us / 1000)
  else
    granted[#granted + 1] = offset / window_count + 1
    for window = 1, window_count do
      local key = KEYS[offset + window]
      hits[key] = hits[key] .. new_hits
    end
  end
end
if is_charged then
  charge(granted)
end

-- 3. Count what is left, for who asks.
if ARGV[2] == "2" then
  for window = 1, window_count do
    refusals[#refusals + 1] = 0
    refusals[#refusals + 1] = window
    refusals[#refusals + 1] = math.max(0, allowed[window] - #hits[KEYS[window]] / HIT_BYTES)
  end
end
return refusals, charge
