-- Write a campaign's rules, and move what is left by the difference of its budget.
-- KEYS[1] hash: campaigns, id -> JSON
-- KEYS[2] hash: micros left by campaign
-- KEYS[3] hash: the budget that `left` counts from, by campaign
-- ARGV[1] campaign id
-- ARGV[2] revision of the row
-- ARGV[3] the rules as JSON
-- ARGV[4] the budget in micros
-- ARGV[5] micros left, for a campaign that Redis doesn't have
-- Returns 1 when written, 0 when Redis has a newer edit, 2 when more is spent than the new budget.
local OLDER, WRITTEN, SPENT = 0, 1, 2
local campaigns_key, left_key, budgets_key = unpack(KEYS, 1, 3)
local campaign, revision, rules, budget, first_left = unpack(ARGV, 1, 5)
local held = redis.call("HGET", campaigns_key, campaign)
if held and cjson.decode(held).revision > tonumber(revision) then
  return OLDER
end
local left = redis.call("HGET", left_key, campaign)
local counted_from = redis.call("HGET", budgets_key, campaign)
if left and counted_from then
  local difference = tonumber(budget) - tonumber(counted_from)
  if difference < 0 and tonumber(left) + difference < 0 then
    return SPENT
  end
  redis.call("HINCRBY", left_key, campaign, string.format("%d", difference))
else
  redis.call("HSET", left_key, campaign, first_left)
end
redis.call("HSET", budgets_key, campaign, budget)
redis.call("HSET", campaigns_key, campaign, rules)
return WRITTEN
