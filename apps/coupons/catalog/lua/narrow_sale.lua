-- Take from a loaded sale what an edit will take away, before SQL commits it; nothing is added.
-- KEYS[1] hash: the sale: state, revision, narrowed (unix ms), and its terms
-- KEYS[2] string: units left
-- ARGV[1] revision before the edit
-- ARGV[2] units to take away
-- ARGV[3..] the terms, each the stricter one of those before and after: field, value, and so on
-- Returns a NarrowResult: 0 not loaded at this revision, or another edit was left half done;
-- 1 done; 2 fewer units are left than to take; 3 the new end is past; 4 the sale has begun.
local NOT_LOADED, DONE, TOO_FEW, ENDED, BEGUN = 0, 1, 2, 3, 4
local sale, stock = unpack(KEYS, 1, 2)
local revision, less = ARGV[1], ARGV[2]
local terms = {}
for index = 3, #ARGV, 2 do
  terms[ARGV[index]] = tonumber(ARGV[index + 1])
end

-- Only a loaded sale at the revision before is narrowed.
if redis.call("TYPE", sale).ok ~= "hash" or redis.call("TYPE", stock).ok ~= "string" then
  return NOT_LOADED
end
local gate = redis.call("HMGET", sale,
  "state", "revision", "narrowed", "begins", "ends", "per_person")
local old_begins, old_ends = tonumber(gate[4] or nil), tonumber(gate[5] or nil)
local old_limit, units = tonumber(gate[6] or nil) or 1, redis.call("GET", stock)
if gate[1] ~= "open" or gate[2] ~= revision or gate[3] then
  return NOT_LOADED
end
if not old_begins or not old_ends or not units:find("^%d+$") then
  return NOT_LOADED
end

-- By the clock that decides claims: whatever it has accepted lies inside the new window too.
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if terms.ends < old_ends and terms.ends <= now then
  return ENDED
end
if old_begins <= now and (terms.begins > old_begins or terms.per_person < old_limit) then
  return BEGUN
end
if tonumber(units) < tonumber(less) then
  return TOO_FEW
end

-- The mark goes with the edit's commit; a sale that keeps it is loaded again from SQL.
redis.call("DECRBY", stock, less)
redis.call("HSET", sale, "narrowed", string.format("%d", now), unpack(ARGV, 3))
return DONE
