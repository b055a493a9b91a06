import { availableParallelism, cpus, freemem, totalmem } from "node:os";
import { type Exchange, goEncode, type Route } from "./http/index.ts";

const EVERY_MS = 1_000;
const MIB = 1024 * 1024;

export function metricRoutes(): Route[] {
  return [
    ["GET", "/metrics", async (exchange) => exchange.json(await measure())],
    ["GET", "/metrics/watch", watch],
  ];
}

/** What the processors do is measured while it waits, as a stock execd does. */
async function measure(): Promise<object> {
  const before = ticks();
  await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  const after = ticks();
  const total = after.total - before.total;
  return {
    cpu_count: availableParallelism(),
    cpu_used_pct: total <= 0 ? 0 : (100 * (after.busy - before.busy)) / total,
    mem_total_mib: totalmem() / MIB,
    mem_used_mib: (totalmem() - freemem()) / MIB,
    timestamp: Date.now(),
  };
}

function ticks(): { busy: number; total: number } {
  let busy = 0;
  let total = 0;
  for (const { times } of cpus()) {
    const all = times.user + times.nice + times.sys + times.irq + times.idle;
    busy += all - times.idle;
    total += all;
  }
  return { busy, total };
}

/** A line of JSON each second, until the client leaves. */
async function watch({ response }: Exchange): Promise<void> {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    ...(response.shouldKeepAlive && { connection: "keep-alive" }),
    "x-accel-buffering": "no",
  });
  response.flushHeaders();
  while (!response.destroyed) {
    const measured = await measure();
    // One that doesn't read isn't sent more.
    if (!response.destroyed && !response.writableNeedDrain) response.write(`${goEncode(measured)}\n`);
  }
}
