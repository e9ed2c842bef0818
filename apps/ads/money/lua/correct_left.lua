-- Move what is left of a campaign's budget by a difference that the reconciliation has found.
-- KEYS[1] hash: micros left by campaign
-- KEYS[2] hash: the budget that `left` counts from, by campaign
-- ARGV[1] campaign id
-- ARGV[2] the budget in micros that the difference was computed with
-- ARGV[3] micros to add; may be negative
-- Returns what is left, or false when the budget is another by now.
local left_key, budgets_key = unpack(KEYS, 1, 2)
local campaign, budget, difference = unpack(ARGV, 1, 3)
if redis.call("HGET", budgets_key, campaign) ~= budget then
  return false
end
return redis.call("HINCRBY", left_key, campaign, difference)
