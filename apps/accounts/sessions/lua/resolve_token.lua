-- Read cached log-ins and renew them: a use slides the expiry, and seldom SQL is told.
-- KEYS[1..] string: a cached log-in, "user:id:due:next" as fill_token writes it, or "gone:reason"
-- ARGV[1] expiry after a use, in seconds
-- ARGV[2] how often the expiry slides, in seconds
-- ARGV[3] how often SQL is renewed, in seconds
-- Returns a value a key: nil none, "gone" refused, "user:id:due:next" live; due is 0 when SQL
-- must be told of this use.
local ttl = ARGV[1]
local slide_every = tonumber(ARGV[2])
local renew_every = tonumber(ARGV[3])
local now = tonumber(redis.call("TIME")[1])
local answers = redis.call("MGET", unpack(KEYS))

-- Write the log-in again with a later `next`, and a later `due` when SQL is told now.
local function renew(key, value)
  local user_id, token_id, due, next_write = string.match(value, "^(%d+):(%d+):(%d+):(%d+)$")
  local is_due = now >= tonumber(due)
  local due_at = is_due and now + renew_every or tonumber(due)
  next_write = math.min(now + slide_every, due_at)
  local renewed = string.format("%s:%s:%d:%d", user_id, token_id, due_at, next_write)
  redis.call("SET", key, renewed, "EX", ttl)
  return is_due and string.format("%s:%s:0:%d", user_id, token_id, next_write) or value
end

-- Most uses match one pattern with one capture, and their answer is there already.
for position, value in ipairs(answers) do
  local next_write = value and string.match(value, "^%d+:%d+:%d+:(%d+)$")
  if next_write and now - next_write >= 0 then
    answers[position] = renew(KEYS[position], value)
  elseif value and not next_write then
    answers[position] = string.sub(value, 1, 5) == "gone:" and "gone"
  end
end
return answers
