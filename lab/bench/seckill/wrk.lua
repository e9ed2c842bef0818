-- wrk's side of lab.bench.seckill.request_generator: whose request is next, what was answered, and the sums as JSON.
-- Environment: AIM_PEOPLE a file of a person's token and visitor cookie a line; AIM_CROWD a file by
-- request_templates.to_file; AIM_SALES voucher ids; AIM_PREFIX of the keys; AIM_KEY_LENGTH their characters; AIM_WAVE
-- people in a wave; AIM_FIRST the turn to begin with; AIM_SPREAD 1 when each turn is another sale's; AIM_RATE requests
-- a second (0: as fast as they are answered).
-- One thread: two would be the same people.
local ffi = require("ffi")
ffi.cdef("typedef struct { long sec; long usec; } aim_time; int gettimeofday(aim_time *now, void *zone);")

local threads = {}
-- Global, so that done() can fetch it from the thread.
answers = {}

function setup(thread)
  threads[#threads + 1] = thread
end

local tokens, visitors, sales, turn, sent = {}, {}, {}, 0, 0
-- Each template: literals and names of blanks in turn. `steps` of them belong to each kind of person.
local templates, steps, kinds = {}, 1, 1
local aim = {}
for _, name in ipairs({ "PEOPLE", "CROWD", "SALES", "PREFIX", "KEY_LENGTH", "WAVE", "FIRST", "SPREAD", "RATE" }) do
  aim[name] = os.getenv("AIM_" .. name) or ""
end
local rate, wave = tonumber(aim.RATE) or 0, tonumber(aim.WAVE) or 1
local key_format = "%s%0" .. (tonumber(aim.KEY_LENGTH) or 24) - #aim.PREFIX .. "d"
-- A random part of the requests' ids.
local salt = math.floor(os.time() % 0x7fffff)

local function now()
  local read = ffi.new("aim_time")
  ffi.C.gettimeofday(read, nil)
  return tonumber(read.sec) + tonumber(read.usec) / 1e6
end

local function parsed(text)
  local pieces, from = {}, 1
  for before, blank, after in text:gmatch("()<<(%w+)>>()") do
    pieces[#pieces + 1] = text:sub(from, before - 1)
    pieces[#pieces + 1] = blank
    from = after
  end
  pieces[#pieces + 1] = text:sub(from)
  return pieces
end

function init()
  for line in io.lines(aim.PEOPLE) do
    tokens[#tokens + 1], visitors[#visitors + 1] = line:match("(%S+) (%S+)")
  end
  for voucher in aim.SALES:gmatch("%d+") do sales[#sales + 1] = voucher end
  local file = assert(io.open(aim.CROWD, "rb"))
  local count, texts = file:read("*a"):match("^(%d+)\30(.*)$")
  file:close()
  for text in texts:gmatch("[^\30]+") do templates[#templates + 1] = parsed(text) end
  steps = tonumber(count)
  kinds = #templates / steps
  turn = tonumber(aim.FIRST) or 0
end

local fill = {
  sale = function(_, sale) return sale end,
  token = function(person) return tokens[person] end,
  visitor = function(person) return visitors[person] end,
  person = function(person) return person - 1 end,
  id = function(person) return string.format("%08x%08x", (person * 2654435761 + salt) % 4294967296, turn) end,
  key = function(_, _, number) return string.format(key_format, aim.PREFIX, number) end,
}

-- Every pair of person and sale comes once before the first comes again: sale by sale, person by person;
-- spread, the next person asks for the next sale. Of several steps all people of a wave, who are more than there
-- are connections, take one before the first of them takes the next: it is answered by then.
function request()
  local number, step = turn, 0
  if steps > 1 then
    local within = turn % (wave * steps)
    number, step = (turn - within) / steps + within % wave, math.floor(within / wave)
  end
  local person, lap = number % #tokens + 1, math.floor(number / #tokens)
  local sale = sales[(aim.SPREAD == "1" and number + lap or lap) % #sales + 1]
  local pieces, parts = templates[(person - 1) % kinds * steps + step + 1], {}
  for index = 1, #pieces, 2 do
    parts[index] = pieces[index]
    local blank = pieces[index + 1]
    if blank then parts[index + 1] = fill[blank](person, sale, number) end
  end
  turn, sent = turn + 1, sent + 1
  return table.concat(parts)
end

-- A form's redirect to the order is a 201, one back to the sale's page a refusal: each as the API answers.
local statuses = { not_logged_in = 401, not_found = 404, too_many_requests = 429, busy = 503, not_ready = 503 }
local function redirected(headers)
  local target = headers.location or headers.Location or ""
  if target:find("/orders/%d+/$") then return "201" end
  local reason = target:find("^/login/") and "not_logged_in" or target:match("reason=([%w_]+)")
  return reason and (statuses[reason] or 409) .. " " .. reason or "303 " .. target:match("[^?]*")
end

function response(status, headers, body)
  local code = tostring(status)
  if status == 201 then
    if not body:find('"order_id"', 1, true) then code = "201 without an order" end
  elseif status == 303 or status == 302 then
    code = redirected(headers)
  elseif status == 200 then
    -- A page is long, and says nothing of anybody.
    if #body < 2000 and body:find('"person": ?null') then code = "200 for nobody" end
  else
    code = code .. " " .. (body:match('"code": ?"([%w_]+)"') or "")
  end
  answers[code] = (answers[code] or 0) + 1
end

if rate > 0 then
  local began
  -- Milliseconds until the next request is due.
  function delay()
    began = began or now()
    return math.max(0, math.floor((began + sent / rate - now()) * 1000))
  end
end

function done(summary, latency)
  local sums, codes = {}, {}
  for _, thread in ipairs(threads) do
    for code, count in pairs(thread:get("answers")) do sums[code] = (sums[code] or 0) + count end
  end
  for code, count in pairs(sums) do codes[#codes + 1] = string.format('"%s": %d', code, count) end
  local errors = {}
  for _, kind in ipairs({ "connect", "read", "write", "timeout" }) do
    errors[#errors + 1] = string.format('"%s": %d', kind, summary.errors[kind])
  end
  io.write(string.format('{"codes": {%s}, "errors": {%s}, "seconds": %.6f, "p50": %.3f, "p99": %.3f, "slowest": %.3f}\n',
    table.concat(codes, ", "), table.concat(errors, ", "), summary.duration / 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3))
end
