// `npm run bench:execd`: a relay that is down for a minute and comes back, while an agent goes on through the real proxy. Every call has to be on
// record, as a receipt or in a count of drops. A number as argument is how many seconds it is down.
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ExecdRoom, peakMib } from "./execd-room.ts";
import { Figures } from "./figures.ts";
import { percentile } from "./rounds.ts";

const DOWN_MS = 1_000 * Number(process.argv[2] ?? 60);
const BEFORE_MS = 3_000;
/** Enough for some to find no room where it is down for a minute, and so few that the relay takes all the rest. */
const PER_SECOND = 200;
const MOST_PEAK_MIB = 256;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

async function command(url: string): Promise<void> {
  const body = '{"command":"true"}';
  const headers = { "Content-Type": "application/json", "Content-Length": body.length };
  const sent = request(`${url}/command`, { method: "POST", agent, headers });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}`);
  await once(answer.resume(), "end");
}

/** As many a second as there should be, however long each takes. */
async function sendUntil(signal: AbortSignal, url: string) {
  const took: number[] = [];
  const under = new Set<Promise<void>>();
  let sent = 0;
  for (const fromMs = performance.now(); !signal.aborted; await sleep(5)) {
    for (const due = ((performance.now() - fromMs) * PER_SECOND) / 1_000; sent < due; sent += 1) {
      const atMs = performance.now();
      const call = command(url).then(() => void took.push(performance.now() - atMs));
      under.add(call);
      void call.finally(() => under.delete(call));
    }
  }
  await Promise.all(under);
  return { sent, took };
}

using room = new ExecdRoom();
const figures = new Figures();
const recorder = await room.recorder();
const first = await room.relay();
const execd = await room.child("execd");
const proxy = await room.proxy(execd.url);
const stopped = new AbortController();
const sending = sendUntil(stopped.signal, proxy.url);
await sleep(BEFORE_MS);
await room.stop(first.child, "SIGKILL");
await sleep(DOWN_MS);
const second = await room.relay();
await sleep(BEFORE_MS);
stopped.abort();
const { sent, took } = await sending;
const peak = peakMib(proxy);
// It lets go of what waits as it ends, and what doesn't go in its time is told by the next one.
await room.stop(proxy.child);
const next = await room.proxy(execd.url);
await command(next.url);
const { receipts, dropped } = await room.haveOnRecord(sent + 1);
await room.stop(next.child);
await room.stop(second.child);
await room.stop(recorder);
room.run("receipts", "verify");
console.log(
  `relay down for ${DOWN_MS / 1_000} s at ${PER_SECOND} calls a second: ${receipts} receipts, ${dropped} dropped`,
);
console.log(
  `  an agent's call took ${percentile(took, 0.5).toFixed(1)} ms, 99 of 100 less than ${percentile(took, 0.99).toFixed(1)} ms`,
);
figures.exactly("receipts and drops of all calls", receipts + dropped, sent + 1, "frames");
figures.atMost("the proxy's peak memory", peak, MOST_PEAK_MIB, "MiB");
agent.destroy();
figures.close();
