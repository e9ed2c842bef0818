-- Move a loaded sale's stock by the difference of an edit, and set its window; each revision once.
-- KEYS[1] hash: the sale: state, revision
-- KEYS[2] string: units left
-- KEYS[3] hash: buyers
-- KEYS[4] hash: released orders
-- ARGV[1] revision that this edit makes
-- ARGV[2] units to add (negative: to take away)
-- ARGV[3] begins, in unix ms
-- ARGV[4] ends, in unix ms
-- ARGV[5] new expiry of the sale's keys, in unix seconds
-- Returns an Adjusted: 0 not loaded at the revision before, 1 done (now or before), 2 fewer units are left than to take.
local NOT_LOADED, DONE, TOO_FEW = 0, 1, 2
if redis.call("TYPE", KEYS[1]).ok ~= "hash" or redis.call("TYPE", KEYS[2]).ok ~= "string" then return NOT_LOADED end

local sale, stock = redis.call("HMGET", KEYS[1], "state", "revision"), redis.call("GET", KEYS[2])
local revision, wanted = tonumber(sale[2] or nil), tonumber(ARGV[1])
if sale[1] ~= "open" or not revision or not stock:find("^%d+$") then return NOT_LOADED end
if revision >= wanted then return DONE end
if revision ~= wanted - 1 then return NOT_LOADED end
if tonumber(stock) + ARGV[2] < 0 then return TOO_FEW end

redis.call("INCRBY", KEYS[2], ARGV[2])
redis.call("HSET", KEYS[1], "revision", wanted, "begins", ARGV[3], "ends", ARGV[4])
for _, key in ipairs({ KEYS[1], KEYS[2], KEYS[3], KEYS[4] }) do redis.call("EXPIREAT", key, ARGV[5]) end
return DONE
