-- Find the hot copies of log-ins and renew them: expiry slides once a minute at most, SQL hears once an hour.
-- KEYS[1..] string: a hot copy, "user:id:due:next" or "gone:why", as fill_token and refuse_token write them
-- ARGV[1] expiry after a use, in seconds
-- ARGV[2] how often the expiry slides, in seconds
-- ARGV[3] how often SQL is renewed, in seconds
-- Returns a value a copy: nil none, "gone" refused, "user:id:due:next" live; with 0 for due when SQL is to hear.
local ttl, slide_every, renew_every = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local now, answers = tonumber(redis.call("TIME")[1]), redis.call("MGET", unpack(KEYS))

local function renewed(copy, kept)
  local user, id, due, next = string.match(kept, "^(%d+):(%d+):(%d+):(%d+)$")
  local is_due = now >= tonumber(due)
  local due_at = is_due and now + renew_every or tonumber(due)
  next = math.min(now + slide_every, due_at)
  redis.call("SET", copy, string.format("%s:%s:%d:%d", user, id, due_at, next), "EX", ttl)
  return is_due and string.format("%s:%s:0:%d", user, id, next) or kept
end

for place, kept in ipairs(answers) do
  -- All that most uses cost: one pattern with one capture, and an answer that is there already.
  local next = kept and string.match(kept, "^%d+:%d+:%d+:(%d+)$")
  if next and now - next >= 0 then
    answers[place] = renewed(KEYS[place], kept)
  elseif kept and not next then
    answers[place] = string.sub(kept, 1, 5) == "gone:" and "gone"
  end
end
return answers
