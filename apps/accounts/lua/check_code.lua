-- Compare a typed log-in code with the stored one: a right code is deleted, a wrong one is counted.
-- KEYS[1] hash: the code of one phone and holder, fields "mac" and "checks"
-- ARGV[1] the keyed hash of what was typed
-- ARGV[2] how many checks one code allows
-- ARGV[3] 1 to count a wrong one, 0 when the caller has counted it elsewhere
-- Returns 1 right, 2 wrong, 3 no code (never sent, expired, used or checked too often).
local code = KEYS[1]
local typed_mac = ARGV[1]
local max_checks = tonumber(ARGV[2])
local counts_wrong = ARGV[3] == "1"

if redis.call("TYPE", code).ok ~= "hash" then
  return 3
end
local stored = redis.call("HMGET", code, "mac", "checks")
local checks = tonumber(stored[2])
if not stored[1] or not checks or checks >= max_checks then
  return 3
end

-- Plain comparison is enough: both sides are HMACs, so its timing tells nothing about the digits.
if stored[1] == typed_mac then
  redis.call("DEL", code)
  return 1
end
if counts_wrong then
  redis.call("HINCRBY", code, "checks", 1)
end
return 2
