// The sale in Node, with fastify and ioredis, in two round trips: the token, then a script.
// Environment: PORT; REDIS_URL (redis:// or unix://); SCRIPT, the path of claim_counted.lua.
import { readFileSync } from "node:fs";
import fastify from "fastify";
import { Redis } from "ioredis";

const REFUSALS = {
  1: [409, "not_started"],
  2: [409, "ended"],
  3: [409, "already_bought"],
  4: [409, "sold_out"],
  5: [404, "not_found"],
  6: [401, "not_logged_in"],
};
const BEARER = "Bearer ";

const where = new URL(process.env.REDIS_URL);
const store =
  where.protocol === "unix:"
    ? new Redis({ path: decodeURIComponent(where.pathname) })
    : new Redis(process.env.REDIS_URL);
store.defineCommand("claim", { numberOfKeys: 5, lua: readFileSync(process.env.SCRIPT, "utf8") });

const app = fastify();

function refuse(reply, outcome) {
  const [status, code] = REFUSALS[outcome];
  return reply.code(status).send({ code });
}

app.post("/api/vouchers/:voucher/seckill", async (request, reply) => {
  const given = request.headers.authorization ?? "";
  const token = given.startsWith(BEARER) ? given.slice(BEARER.length) : given;
  const user = await store.hget(`baseline:token:${token}`, "user");
  if (!user) return refuse(reply, 6);
  const { voucher } = request.params;
  const [outcome, order] = await store.claim(
    `baseline:sale:${voucher}`,
    `baseline:stock:${voucher}`,
    `baseline:buyers:${voucher}`,
    "baseline:order-ids",
    "baseline:orders",
    voucher,
    user,
  );
  if (outcome) return refuse(reply, outcome);
  return reply.code(201).send({ order_id: order });
});

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
