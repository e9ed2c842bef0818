-- Set a consumer group back to the first entry when some lie behind it that nobody has or reads.
-- KEYS[1] stream
-- ARGV[1] consumer group
-- ARGV[2] most pending entries to look through
-- Returns 1 when the group was set back: every entry that isn't finished is delivered once more.
local stream, group, max_pending = KEYS[1], ARGV[1], tonumber(ARGV[2])

-- 1. Find the group; without the stream or the group there is nothing to read.
local groups = redis.pcall("XINFO", "GROUPS", stream)
if groups.err then
  return 0
end
local last_id, pending
for _, flat in ipairs(groups) do
  local fields = {}
  for index = 1, #flat, 2 do
    fields[flat[index]] = flat[index + 1]
  end
  if fields.name == group then
    last_id, pending = fields["last-delivered-id"], fields.pending
  end
end
if not last_id or pending > max_pending then
  return 0
end

-- 2. Finished entries are deleted, so each one up to the last delivered id should be pending.
local delivered = redis.call("XRANGE", stream, "-", last_id, "COUNT", pending + 1)
if #delivered <= pending then
  return 0
end
redis.call("XGROUP", "SETID", stream, group, "0")
return 1
