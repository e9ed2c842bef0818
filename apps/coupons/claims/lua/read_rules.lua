-- Read a sale's gate and terms by name; a part of other scripts.
-- KEYS[1] hash: the sale
-- Returns a table of texts by field; nothing of a key of another type.
local rules, pairs_read = {}, redis.pcall("HGETALL", KEYS[1])
for index = 1, #pairs_read, 2 do
  rules[pairs_read[index]] = pairs_read[index + 1]
end
return rules
