-- Find a log-in's hot copy and renew it: its expiry slides at most once a minute, SQL hears once an hour.
-- KEYS[1] hash: the hot copy, fields "user", "id", "seen", "due", or "gone"
-- ARGV[1] expiry after a use, in seconds
-- ARGV[2] how often the expiry slides, in seconds
-- ARGV[3] how often SQL is renewed, in seconds
-- Returns {0} no copy, {1, user, id} live, {2, user, id} live and SQL is due, {3} revoked or unknown.
local copy, ttl = KEYS[1], tonumber(ARGV[1])
local slide_every, renew_every = tonumber(ARGV[2]), tonumber(ARGV[3])

if redis.call("TYPE", copy).ok ~= "hash" then
  return { 0 }
end
local kept = redis.call("HMGET", copy, "user", "id", "seen", "due", "gone")
if kept[5] then
  return { 3 }
end
local seen, due = tonumber(kept[3]), tonumber(kept[4])
if not (kept[1] and kept[2] and seen and due) then
  return { 0 }
end

local now = tonumber(redis.call("TIME")[1])
if now - seen >= slide_every then
  redis.call("HSET", copy, "seen", now)
  redis.call("EXPIRE", copy, ttl)
end
if now < due then
  return { 1, kept[1], kept[2] }
end
redis.call("HSET", copy, "due", now + renew_every)
return { 2, kept[1], kept[2] }
