-- Put a person at the head of somebody's recent contacts, each person once.
-- KEYS[1] list: ids of the contacts, the newest first
-- ARGV[1] id of the person
-- ARGV[2] how many contacts stay (1 or more)
-- ARGV[3] expiry, in seconds
-- Returns how many contacts there are.
local contacts, newest = KEYS[1], ARGV[1]
local max_contacts, ttl = tonumber(ARGV[2]), ARGV[3]

redis.call("LREM", contacts, 0, newest)
local count = redis.call("LPUSH", contacts, newest)
redis.call("LTRIM", contacts, 0, max_contacts - 1)
redis.call("EXPIRE", contacts, ttl)
return math.min(count, max_contacts)
