import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { append, failsWith, proposal, wholeReceipts } from "../../test/suite/samples.ts";
import { tempDirectory } from "../../test/temp-store.ts";
import type { Store } from "../contract/store.ts";
import { checkLedger } from "../ledger/check-ledger.ts";
import { StoreError } from "../ledger/store-error.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

/** Commits until the disk is full; returns the keys that were acknowledged. */
async function fill(store: Store, prefix: string): Promise<readonly string[]> {
  const kept: string[] = [];
  for (let n = 0; n < 2_000; n += 1) {
    const key = `${prefix}${n}`;
    try {
      const commit = await store.commit([
        { op: "insert-proposal", proposal: proposal({ key, command: key.repeat(1_000) }) },
        append({ key }),
      ]);
      assert.ok(commit.ok);
      kept.push(key);
    } catch (error) {
      assert.ok(error instanceof StoreError && error.code === "FULL", String(error));
      assert.match(error.message, /free some/);
      return kept;
    }
  }
  return assert.fail("the disk never got full");
}

async function assertKept(store: Store, keys: readonly string[]): Promise<void> {
  const found = await store.openProposals();
  assert.deepEqual(new Set(found.map((each) => each.key)), new Set(keys));
  const check = await checkLedger(wholeReceipts(store));
  assert.equal(check.whole && check.count, keys.length + 1);
}

test("a full disk fails commits with FULL; after space is freed it goes on and nothing was lost", async (t) => {
  const directory = join(tempDirectory(t), "small");
  mkdirSync(directory);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", directory]);
  if (mounted.status !== 0) return t.skip("needs root to mount a small tmpfs: run as root");
  try {
    const path = join(directory, "x.db");
    const ballast = join(directory, "ballast");
    writeFileSync(ballast, Buffer.alloc(1024 * 1024));
    const store = await openSqliteStore(path);
    const before = await fill(store, "before");
    await assertKept(store, before);
    await assert.rejects(store.backup(join(directory, "backup.db")), failsWith("FULL"));
    rmSync(ballast);
    const after = await fill(store, "after");
    assert.ok(before.length > 0 && after.length > 0);
    await assertKept(store, [...before, ...after]);
    await store.close();
    const again = await openSqliteStore(path);
    await assertKept(again, [...before, ...after]);
    await again.close();
  } finally {
    spawnSync("umount", ["--lazy", directory]);
  }
});
