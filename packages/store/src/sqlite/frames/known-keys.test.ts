import assert from "node:assert/strict";
import { test } from "node:test";
import { emittedDraft, frameRecord } from "../../../test/suite/sample-frames.ts";
import { testKeys } from "../../../test/temp-store.ts";
import { connectToWrite } from "../base/connect.ts";
import { Statements } from "../base/statements.ts";
import { GroupCommit } from "../commit/group-commit.ts";
import { migrate } from "../migrate.ts";
import { FrameBatcher } from "./frame-batcher.ts";
import { KnownKeys } from "./known-keys.ts";

/** Sorted in different ways as UTF-16 and as UTF-8, and in no order of time. */
const KEYS = ["b", "a", "ab", "\uffee", "😀", "é", "B", "z".repeat(256), " "];

test("a key is found whatever it sorts after, in a line that wrote it and in one that comes later", async (t) => {
  const db = connectToWrite(":memory:");
  t.after(() => db.close());
  migrate(db);
  const [sql, keys] = [new Statements(db), testKeys()];
  const line = () => new FrameBatcher({ sql, keys, commits: new GroupCommit({ db, sql, keys }), thread: undefined });
  const first = line();
  const send = (to: FrameBatcher, idempotencyKey: string, emitter = "uid:1") =>
    to.add(frameRecord({ emitter, idempotencyKey, receipts: [emittedDraft()] }));
  for (const key of KEYS) assert.equal((await send(first, key)).kind, "recorded", key);
  const second = line();
  for (const key of KEYS) {
    for (const to of [first, second]) assert.equal((await send(to, key)).kind, "repeated", key);
    assert.equal((await send(second, key, "uid:2")).kind, "recorded", key);
  }
  assert.equal(new KnownKeys(sql).firstUnder(frameRecord({ idempotencyKey: "c" })), undefined);
});
