// `npm run bench:history`: looking through what has ended, and what keeping it costs a proposal. A number as argument is how many.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateSigningKey } from "@countersign/receipts/node";
import type { HistoryWish } from "../packages/store/src/contract/history.ts";
import { keysFrom } from "../packages/store/src/ledger/ledger-keys.ts";
import { connectToWrite } from "../packages/store/src/sqlite/base/connect.ts";
import { Statements } from "../packages/store/src/sqlite/base/statements.ts";
import { migrate } from "../packages/store/src/sqlite/migrate.ts";
import { insertProposal } from "../packages/store/src/sqlite/rows/apply-proposal.ts";
import { SqliteStore } from "../packages/store/src/sqlite/sqlite-store.ts";
import { numbers, pastCommands } from "./past-commands.ts";
import { reach } from "./reach.ts";
import { median } from "./rounds.ts";

const COUNT = Number(process.argv[2] ?? 1_000_000);
const MOST_MS = 100;
const ROUNDS = 9;
const LIMIT = 50;
const BATCH = 5_000;
const STEP_MS = 30_000;
const BEGAN_MS = Date.UTC(2025, 0, 1);

const scratch = mkdtempSync(join(tmpdir(), "countersign-history-"));
const path = join(scratch, "countersign.db");
try {
  fill();
  await measure();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function fill(): void {
  const db = connectToWrite(path);
  migrate(db);
  // It is thrown away: waiting for the disk would measure the disk.
  db.exec("PRAGMA synchronous = OFF");
  const sql = new Statements(db);
  const commands = pastCommands();
  const random = numbers();
  const started = performance.now();
  for (let from = 0; from < COUNT; from += BATCH) {
    db.exec("BEGIN");
    for (let index = from; index < Math.min(COUNT, from + BATCH); index += 1) insertProposal(sql, ended(index));
    db.exec("COMMIT");
  }
  const perRow = ((performance.now() - started) / COUNT) * 1_000;
  const blocks = sql.one(
    "SELECT count(*) AS count, sum(length(texts)) AS texts, sum(length(codes) + length(trigrams) + length(begins) + length(facets)) AS columns FROM history_block",
  );
  db.close();
  const mib = (bytes: unknown) => `${Math.round(Number(bytes) / 1_048_576)} MiB`;
  console.log(
    `${COUNT} ended proposals, ${perRow.toFixed(0)} µs to write each with its row; ${mib(statSync(path).size)}`,
  );
  console.log(`${blocks?.count} blocks: texts ${mib(blocks?.texts)}, columns ${mib(blocks?.columns)}`);

  function ended(index: number) {
    const draw = random();
    const asked = draw < 0.05;
    const denied = draw < 0.01;
    const endedAtMs = BEGAN_MS + index * STEP_MS;
    const cwd = `/home/ann/src/project-${Math.floor(random() * 12)}`;
    return {
      key: `0197a7a0-0000-7000-8000-${index.toString().padStart(12, "0")}`,
      ownerId: "ann",
      proposalId: `p${index}`,
      sessionId: `session-${Math.floor(index / 200)}`,
      state: "ended",
      attached: true,
      bodyHash: `sha256:${"ab".repeat(32)}`,
      command: commands.next().value,
      cwd,
      env: {},
      details: { settled: true, profileId: "default", roots: [cwd], attended: true, executor: { kind: "local" } },
      approvalId: null,
      createdAtMs: endedAtMs - 2_000,
      endedAtMs,
      decided: {
        ...{ atMs: endedAtMs - 1_000, by: asked ? "person" : "policy", person: asked ? "ann" : null, asked },
        ...{ verdict: denied ? "deny" : "allow", risk: asked ? "needs-review" : "safe", repository: cwd, entries: [] },
        ...{ agent: random() < 0.7 ? "claude-code" : "codex", hosts: [], outside: [] },
      },
      outcome: denied
        ? { kind: "denied", reason: "Use npm run clean" }
        : { kind: "exited", exitCode: draw > 0.93 ? 1 : 0 },
    } as const;
  }
}

async function measure(): Promise<void> {
  const db = connectToWrite(path);
  const { privatePem } = generateSigningKey();
  const store = new SqliteStore(db, {
    keys: { current: keysFrom(privatePem, { nextFingerprint: `sha256:${"0".repeat(64)}`, chainPart: "" }) },
  });
  const rare = `server-client${Math.floor(COUNT / 3) % 1_000}`;
  const wishes: Record<string, Omit<HistoryWish, "limit">> = {
    "newest page": {},
    "a common word": { words: ["npm"] },
    "two common words": { words: ["git", "commit"] },
    "a rare name": { words: [rare] },
    "rare, of failed codex": { words: [rare], agents: ["codex"], results: ["failed"] },
    "words that never meet": { words: ["npm run build", "curl"] },
    "nothing such": { words: ["no such command anywhere"] },
    "nothing, of common letters": { words: ["src/server/client-server.tsx.ts"] },
    "one letter": { words: ["q"] },
    denied: { results: ["denied"] },
    "denied by nobody": { results: ["denied"], by: ["policy"] },
    "a session long ago": { sessions: ["session-7"] },
    "one directory": { directory: "/home/ann/src/project-3", risks: ["dangerous"] },
    "a day long ago": { fromMs: BEGAN_MS + 86_400_000, toMs: BEGAN_MS + 2 * 86_400_000 },
  };
  await store.history({ words: ["columns are read once"], limit: 1 });
  let slowest = 0;
  for (const [name, wish] of Object.entries(wishes)) {
    const [answers, wholes]: [number[], number[]] = [[], []];
    let found = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const began = performance.now();
      let page = await store.history({ ...wish, limit: LIMIT });
      answers.push(performance.now() - began);
      found = page.rows.length;
      while (found < LIMIT && page.next !== null) {
        page = await store.history({ ...wish, limit: LIMIT, before: page.next });
        found += page.rows.length;
      }
      wholes.push(performance.now() - began);
    }
    slowest = Math.max(slowest, median(answers));
    const ms = (times: number[]) => median(times).toFixed(1).padStart(7);
    console.log(`  ${name.padEnd(28)} ${ms(answers)} ms  ${ms(wholes)} ms  ${found} rows`);
  }
  const started = performance.now();
  await store.activity(BEGAN_MS + (COUNT - 2_880) * STEP_MS);
  const first = performance.now() - started;
  const again = performance.now();
  await store.activity(BEGAN_MS + (COUNT - 2_880) * STEP_MS);
  console.log(`  today, 2,880 of them: ${first.toFixed(1)} ms, again ${(performance.now() - again).toFixed(1)} ms`);
  console.log(
    `slowest answer: ${slowest.toFixed(1)} ms (${reach(slowest, MOST_MS)} ms); memory ${Math.round(process.memoryUsage.rss() / 1_048_576)} MiB`,
  );
  await store.close();
}
