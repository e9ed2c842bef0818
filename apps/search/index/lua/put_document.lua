-- Write, replace or remove one document of the index, unless the index has a newer version of it.
-- KEYS[1] hash: document -> "version:write"
-- KEYS[2] hash: document -> record
-- KEYS[3] hash: stats "documents", "terms", "writes"
-- KEYS[4] zset: "facet=value" by number of documents
-- KEYS[5] zset: GEO of the documents
-- KEYS[6..] zset or set: whatever the document leaves or enters, in the order of the arguments
-- ARGV[1] document, as a member
-- ARGV[2] version, a count
-- ARGV[3] "version:write" that the caller read, "" for none
-- ARGV[4] new record, "" when the document is removed
-- ARGV[5] terms of the old record
-- ARGV[6] terms of the new record
-- ARGV[7] longitude, degrees, or ""
-- ARGV[8] latitude, degrees
-- ARGV[9] number of zsets to leave
-- ARGV[10] number of zsets to enter
-- ARGV[11] number of sets to leave
-- ARGV[12] number of sets to enter
-- ARGV[13..] a score for each zset to enter, then "facet=value" for each set to leave and enter
-- Returns 1 done, 0 the index has a newer version, -1 another writer was here since: read again.
local member = ARGV[1]
local version = tonumber(ARGV[2])
local record = ARGV[4]
local DONE = 1
local OLDER = 0
local MOVED = -1

-- A slower writer changes nothing.
local stored = redis.call("HGET", KEYS[1], member) or ""
if stored ~= "" and tonumber(string.match(stored, "^(%d+):")) > version then
  return OLDER
end
if stored ~= ARGV[3] then
  return MOVED
end

-- Postings and orders.
local key = 5
for step = 1, tonumber(ARGV[9]) do
  key = key + 1
  redis.call("ZREM", KEYS[key], member)
end
local entered = tonumber(ARGV[10])
for step = 1, entered do
  key = key + 1
  redis.call("ZADD", KEYS[key], ARGV[12 + step], member)
end

-- Facets, with their counts.
local label = 12 + entered
for step = 1, tonumber(ARGV[11]) do
  key = key + 1
  label = label + 1
  if redis.call("SREM", KEYS[key], member) == 1 then
    if tonumber(redis.call("ZINCRBY", KEYS[4], -1, ARGV[label])) <= 0 then
      redis.call("ZREM", KEYS[4], ARGV[label])
    end
  end
end
for step = 1, tonumber(ARGV[12]) do
  key = key + 1
  label = label + 1
  if redis.call("SADD", KEYS[key], member) == 1 then
    redis.call("ZINCRBY", KEYS[4], 1, ARGV[label])
  end
end

-- Place, record and statistics.
if ARGV[7] == "" then
  redis.call("ZREM", KEYS[5], member)
else
  redis.call("GEOADD", KEYS[5], ARGV[7], ARGV[8], member)
end
local was = redis.call("HEXISTS", KEYS[2], member)
if record == "" then
  redis.call("HDEL", KEYS[2], member)
else
  redis.call("HSET", KEYS[2], member, record)
end
local is = redis.call("HEXISTS", KEYS[2], member)
redis.call("HINCRBY", KEYS[3], "documents", is - was)
redis.call("HINCRBY", KEYS[3], "terms", tonumber(ARGV[6]) - tonumber(ARGV[5]))
local write = redis.call("HINCRBY", KEYS[3], "writes", 1)
redis.call("HSET", KEYS[1], member, ARGV[2] .. ":" .. write)
return DONE
