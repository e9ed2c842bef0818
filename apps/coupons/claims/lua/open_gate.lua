-- Open a sale that was counted from SQL: buyers first, stock last, all at once.
-- KEYS[1] hash: the sale
-- KEYS[2] string: units left
-- KEYS[3] hash: buyers
-- KEYS[4] hash: released orders
-- KEYS[5] hash: id clock of the partition: second, counter
-- KEYS[6] hash: the counted buyers, to be renamed to KEYS[3]
-- KEYS[7] hash: the counted released orders, to be renamed to KEYS[4]
-- ARGV[1] units left
-- ARGV[2] begins, in unix ms
-- ARGV[3] ends, in unix ms
-- ARGV[4] epoch of this load
-- ARGV[5] revision of the sale's stock and window
-- ARGV[6] expiry of the sale's keys, in unix seconds
-- ARGV[7] second of the newest known order id: the id clock starts past it
-- Returns 1 when the gate is open, 0 when another load was there first.
local sale_type = redis.call("TYPE", KEYS[1]).ok
local epoch = sale_type == "hash" and tonumber(redis.call("HGET", KEYS[1], "epoch") or nil) or 0
if epoch >= tonumber(ARGV[4]) then return 0 end

local clock = redis.call("TYPE", KEYS[5]).ok == "hash" and tonumber(redis.call("HGET", KEYS[5], "second") or nil) or 0
redis.call("DEL", KEYS[1], KEYS[2], KEYS[3], KEYS[4])
for from, to in pairs({ [KEYS[6]] = KEYS[3], [KEYS[7]] = KEYS[4] }) do
  if redis.call("EXISTS", from) == 1 then
    redis.call("RENAME", from, to)
    redis.call("EXPIREAT", to, ARGV[6])
  end
end
if clock < tonumber(ARGV[7]) then
  redis.call("DEL", KEYS[5])
  redis.call("HSET", KEYS[5], "second", ARGV[7] + 1, "counter", 0)
  redis.call("EXPIRE", KEYS[5], 172800)
end
redis.call("HSET", KEYS[1], "state", "open", "begins", ARGV[2], "ends", ARGV[3], "epoch", ARGV[4], "revision", ARGV[5])
redis.call("SET", KEYS[2], ARGV[1])
redis.call("EXPIREAT", KEYS[1], ARGV[6])
redis.call("EXPIREAT", KEYS[2], ARGV[6])
return 1
