-- Correct what a campaign spent on a day, unless it was charged since the difference was found.
-- KEYS[1] hash: micros charged on the day by campaign
-- ARGV[1] campaign id
-- ARGV[2] micros that the hash had
-- ARGV[3] micros that it must have
-- ARGV[4] seconds that the day's hash lives
-- Returns 1 when corrected, else 0.
local spent_key = KEYS[1]
local campaign, actual, expected, ttl = unpack(ARGV, 1, 4)
if (redis.call("HGET", spent_key, campaign) or "0") ~= actual then
  return 0
end
redis.call("HSET", spent_key, campaign, expected)
redis.call("EXPIRE", spent_key, ttl)
return 1
