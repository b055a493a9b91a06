import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { append, failsWith, keep } from "../../test/suite/samples.ts";
import { tempDirectory } from "../../test/temp-store.ts";
import { checkLedger } from "../ledger/check-ledger.ts";
import { backUpFile } from "./back-up-file.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { readReceipts } from "./read-ledger.ts";

test("copies a store that nobody has open", async (t) => {
  const directory = tempDirectory(t);
  const path = join(directory, "x.db");
  const store = await openSqliteStore(path);
  await keep(store, append(), append());
  await store.close();
  const target = join(directory, "backup.db");
  await backUpFile(path, target);
  assert.equal(statSync(target).mode & 0o777, 0o600);
  const check = await checkLedger(readReceipts(target));
  assert.equal(check.whole && check.count, 3);
});

test("copies one snapshot while another process commits without a pause", async (t) => {
  const directory = tempDirectory(t);
  const path = join(directory, "x.db");
  const store = await openSqliteStore(path);
  // More than one batch of pages (100), so that commits fall between batches.
  for (let n = 0; n < 40; n += 1)
    await keep(store, ...Array.from({ length: 50 }, () => append({ filler: "x".repeat(1_000) })));
  await store.close();
  const script = join(directory, "writer.ts");
  writeFileSync(script, writer(path));
  const child = fork(script, { execPath: process.execPath });
  t.after(() => child.kill("SIGKILL"));
  await once(child, "message");
  const target = join(directory, "backup.db");
  await backUpFile(path, target);
  const check = await checkLedger(readReceipts(target));
  assert.ok(check.whole && check.count >= 2_000);
});

test("what is at the target stays, and a source that isn't there is said", async (t) => {
  const directory = tempDirectory(t);
  const path = join(directory, "x.db");
  await (await openSqliteStore(path)).close();
  await assert.rejects(backUpFile(path, path), failsWith("EXISTS"));
  await assert.rejects(backUpFile(join(directory, "none.db"), join(directory, "b.db")), failsWith("UNWRITABLE"));
});

function writer(path: string): string {
  const at = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  return `
    import { openSqliteStore } from ${at("./open-sqlite-store.ts")};
    import { append } from ${at("../../test/suite/samples.ts")};
    const store = await openSqliteStore(${JSON.stringify(path)});
    for (let n = 0; ; n += 1) {
      await store.commit([append({ n })]);
      if (n === 0) process.send("writing");
    }
  `;
}
