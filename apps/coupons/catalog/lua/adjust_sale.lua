-- Move a loaded sale's stock by an edit's difference, set window and limit; each revision once.
-- KEYS[1] hash: the sale: state, revision
-- KEYS[2] string: units left
-- KEYS[3] hash: buyers
-- KEYS[4] hash: released orders
-- ARGV[1] revision that this edit makes
-- ARGV[2] units to add (negative: to take away)
-- ARGV[3] begins, in unix ms
-- ARGV[4] ends, in unix ms
-- ARGV[5] new expiry of the sale's keys, in unix seconds
-- ARGV[6] how many one person may have
-- Returns an AdjustResult: 0 not loaded at the revision before, 1 done (now or before),
-- 2 fewer units are left than to take.
local NOT_LOADED, DONE, TOO_FEW = 0, 1, 2
local sale, stock, buyers, released = unpack(KEYS, 1, 4)
local revision, more, begins, ends, expires_at, per_person = unpack(ARGV, 1, 6)
revision = tonumber(revision)

-- Only a loaded sale at the revision before is moved; a later one has this edit already.
if redis.call("TYPE", sale).ok ~= "hash" or redis.call("TYPE", stock).ok ~= "string" then
  return NOT_LOADED
end
local gate = redis.call("HMGET", sale, "state", "revision")
local units = redis.call("GET", stock)
local current = tonumber(gate[2] or nil)
if gate[1] ~= "open" or not current or not units:find("^%d+$") then
  return NOT_LOADED
end
if current >= revision then
  return DONE
end
if current ~= revision - 1 then
  return NOT_LOADED
end
if tonumber(units) + more < 0 then
  return TOO_FEW
end

-- Move the stock, the window, the limit and the expiry.
redis.call("INCRBY", stock, more)
redis.call("HSET", sale, "revision", revision, "begins", begins, "ends", ends,
  "per_person", per_person)
for _, key in ipairs({sale, stock, buyers, released}) do
  redis.call("EXPIREAT", key, expires_at)
end
return DONE
