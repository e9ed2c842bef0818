-- Open a sale that was counted from SQL, or hold its units: buyers first, stock last, all at once.
-- KEYS[1] hash: the sale
-- KEYS[2] string: units left
-- KEYS[3] hash: buyers
-- KEYS[4] hash: released orders
-- KEYS[5] hash: id clock of the partition: second, counter, server
-- KEYS[6] hash: the counted buyers, to be renamed to KEYS[3]
-- KEYS[7] hash: the counted released orders, to be renamed to KEYS[4]
-- ARGV[1] units left
-- ARGV[2] epoch of this load
-- ARGV[3] second of the newest known order id: the id clock starts past it
-- ARGV[4] end of the hold, in unix ms: until the next load orders only come back; 0: sell at once
-- ARGV[5] how many orders came back in this hold
-- ARGV[6] revision of the terms
-- ARGV[7] expiry of the sale's keys, in unix seconds
-- ARGV[8..] the terms: field, value, and so on
-- Returns 1 when the gate is open, 0 when another load was there first.
local sale, stock, buyers, released, clock, next_buyers, next_released = unpack(KEYS, 1, 7)
local units, epoch, newest_second, hold_until, readmitted = unpack(ARGV, 1, 5)

-- Returns a number in a hash, 0 when there is none or the key has another type.
local function number_in(key, field)
  local is_hash = redis.call("TYPE", key).ok == "hash"
  return is_hash and tonumber(redis.call("HGET", key, field) or nil) or 0
end

local function replace(key, staged)
  if redis.call("EXISTS", staged) == 1 then
    redis.call("RENAME", staged, key)
  end
end

-- A load that began later has opened the sale already.
if number_in(sale, "epoch") >= tonumber(epoch) then
  return 0
end

-- Buyers and released orders first.
redis.call("DEL", sale, stock, buyers, released)
replace(buyers, next_buyers)
replace(released, next_released)

-- The id clock starts past every id that was given out. One of another run of the server may have
-- been further when it promised ids than this copy of it says.
local server = redis.call("INFO", "server"):match("run_id:(%x+)")
local second, newest = number_in(clock, "second"), tonumber(newest_second)
local is_own_clock = second > 0 and redis.call("HGET", clock, "server") == server
if not is_own_clock or second < newest then
  redis.call("DEL", clock)
  redis.call("HSET", clock, "second", math.max(second, newest) + 1, "counter", 0, "server", server)
  redis.call("EXPIRE", clock, 172800)
end

-- The gate and the stock last.
local is_held = tonumber(hold_until) > 0
redis.call("HSET", sale, "state", is_held and "recovering" or "open", "epoch", epoch,
  "server", server)
if is_held then
  redis.call("HSET", sale, "hold_until", hold_until, "readmitted", readmitted)
end
redis.call("SET", stock, units)
put_terms({sale, stock, buyers, released}, {unpack(ARGV, 6)})
return 1
