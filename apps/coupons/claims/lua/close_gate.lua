-- Close a sale's gate, so that nobody is accepted while it is counted or when it isn't offered.
-- KEYS[1] hash: the sale: state, epoch
-- ARGV[1] state: "closed", or "absent" for a voucher that isn't on sale
-- ARGV[2] expiry of the hash, in seconds
-- Returns the epoch of the sale's last load, 0 when there was none.
if redis.call("TYPE", KEYS[1]).ok ~= "hash" then redis.call("DEL", KEYS[1]) end
redis.call("HSET", KEYS[1], "state", ARGV[1])
redis.call("EXPIRE", KEYS[1], ARGV[2])
return tonumber(redis.call("HGET", KEYS[1], "epoch") or nil) or 0
