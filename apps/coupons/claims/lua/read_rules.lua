-- Read a sale's gate and terms by name; a part of other scripts.
-- KEYS[1] hash: the sale
-- Returns a table of texts by field; nothing of a key of another type.
local FIELDS = {"state", "epoch", "server", "begins", "ends", "per_person"}
local rules, values = {}, redis.pcall("HMGET", KEYS[1], unpack(FIELDS))
for index, name in ipairs(FIELDS) do
  rules[name] = values[index] or nil
end
return rules
