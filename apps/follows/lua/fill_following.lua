-- Keep whom a person follows as it was read from SQL, unless a follow or unfollow came in between.
-- KEYS[1] set: ids of the people followed, and 0
-- KEYS[2] string: token of the newest reader
-- ARGV[1] token of this reader
-- ARGV[2] how long the set lives unread, in seconds
-- ARGV[3..] the members, 0 first
-- Returns 1 kept, 0 refused.
local following, lease, token, ttl = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
-- A call takes some thousand arguments at most.
local SLICE = 1000

if redis.call("GET", lease) ~= token then
  return 0
end
redis.call("DEL", lease, following)
for first = 3, #ARGV, SLICE do
  redis.call("SADD", following, unpack(ARGV, first, math.min(first + SLICE - 1, #ARGV)))
end
redis.call("EXPIRE", following, ttl)
return 1
