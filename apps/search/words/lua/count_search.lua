-- Count one person who searched for a word this week; the same person again counts nothing.
-- KEYS[1] set: digests of a person, a word and whether something was found
-- KEYS[2] zset: word -> people who searched for it
-- ARGV[1] the digest
-- ARGV[2] the word
-- ARGV[3] seconds that both keys are kept
-- ARGV[4] digests that a week holds
-- ARGV[5] words that a week holds
-- Returns 1 counted, 0 counted before, -1 the week is full, -2 a key of another type.
local searchers = KEYS[1]
local words = KEYS[2]
local digest = ARGV[1]
local word = ARGV[2]
local ttl = ARGV[3]
local max_searchers = tonumber(ARGV[4])
local max_words = tonumber(ARGV[5])
local COUNTED = 1
local KNOWN = 0
local FULL = -1
local BROKEN = -2

-- Check both types before the first write.
for position, expected in ipairs({ "set", "zset" }) do
  local actual = redis.call("TYPE", KEYS[position]).ok
  if actual ~= expected and actual ~= "none" then
    return BROKEN
  end
end

-- A week that is full counts no newcomers, so that nobody can fill the memory.
if redis.call("SCARD", searchers) >= max_searchers then
  return FULL
end
if redis.call("ZCARD", words) >= max_words and not redis.call("ZSCORE", words, word) then
  return FULL
end

-- Count the person once.
if redis.call("SADD", searchers, digest) == 0 then
  return KNOWN
end
redis.call("ZINCRBY", words, 1, word)
redis.call("EXPIRE", searchers, ttl)
redis.call("EXPIRE", words, ttl)
return COUNTED
