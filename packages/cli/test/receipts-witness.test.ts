import assert from "node:assert/strict";
import { copyFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Place } from "./countersign.ts";

// Growing past what is remembered, other ledgers and a spoilt memory are in the deep test.
test("an old copy of the database, put back behind a device's back, is found by the device, and by watch", async (t) => {
  const place = new Place(t);
  const [database, memory] = [join(place.home, "countersign.db"), join(place.home, "keys/ledgers.json")];
  const witness = async () => {
    const { code, stdout } = await place.run("receipts", "witness", "--json");
    return [code, JSON.parse(stdout)] as const;
  };
  // Each stop signs a checkpoint.
  let hub = await place.serve();
  assert.deepEqual(await witness(), [0, { kind: "none" }]);
  await hub.stop();
  const old = join(place.workspace, "old.db");
  copyFileSync(database, old);
  hub = await place.serve();
  await hub.stop();

  hub = await place.serve();
  const [code, first] = await witness();
  assert.deepEqual([code, first.kind, first.how], [0, "kept", "first"]);
  assert.deepEqual(await witness(), [0, { kind: "kept", how: "same", size: first.size }]);
  assert.equal(statSync(memory).mode & 0o777, 0o600);
  await hub.stop();

  copyFileSync(old, database);
  // What the home itself would tell it by.
  for (const name of ["witness.jsonl", "audit.jsonl"]) rmSync(join(place.home, name));
  hub = await place.serve();
  const [cut, alarm] = await witness();
  assert.deepEqual([cut, alarm.kind, alarm.code], [1, "alarm", "TRUNCATED"]);
  const watching = place.start(["watch", "--line", "--json"]);
  await place.until(async () => watching.printed.includes("ledger-alarm"));
  assert.match(watching.printed, /"ledger-alarm".*TRUNCATED/);
  await watching.stop();
  await hub.stop();
});
