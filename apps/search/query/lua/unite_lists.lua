-- Put the documents of some lists into one, each with its greatest weight.
-- KEYS[1] zset: the documents of all lists by weight
-- KEYS[2..] zset: the lists, documents by weight
-- ARGV[1] seconds in which KEYS[1] expires
-- ARGV[2..] two for each list: place in it from which documents are read, the heaviest first, and
-- number of them
-- Returns how many documents KEYS[1] has then.
for list = 2, #KEYS do
  local begin, number = tonumber(ARGV[2 * list - 2]), tonumber(ARGV[2 * list - 1])
  local read = redis.call("ZREVRANGE", KEYS[list], begin, begin + number - 1, "WITHSCORES")
  local weighed = {}
  for at = 1, #read, 2 do
    weighed[at] = read[at + 1]
    weighed[at + 1] = read[at]
  end
  if #weighed > 0 then
    redis.call("ZADD", KEYS[1], "GT", unpack(weighed))
  end
end
redis.call("EXPIRE", KEYS[1], ARGV[1])
return redis.call("ZCARD", KEYS[1])
