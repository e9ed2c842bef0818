-- Close a sale's gate, so that no claim is accepted while it is counted or isn't offered.
-- KEYS[1] hash: the sale: state, epoch
-- ARGV[1] state: "closed", or "absent" for a voucher that isn't on sale
-- ARGV[2] expiry of the hash, in seconds
-- Returns the epoch of the sale's last load, 0 when there was none.
local sale = KEYS[1]
local state, ttl = unpack(ARGV, 1, 2)
if redis.call("TYPE", sale).ok ~= "hash" then
  redis.call("DEL", sale)
end
redis.call("HSET", sale, "state", state)
redis.call("EXPIRE", sale, ttl)
return tonumber(redis.call("HGET", sale, "epoch") or nil) or 0
