-- Decide many claims on one sale, each with everything it needs: claim_whole.lua for a crowd.
-- KEYS[1] hash: the sale: begins, ends (unix seconds)
-- KEYS[2] string: units left
-- KEYS[3] set: user ids of the buyers
-- KEYS[4] string: counter of order ids
-- KEYS[5] stream: accepted orders
-- KEYS[6..] hash: a log-in each: user
-- ARGV[1] voucher id
-- Returns two values a claim: an outcome (claim.lua's, or 6 not logged in), then the order id as text.
local sale, stock, now = redis.call("HMGET", KEYS[1], "begins", "ends"), redis.call("GET", KEYS[2]), tonumber(redis.call("TIME")[1])
local closed = (not sale[1] and 5) or (now < tonumber(sale[1]) and 1) or (now >= tonumber(sale[2]) and 2)
local left, answers = tonumber(stock) or 0, {}
for place = 6, #KEYS do
  local user, order = redis.call("HGET", KEYS[place], "user"), ""
  local outcome = (not user and 6) or closed or (redis.call("SISMEMBER", KEYS[3], user) == 1 and 3) or (left <= 0 and 4) or 0
  if outcome == 0 then
    left, order = left - 1, string.format("%d%08d", now, redis.call("INCR", KEYS[4]) % 100000000)
    redis.call("DECR", KEYS[2])
    redis.call("SADD", KEYS[3], user)
    redis.call("XADD", KEYS[5], "*", "order", order, "voucher", ARGV[1], "user", user)
  end
  answers[#answers + 1], answers[#answers + 2] = outcome, order
end
return answers
