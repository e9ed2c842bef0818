-- Write documents that the index has never had, list by list; nothing when it knows any of them.
-- KEYS[1] hash: document -> "version:write"
-- KEYS[2] hash: document -> record
-- KEYS[3] hash: stats "documents", "terms", "writes"
-- KEYS[4] zset: "facet=value" by number of documents
-- KEYS[5] zset: GEO of the documents
-- KEYS[6..] zset or set: the lists that documents enter, the zsets first
-- ARGV[1] number of documents
-- ARGV[2] terms of all of them
-- ARGV[3] number of zsets
-- ARGV[4..] member, version, record, longitude and latitude (or "" and "") of each document;
--   for each zset how many enter, then score and member of each;
--   for each set "facet=value", how many enter, and the members
-- Returns the members that the index knows: then nothing was written.
local documents = tonumber(ARGV[1])
local zsets = tonumber(ARGV[3])

local members = {}
for document = 1, documents do
  members[document] = ARGV[5 * document - 1]
end
local known = {}
for document, stamp in ipairs(redis.call("HMGET", KEYS[1], unpack(members))) do
  if stamp then
    known[#known + 1] = members[document]
  end
end
if #known > 0 then
  return known
end

-- Postings and orders.
local at = 4 + 5 * documents
for key = 6, 5 + zsets do
  local last = at + 2 * tonumber(ARGV[at])
  redis.call("ZADD", KEYS[key], unpack(ARGV, at + 1, last))
  at = last + 1
end

-- Facets, with their counts.
for key = 6 + zsets, #KEYS do
  local last = at + 1 + tonumber(ARGV[at + 1])
  redis.call("SADD", KEYS[key], unpack(ARGV, at + 2, last))
  redis.call("ZINCRBY", KEYS[4], ARGV[at + 1], ARGV[at])
  at = last + 1
end

-- Versions, records, places and statistics.
local write = redis.call("HINCRBY", KEYS[3], "writes", documents) - documents
for document, member in ipairs(members) do
  local field = 5 * document - 1
  write = write + 1
  redis.call("HSET", KEYS[1], member, ARGV[field + 1] .. ":" .. write)
  redis.call("HSET", KEYS[2], member, ARGV[field + 2])
  if ARGV[field + 3] ~= "" then
    redis.call("GEOADD", KEYS[5], ARGV[field + 3], ARGV[field + 4], member)
  end
end
redis.call("HINCRBY", KEYS[3], "documents", documents)
redis.call("HINCRBY", KEYS[3], "terms", ARGV[2])
return known
