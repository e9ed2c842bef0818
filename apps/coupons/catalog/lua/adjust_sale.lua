-- Give a loaded sale what an edit adds, and replace its terms; each revision once.
-- KEYS[1] hash: the sale: state, revision, narrowed (unix ms)
-- KEYS[2] string: units left
-- KEYS[3] hash: buyers
-- KEYS[4] hash: released orders
-- ARGV[1] revision that this edit makes
-- ARGV[2] units to add
-- ARGV[3] 1 when narrow_sale.lua has taken what this edit takes away, else 0
-- ARGV[4] new expiry of the sale's keys, in unix seconds
-- ARGV[5..] the terms: field, value, and so on
-- Returns 1 when it is done (now or before), 0 when the sale has to be loaded: it isn't open at the
-- revision before, or an edit that wasn't committed has narrowed it.
local NOT_LOADED, DONE = 0, 1
local sale, stock, buyers, released = unpack(KEYS, 1, 4)
local revision, more, is_narrowed, expires_at = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]

-- Only a loaded sale at the revision before is moved; a later one has this edit already.
if redis.call("TYPE", sale).ok ~= "hash" or redis.call("TYPE", stock).ok ~= "string" then
  return NOT_LOADED
end
local gate = redis.call("HMGET", sale, "state", "revision", "narrowed")
local units = redis.call("GET", stock)
local current = tonumber(gate[2] or nil)
if gate[1] ~= "open" or not current or not units:find("^%d+$") then
  return NOT_LOADED
end
if current >= revision then
  return DONE
end
if current ~= revision - 1 or (gate[3] and "1" or "0") ~= is_narrowed then
  return NOT_LOADED
end

redis.call("INCRBY", stock, more)
put_terms({sale, stock, buyers, released}, {revision, expires_at, unpack(ARGV, 5)})
return DONE
