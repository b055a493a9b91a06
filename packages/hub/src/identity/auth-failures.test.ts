import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "@countersign/core/base";
import type { LedgerDraft, Store } from "@countersign/store";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { AuthFailures } from "./auth-failures.ts";

test("the first wrong token is on record at once, what follows as one, however many", () => {
  const drafts: LedgerDraft[] = [];
  const commit: Store["commit"] = async (writes) => {
    for (const write of writes) if (write.op === "append") drafts.push(write.draft);
    return { ok: true, entries: [] };
  };
  const clock = new FakeClock();
  const failures = new AuthFailures({ commit }, clock, silentLog);
  const told = () => drafts.splice(0).map(({ type, body }) => [type, body.count, (body.addresses as string[]).length]);
  failures.failed("10.0.0.1");
  assert.deepEqual(told(), [["auth-failed", 1, 1]]);
  for (let at = 0; at < 1_000; at += 1) failures.failed(`10.0.0.${at}`);
  assert.deepEqual(told(), []);
  clock.advance(60_000);
  assert.deepEqual(told(), [["auth-failed", 1_000, 8]]);
  clock.advance(60_000);
  assert.deepEqual(told(), []);
  failures.failed("10.0.0.1");
  failures.failed("10.0.0.1");
  failures.close();
  assert.deepEqual(told(), [
    ["auth-failed", 1, 1],
    ["auth-failed", 1, 1],
  ]);
});
