-- Find the hot copies of log-ins and renew them: expiry slides once a minute at most, SQL hears once an hour.
-- KEYS[1..] hash: a hot copy, fields "user", "id", "seen", "due", or "gone"
-- ARGV[1] expiry after a use, in seconds
-- ARGV[2] how often the expiry slides, in seconds
-- ARGV[3] how often SQL is renewed, in seconds
-- Returns three values a copy: 0, 0, 0 none; 1, user, id live; 2, user, id live, SQL is due; 3, 0, 0 refused.
local ttl, slide_every, renew_every = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now, answers = tonumber(redis.call("TIME")[1]), {}

local function found(copy)
  local kept = redis.pcall("HMGET", copy, "user", "id", "seen", "due", "gone")
  local seen, due = tonumber(kept[3]), tonumber(kept[4])
  if kept[5] then return 3, 0, 0 end
  if kept.err or not (kept[1] and kept[2] and seen and due) then return 0, 0, 0 end
  if now - seen >= slide_every then
    redis.call("HSET", copy, "seen", now)
    redis.call("EXPIRE", copy, ttl)
  end
  if now < due then return 1, kept[1], kept[2] end
  redis.call("HSET", copy, "due", now + renew_every)
  return 2, kept[1], kept[2]
end

for _, copy in ipairs(KEYS) do
  local place, state, user, id = #answers, found(copy)
  answers[place + 1], answers[place + 2], answers[place + 3] = state, user, id
end
return answers
