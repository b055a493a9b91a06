import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { DropAccount } from "./drop-account.ts";

function file(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "cs-drops-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, "drops");
}

const valuesOf = ({ dropped, carrier, settled }: DropAccount) => ({ dropped, carrier, settled });

test("each change is there for the next process, without anything being closed", (t) => {
  const path = file(t);
  const account = DropAccount.open(path);
  for (let n = 0; n < 3; n += 1) account.drop();
  assert.deepEqual(valuesOf(DropAccount.open(path)), { dropped: 3, carrier: null, settled: 0 });
  account.carry("k");
  account.drop();
  const again = DropAccount.open(path);
  assert.deepEqual(valuesOf(again), { dropped: 4, carrier: { key: "k", count: 3 }, settled: 0 });
  again.settle("k", "delivered", { number: 7, isLastWord: false });
  assert.deepEqual(valuesOf(DropAccount.open(path)), { dropped: 1, carrier: null, settled: 7 });
});

test("a carrier that is refused tells of nothing: what it carried is still to be told, and itself", (t) => {
  const account = DropAccount.open(file(t));
  account.drop();
  account.carry("k");
  account.settle("k", "dropped", { number: 1, isLastWord: false });
  assert.deepEqual(valuesOf(account), { dropped: 2, carrier: null, settled: 1 });
});

test("a slot that was cut while it was written leaves what was there before", (t) => {
  const path = file(t);
  const account = DropAccount.open(path);
  account.drop();
  account.drop();
  const whole = readFileSync(path);
  for (let cut = 0; cut < 200; cut += 1) {
    // The second change is in the first slot; the first in the second.
    const torn = Buffer.from(whole);
    torn.fill(0, cut, 512);
    writeFileSync(path, torn);
    const { dropped } = DropAccount.open(path);
    assert.equal(dropped, 1, `cut at ${cut}`);
  }
});

test("calls that a killed process hadn't told count as dropped, once, and those that its journal tells of don't", (t) => {
  const path = file(t);
  const account = DropAccount.open(path);
  for (let n = 0; n < 5; n += 1) account.begin();
  account.told(3);
  account.begin();
  // Told after the last time that the account was written: only the journal knows.
  account.told(8);
  account.drop(true);
  account.told(9);
  const again = DropAccount.open(path);
  const found = again.takeOver({ last: 9, told: [3, 8, 9], lost: [] });
  assert.deepEqual([found, again.dropped], [{ untold: 2, unreadable: 0 }, 3]);
  const third = DropAccount.open(path);
  assert.deepEqual(third.takeOver({ last: 9, told: [3, 8, 9], lost: [] }), { untold: 0, unreadable: 0 });
});

test("what can't be read of a journal is counted once, and only what wasn't dealt with", (t) => {
  const path = file(t);
  const account = DropAccount.open(path);
  account.settle("k", "delivered", { number: 4, isLastWord: true });
  account.begin();
  account.begin();
  account.told(5);
  // Its second call was told by one of those that can't be read, as far as anybody can tell.
  const lost = [3, 4, 6, 7];
  assert.deepEqual(DropAccount.open(path).takeOver({ last: 9, told: [5], lost }), { untold: 0, unreadable: 2 });
  assert.deepEqual(DropAccount.open(path).takeOver({ last: 9, told: [5], lost }), { untold: 0, unreadable: 0 });
});

test("what has ended is known to the next process, told or dropped, whenever this one was killed", (t) => {
  const path = file(t);
  const account = DropAccount.open(path);
  for (let n = 0; n < 3; n += 1) account.begin();
  account.told(1);
  account.drop(true);
  account.dropUnseen(4);
  account.dropOthers(2);
  assert.deepEqual([account.ended, account.dropped], [6, 7]);
  // Told behind the last write: only the journal knows. One was under way.
  account.begin();
  account.told(2);
  const next = DropAccount.open(path);
  assert.deepEqual(next.takeOver({ last: 2, told: [1, 2], lost: [] }), { untold: 1, unreadable: 0 });
  assert.deepEqual([next.ended, next.dropped, next.underWay], [8, 8, 0]);
});
