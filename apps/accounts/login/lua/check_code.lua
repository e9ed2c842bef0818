-- Check a log-in code once: a right one is used up at once, and after the last allowed check none is left.
-- KEYS[1] hash: the code of one phone, fields "mac" and "checks"
-- ARGV[1] the keyed hash of what was typed
-- ARGV[2] how many checks one code allows
-- Returns 1 right, 2 wrong, 3 no code (never sent, expired, used or checked too often).
local code, mac, allowed = KEYS[1], ARGV[1], tonumber(ARGV[2])

if redis.call("TYPE", code).ok ~= "hash" then
  return 3
end
local kept = redis.call("HMGET", code, "mac", "checks")
local checks = tonumber(kept[2])
if not kept[1] or not checks or checks >= allowed then
  return 3
end

-- Plain comparison is enough: both sides are HMACs, so its timing tells nothing about the digits.
if kept[1] == mac then
  redis.call("DEL", code)
  return 1
end
redis.call("HINCRBY", code, "checks", 1)
return 2
