import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { checkLedger, type LedgerEntry, readLedger, readReceipts } from "@countersign/store";

const KILLS = 40;
const PROPOSALS = 24;
/** Several runs end and begin in it. */
const A_MOMENT_MS = 100;
const bin = fileURLToPath(new URL("../packages/cli/bin/countersign.js", import.meta.url));

/** A hub in its own process, killed at a random moment of its work; what it had acknowledged must be true afterwards. */
test(`${KILLS} kills under load: nothing acknowledged is lost, nothing runs twice or without its decision`, async () => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-crash-")));
  const home = join(scratch, "home");
  const runs = join(scratch, "runs");
  mkdirSync(runs);
  const acknowledged = new Map<string, string>();
  try {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const hub = await startHub(home, scratch);
      const before = acknowledged.size;
      const wanted = Math.floor(Math.random() * PROPOSALS);
      const enough = Promise.withResolvers<void>();
      const propose = async (proposalId: string) => {
        await proposeAndAllow(hub, proposalId, runs, acknowledged);
        if (acknowledged.size - before >= wanted) enough.resolve();
      };
      const work = Promise.allSettled(Array.from({ length: PROPOSALS }, (_, index) => propose(`k${kill}-p${index}`)));
      // As far into its work as chance will have it, however quick the machine and its jails are; then a moment more.
      if (wanted > 0) await Promise.race([enough.promise, work]);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * A_MOMENT_MS));
      hub.child.kill("SIGKILL");
      await once(hub.child, "exit");
      const wrong = (await work).filter(
        (one) => one.status === "rejected" && one.reason instanceof assert.AssertionError,
      );
      assert.deepEqual(wrong, []);
    }
    const last = await startHub(home, scratch);
    last.child.kill("SIGTERM");
    await once(last.child, "exit");
    const entries: LedgerEntry[] = [];
    for await (const entry of readLedger(join(home, "countersign.db"))) entries.push(entry);
    assert.equal((await checkLedger(readReceipts(join(home, "countersign.db")))).whole, true);
    checkRecord(entries);
    const hashes = new Set(entries.map((entry) => entry.hash));
    for (const [proposalId, receipt] of acknowledged)
      assert.ok(hashes.has(receipt), `${proposalId} was acknowledged and is lost`);
    const left = (file: string) => readFileSync(join(runs, file), "utf8");
    // A jail dies with its hub, perhaps between making the file and writing to it.
    for (const file of readdirSync(runs)) assert.ok(["", "x\n"].includes(left(file)), `${file} ran more than once`);
    for (const file of acknowledged.keys()) assert.equal(left(file), "x\n", `${file} was told to have run`);
    const started = entries.filter((entry) => entry.type === "started").length;
    assert.ok(readdirSync(runs).length <= started, "something ran without a start on record");
    assert.ok(
      acknowledged.size > KILLS,
      `only ${acknowledged.size} were acknowledged: the kills came too early to prove anything`,
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});

/** Every proposal's entries are decided, perhaps started, then ended once: in that order. */
function checkRecord(entries: readonly LedgerEntry[]): void {
  const stories = Map.groupBy(
    entries.filter((entry) => entry.proposalKey !== null),
    (entry) => entry.proposalKey,
  );
  for (const [key, story] of stories) {
    const types = story.map((entry) => entry.type).join(" ");
    const verdict = story[0]?.body.verdict;
    assert.match(types, verdict === "allow" ? /^decided( started)? ended$/ : /^decided ended$/, `${key}: ${types}`);
  }
}

interface Hub {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
}

async function startHub(home: string, cwd: string): Promise<Hub> {
  const child = spawn(process.execPath, [bin, "serve", "--json", "--port", "0", "--home", home], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return { child, url, token: readFileSync(join(home, "keys", "token"), "utf8").trim() };
}

/** A needs-review command that leaves a mark each time it runs; remembers the receipt that the hub gave for it. */
async function proposeAndAllow(
  hub: Hub,
  proposalId: string,
  runs: string,
  acknowledged: Map<string, string>,
): Promise<void> {
  const body = { command: `echo x >> ${join(runs, proposalId)}`, proposalId };
  const { approvalId } = (await call(hub, "/api/v1/exec", body, "respond-async")) as { approvalId: string };
  await call(hub, `/api/v1/approvals/${approvalId}/decision`, { decision: "allow-once" });
  const outcome = (await call(hub, "/api/v1/exec", body)) as { kind?: string; exitCode?: number; receipt?: string };
  if (outcome.receipt === undefined) return;
  assert.deepEqual([outcome.kind, outcome.exitCode], ["exited", 0]);
  acknowledged.set(proposalId, outcome.receipt);
}

async function call(hub: Hub, path: string, body: object, prefer = ""): Promise<unknown> {
  const headers = { authorization: `Bearer ${hub.token}`, "content-type": "application/json", prefer };
  const response = await fetch(hub.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return await response.json();
}
