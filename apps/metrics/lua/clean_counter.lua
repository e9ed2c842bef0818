-- Remove a counter's old samples, and its name when no sample is left.
-- KEYS[1] zset: names of counters by the unix second of their newest event
-- KEYS[2..] hash: the counter's samples, one key a precision
-- ARGV[1] the counter's name
-- ARGV[2] samples that stay of each precision
-- ARGV[3] seconds by which to take Redis' clock to be ahead, 0 except in tests
-- ARGV[4..] the precisions, in seconds
-- Returns how many samples were removed.
local counters = KEYS[1]
local name = ARGV[1]
local samples_kept = tonumber(ARGV[2])
local now = tonumber(redis.call("TIME")[1]) + tonumber(ARGV[3])
local FIRST_PRECISION = 4
local removed = 0
local left = 0

for position = 2, #KEYS do
  local samples = KEYS[position]
  local precision = tonumber(ARGV[position + FIRST_PRECISION - 2])
  local newest_removed = now - samples_kept * precision
  for _, start in ipairs(redis.call("HKEYS", samples)) do
    if tonumber(start) <= newest_removed then
      removed = removed + redis.call("HDEL", samples, start)
    end
  end
  left = left + redis.call("HLEN", samples)
end

if left == 0 then
  redis.call("ZREM", counters, name)
end
return removed
