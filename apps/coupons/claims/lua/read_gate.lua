-- Read which load of a sale Redis holds, and whether this run of the server took it in.
-- KEYS[1] hash: the sale: state, epoch, revision, hold_until (unix ms), readmitted, server,
--   handed_in (names of web processes), narrowed (unix ms)
-- KEYS[2] string: units left
-- Returns {state, handed_in, server, epoch, revision, hold_until, readmitted, for how many ms an
-- edit has kept it narrowed, 1 if this run of the server took in the load, 1 if there is a stock,
-- 1 if it can be counted}; texts that are missing are "".
local sale, stock = KEYS[1], KEYS[2]
local rules = redis.pcall("HMGET", sale,
  "state", "epoch", "revision", "hold_until", "readmitted", "server", "handed_in", "narrowed")
local units = redis.pcall("GET", stock)

-- A server that was restarted, promoted or given another copy may be older than what was promised.
local is_own = rules[6] == redis.call("INFO", "server"):match("run_id:(%x+)")
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local narrowed = tonumber(rules[8] or nil)
local narrowed_for = narrowed and string.format("%d", math.max(0, now - narrowed)) or ""
local can_count = type(units) == "string" and units:find("^%d+$")
return {
  rules[1] or "", rules[7] or "", rules[6] or "", rules[2] or "", rules[3] or "", rules[4] or "",
  rules[5] or "", narrowed_for, is_own and 1 or 0, redis.call("EXISTS", stock),
  can_count and 1 or 0,
}
