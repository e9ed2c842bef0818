-- Make the queued orders those that are in the stream, and set the id clock past the ids given out.
-- KEYS[1] stream: accepted orders
-- KEYS[2] hash: queued orders, order id -> "voucher:user:accepted unix ms"
-- KEYS[3] hash: id clock: second, counter
-- ARGV[1] second of the newest order id of the partition, 0 for none
-- ARGV[2] counter of that id
-- ARGV[3] expiry of the clock, in seconds
-- Returns the number of queued orders that were changed.
local orders, queued, clock = KEYS[1], KEYS[2], KEYS[3]
local newest_second, newest_counter = tonumber(ARGV[1]), tonumber(ARGV[2])
local clock_ttl = ARGV[3]

-- Read the stream, entries of one order and of several; what is no order is left to the consumer.
local waiting = {}
local function is_number(text)
  return text and text:find("^%d+$")
end
local function add(order, fields, user)
  if is_number(order) and is_number(user) and fields.voucher and fields.at then
    waiting[order] = fields.voucher .. ":" .. user .. ":" .. fields.at
  end
end
for _, entry in ipairs(redis.call("XRANGE", orders, "-", "+")) do
  local fields = {}
  for index = 1, #entry[2], 2 do
    fields[entry[2][index]] = entry[2][index + 1]
  end
  if fields.v == "2" and fields.orders then
    for part in fields.orders:gmatch("[^ ]+") do
      local order, user = part:match("^([^:]*):([^:]*)")
      add(order, fields, user)
    end
  else
    add(fields.order, fields, fields.user)
  end
end

-- Remove what is in no stream, then write what differs.
local changed = 0
for _, order in ipairs(redis.call("HKEYS", queued)) do
  if not waiting[order] then
    changed = changed + redis.call("HDEL", queued, order)
  end
end
for order, value in pairs(waiting) do
  if redis.call("HGET", queued, order) ~= value then
    redis.call("HSET", queued, order, value)
    changed = changed + 1
  end
end

-- The clock never goes back.
local second = tonumber(redis.call("HGET", clock, "second") or nil) or 0
local counter = tonumber(redis.call("HGET", clock, "counter") or nil) or 0
local is_behind = second < newest_second or second == newest_second and counter < newest_counter
if newest_second > 0 and is_behind then
  redis.call("HSET", clock, "second", newest_second + 1, "counter", 0)
  redis.call("EXPIRE", clock, clock_ttl)
end
return changed
