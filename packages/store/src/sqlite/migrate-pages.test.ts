import assert from "node:assert/strict";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { append, draft, keep, proposal, session } from "../../test/suite/samples.ts";
import { tempDirectory, WITHOUT_PAGES } from "../../test/temp-store.ts";
import type { Store } from "../contract/store.ts";
import { RECEIPTS_IN_SPAN } from "./ledger/receipt-spans.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { MIGRATIONS, PAGES } from "./schema.ts";

/** What the migration is for. */
async function lists(store: Store) {
  const page = { afterSeq: 0, limit: 3 };
  return {
    ofType: await store.findReceipts({ ...page, type: "paused" }),
    ofSession: await store.findReceipts({ ...page, sessionId: "s2" }),
    ofTime: await store.findReceipts({ ...page, fromMs: 1_500, toMs: 3_000 }),
    chats: await store.chats({ limit: 10 }),
    own: await store.chats({ ownerId: "ann", limit: 10 }),
    outcomes: await store.outcomeCounts(0),
    ended: await store.newestEnded({ sinceMs: 0, limit: 10 }),
    sessions: await store.sessions({ limit: 10 }),
  };
}

test("migrating an older database gives the same lists, and keeps a copy of it first", async (t) => {
  const directory = tempDirectory(t);
  const path = join(directory, "x.db");
  const store = await openSqliteStore(path);
  const chat = (sessionId: string) => ({ sessionId, agent: "assistant", proposer: "assistant", unattended: false });
  await keep(store, ...Array.from({ length: RECEIPTS_IN_SPAN * 2 }, (_, n) => append({ n })));
  for (const [at, id] of ["s1", "s2", "s3"].entries()) {
    await keep(
      store,
      { op: "claim-session", session: session({ id, ownerId: at < 2 ? "ann" : "bob", createdAtMs: 3_000 - at }) },
      { op: "open-chat", chat: chat(id) },
      { op: "append", draft: { ...draft(), type: "paused", sessionId: id, atMs: 2_000 + at } },
      {
        op: "insert-proposal",
        proposal: proposal({ key: id, state: "ended", endedAtMs: 5, outcome: { kind: "ran" } }),
      },
    );
  }
  const message = { sessionId: "s2", seq: 1, runId: "r", atMs: 9_000, body: {} };
  await keep(store, { op: "insert-message", message });
  const expected = await lists(store);
  assert.deepEqual([expected.ofTime.receipts.length, expected.chats.length, expected.own.length], [3, 3, 2]);
  await store.close();
  const db = new DatabaseSync(path);
  const before = MIGRATIONS.indexOf(PAGES);
  db.exec(`${WITHOUT_PAGES} PRAGMA user_version = ${before}`);
  db.close();

  const migrated = await openSqliteStore(path);
  assert.deepEqual(await lists(migrated), expected);
  await migrated.close();
  const copy = `${path}.schema-${before}`;
  assert.equal(statSync(copy).mode & 0o777, 0o600);
  const kept = new DatabaseSync(copy, { readOnly: true });
  assert.equal(kept.prepare("PRAGMA user_version").get()?.user_version, before);
  assert.equal(kept.prepare("SELECT max(seq) AS seq FROM receipt").get()?.seq, RECEIPTS_IN_SPAN * 2 + 4);
  kept.close();
  await (await openSqliteStore(path)).close();
  assert.deepEqual(readdirSync(directory).sort(), ["keys", "x.db", `x.db.schema-${before}`]);
});

test("a copy that can't be made leaves the database as it was", async (t) => {
  const directory = tempDirectory(t);
  const path = join(directory, "x.db");
  await (await openSqliteStore(path)).close();
  const db = new DatabaseSync(path);
  const before = MIGRATIONS.indexOf(PAGES);
  db.exec(`${WITHOUT_PAGES} PRAGMA user_version = ${before}`);
  db.close();
  mkdirSync(join(`${path}.schema-${before}`, "in the way"), { recursive: true });
  await assert.rejects(openSqliteStore(path));
  const kept = new DatabaseSync(path, { readOnly: true });
  t.after(() => kept.close());
  assert.equal(kept.prepare("PRAGMA user_version").get()?.user_version, before);
});
