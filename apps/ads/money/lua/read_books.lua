-- Read at one moment what is left of budgets, what days spent, and charges on their way to SQL.
-- KEYS[1] hash: micros left by campaign
-- KEYS[2] hash: the budget that `left` counts from, by campaign
-- KEYS[3] stream: charges
-- KEYS[4..] hash: micros charged on a day by campaign
-- Returns {left by campaign, budgets by campaign, entries, the newest id ever in the stream or "",
-- {spent by campaign of each day}}.
local left_key, budgets_key, charges_key = unpack(KEYS, 1, 3)
local NEVER = "0-0"
local newest = ""
if redis.call("EXISTS", charges_key) == 1 then
  newest = redis.call("XINFO", "STREAM", charges_key)[8]
end
-- A stream made for its readers tells of no charge: those in SQL are from before Redis lost it.
if newest == NEVER then
  newest = ""
end
local spent = {}
for index = 4, #KEYS do
  spent[#spent + 1] = redis.call("HGETALL", KEYS[index])
end
return {
  redis.call("HGETALL", left_key),
  redis.call("HGETALL", budgets_key),
  redis.call("XRANGE", charges_key, "-", "+"),
  newest,
  spent,
}
