// `npm run bench:load`: pages of a large ledger, straight from the store and at a hub that four clients list from. A number as argument is how many receipts.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "@countersign/store";
import { fillLedger } from "./fill-ledger.ts";
import { percentile } from "./rounds.ts";
import { COMMANDS, type Server, startServer, stopServer } from "./server-of-its-own.ts";

const COUNT = Number(process.argv[2] ?? 1_000_000);
const PAGES = 15;
const CLIENTS = 4;
const LISTED_MS = 8_000;

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-bench-")));
const home = join(scratch, "home");
mkdirSync(home, { mode: 0o700 });
try {
  const { startMs, stepMs } = await fillLedger(home, COUNT);
  const middleMs = startMs + stepMs * Math.floor(COUNT / 2);
  await timePages(middleMs, stepMs);
  await timeState();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function timePages(middleMs: number, stepMs: number): Promise<void> {
  const store = await openSqliteStore(join(home, "countersign.db"));
  const wishes = {
    "first page": { afterSeq: 0 },
    "from the middle": { afterSeq: Math.floor(COUNT / 2) },
    "of a session": { afterSeq: 0, sessionId: "s7" },
    "of a type": { afterSeq: 0, type: "decided" },
    "of a rare type": { afterSeq: 0, type: "hub-up" },
    "of a type that has none": { afterSeq: 0, type: "nothing" },
    "from a time on": { afterSeq: 0, fromMs: middleMs },
    "of a span of 100": { afterSeq: 0, fromMs: middleMs, toMs: middleMs + 100 * stepMs },
    "of a session and a type": { afterSeq: 0, sessionId: "s7", type: "ended" },
    "of a type and a span": { afterSeq: 0, type: "ended", fromMs: middleMs },
  };
  console.log(`a page of 100 of ${COUNT} receipts (median of ${PAGES}; the first of them):`);
  for (const [name, wish] of Object.entries(wishes)) {
    const times: number[] = [];
    let found = 0;
    for (let page = 0; page < PAGES; page += 1) {
      const began = performance.now();
      const answer: unknown = await store.findReceipts({ ...wish, limit: 100 });
      found = (Array.isArray(answer) ? answer : (answer as { receipts: unknown[] }).receipts).length;
      times.push(performance.now() - began);
    }
    console.log(`  ${name}: ${percentile(times, 0.5).toFixed(2)} ms; ${times[0]?.toFixed(2)} ms (${found} found)`);
  }
  await store.close();
}

/** What everyone else waits for while four clients list the ledger page by page. */
async function timeState(): Promise<void> {
  const server = await startServer(COMMANDS.source, home);
  const alone = await statesFor(server, 2_000);
  const until = performance.now() + LISTED_MS;
  let pages = 0;
  const list = async () => {
    for (let path = "/api/v1/receipts?limit=100"; performance.now() < until; pages += 1) {
      const response = await get(server, path);
      await response.arrayBuffer();
      path = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1] ?? "/api/v1/receipts?limit=100";
    }
  };
  const listing = Array.from({ length: CLIENTS }, list);
  const beside = await statesFor(server, LISTED_MS);
  await Promise.all(listing);
  await stopServer(server);
  console.log(`GET /api/v1/state: alone ${shown(alone)}; beside ${CLIENTS} clients that list ${shown(beside)}`);
  console.log(`  ${Math.round(pages / (LISTED_MS / 1_000))} pages a second`);
}

async function statesFor(server: Server, ms: number): Promise<number[]> {
  const times: number[] = [];
  for (const until = performance.now() + ms; performance.now() < until; ) {
    const began = performance.now();
    await (await get(server, "/api/v1/state")).arrayBuffer();
    times.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return times;
}

async function get(server: Server, path: string): Promise<Response> {
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${server.token}` } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

function shown(times: readonly number[]): string {
  return `median ${percentile(times, 0.5).toFixed(1)} ms, worst ${Math.max(...times).toFixed(1)} ms`;
}
