import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { wholeReceipts } from "../../test/suite/samples.ts";
import { tempDirectory } from "../../test/temp-store.ts";
import type { Store } from "../contract/store.ts";
import { checkLedger } from "../ledger/check-ledger.ts";
import type { LedgerHead } from "../ledger/entries.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

/** Eight committers at once; each prints the seq of an entry only after its commit has resolved. */
const COMMITTER = `
  const { openSqliteStore } = await import(process.argv[1]);
  const store = await openSqliteStore(process.argv[2]);
  const draft = { type: "decided", sessionId: null, proposalKey: null, atMs: 1, body: { padding: "x".repeat(300) } };
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (;;) {
      const { entries } = await store.commit([{ op: "append", draft }]);
      console.log(entries[0].seq + " " + entries[0].hash);
    }
  }));
`;

/** Frames of 64 emitters, enough at once for the thread that writes them, and the hub's own entries between them. */
const EMITTER = `
  const { openSqliteStore } = await import(process.argv[1]);
  const { frameRecord, emittedDraft } = await import(process.argv[3]);
  const store = await openSqliteStore(process.argv[2]);
  const draft = { type: "decided", sessionId: null, proposalKey: null, atMs: 1, body: {} };
  await Promise.all(Array.from({ length: 64 }, async (_, emitter) => {
    for (;;) {
      const { seq, hash } = await store.record(frameRecord({ chain: "uid:" + (emitter % 3), receipts: [emittedDraft()] }));
      console.log(seq + " " + hash);
      if (emitter !== 0) continue;
      const { entries } = await store.commit([{ op: "append", draft }]);
      console.log(entries[0].seq + " " + entries[0].hash);
    }
  }));
`;

/** Runs the script until it has acknowledged so many, kills it, and returns all that it had acknowledged. */
async function runUntilKilled(script: string, path: string, count: number): Promise<readonly string[]> {
  const door = new URL("./open-sqlite-store.ts", import.meta.url).href;
  const samples = new URL("../../test/suite/sample-frames.ts", import.meta.url).href;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, door, path, samples], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const acknowledged: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length === count) child.kill("SIGKILL");
  }
  assert.deepEqual(await exited, [null, "SIGKILL"]);
  return acknowledged;
}

for (const [what, script] of [
  ["commit", COMMITTER],
  ["frame", EMITTER],
] as const)
  test(`every acknowledged ${what} is there after kill -9, and the chains are whole`, async (t) => {
    const path = join(tempDirectory(t), "x.db");
    const acknowledged: string[] = [];
    for (const count of [1, 100, 1_500]) {
      acknowledged.push(...(await runUntilKilled(script, path, count)));
      const store = await openSqliteStore(path);
      const found = new Set<string>();
      for await (const { seq, hash } of all(store)) found.add(`${seq} ${hash}`);
      // The pipe's last line may have been cut short by the kill.
      const whole = acknowledged.filter((line) => /^\d+ sha256:[0-9a-f]{64}$/.test(line));
      assert.deepEqual(
        whole.filter((line) => !found.has(line)),
        [],
      );
      assert.ok(whole.length >= count);
      const check = await checkLedger(wholeReceipts(store, 1_000));
      assert.equal(check.whole && check.count, found.size);
      await store.close();
    }
  });

async function* all(store: Store): AsyncGenerator<LedgerHead> {
  for (let afterSeq = 0; ; ) {
    const { receipts: page } = await store.findReceipts({ afterSeq, limit: 1_000 });
    yield* page;
    if (page.length === 0) return;
    afterSeq = page.at(-1)?.seq ?? afterSeq;
  }
}
