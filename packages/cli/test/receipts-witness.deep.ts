import assert from "node:assert/strict";
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Place } from "./countersign.ts";

const witness = async (place: Place, ...args: readonly string[]) => {
  const { code, stdout } = await place.run("receipts", "witness", "--json", ...args);
  return [code, JSON.parse(stdout)] as const;
};

/** A hub that runs something, and signs what there is when it stops. */
async function aDay(place: Place): Promise<void> {
  const hub = await place.serve();
  await place.run("exec", "--", "true");
  await hub.stop();
}

test("an old copy of the database, put back behind a device's back, is found by the device, and by watch", async (t) => {
  const place = new Place(t);
  const database = join(place.home, "countersign.db");
  const memory = join(place.home, "keys/ledgers.json");
  let hub = await place.serve();
  assert.deepEqual(await witness(place), [0, { kind: "none" }]);
  await hub.stop();
  const old = join(place.workspace, "old.db");
  copyFileSync(database, old);
  await aDay(place);

  hub = await place.serve();
  const watching = place.start(["watch", "--line", "--json"]);
  await place.until(async () => watching.printed.includes("connected"));
  const [code, first] = await witness(place);
  assert.deepEqual([code, first.kind], [0, "kept"]);
  await seesTheSame(place);
  assert.equal(statSync(memory).mode & 0o777, 0o600);
  // Under another key, in a checkpoint of its own, which watch hears of by itself.
  assert.equal((await place.run("receipts", "rotate", "--yes")).code, 0);
  await place.until(async () => newestIn(memory) > first.size);
  await seesTheSame(place);
  assert.ok(!watching.printed.includes("ledger-alarm"), watching.printed);
  await watching.stop();
  await hub.stop();
  await aDay(place);
  const remembered = readFileSync(memory, "utf8");

  // Nothing of the home but the database was touched, except that its own witness is gone with it. (The key of the old copy is needed, too.)
  const other = new Place(t);
  await aDay(other);
  copyFileSync(join(other.home, "countersign.db"), old);
  await aDay(other);
  await aDay(other);
  hub = await other.serve();
  assert.equal((await witness(other))[1].how, "first");
  await hub.stop();
  copyFileSync(old, join(other.home, "countersign.db"));
  rmSync(join(other.home, "witness.jsonl"));
  rmSync(join(other.home, "audit.jsonl"));
  hub = await other.serve();
  const [cut, alarm] = await witness(other);
  assert.deepEqual([cut, alarm.kind, alarm.code], [1, "alarm", "TRUNCATED"]);
  const told = await other.run("receipts", "witness");
  assert.match(
    told.stdout,
    /^THE RECORD ISN'T WHAT IT WAS \(TRUNCATED\): \d+ receipts are remembered, and \d+ are shown\./,
  );
  const alarmed = other.start(["watch", "--line", "--json"]);
  await other.until(async () => alarmed.printed.includes("ledger-alarm"));
  assert.match(alarmed.printed, /"ledger-alarm".*TRUNCATED/);
  await alarmed.stop();
  // It grows past what is remembered, and is another one all the same.
  for (let day = 0; day < 3; day += 1) {
    await hub.stop();
    await aDay(other);
    hub = await other.serve();
  }
  assert.deepEqual((await witness(other))[1].code, "FORKED");
  assert.deepEqual((await witness(other, "--forget"))[1].how, "first");
  assert.equal((await witness(other))[0], 0);
  await hub.stop();

  // Another ledger under the same token, and a memory that somebody has spoilt.
  writeFileSync(
    join(other.home, "keys/ledgers.json"),
    swapToken(remembered, readFileSync(join(other.home, "keys/ledgers.json"), "utf8")),
  );
  hub = await other.serve();
  assert.equal((await witness(other))[1].code, "ISSUER_MISMATCH");
  writeFileSync(join(other.home, "keys/ledgers.json"), "{");
  const spoilt = await other.run("receipts", "witness");
  assert.equal(spoilt.code, 1);
  assert.match(spoilt.stderr, /wasn't written by Countersign/);
});

/** A checkpoint of the hub's minute may fall between two looks, not between all of them. */
async function seesTheSame(place: Place): Promise<void> {
  await place.until(async () => {
    const [code, { kind, how }] = await witness(place);
    assert.deepEqual([code, kind], [0, "kept"]);
    return how === "same";
  });
}

function newestIn(memory: string): number {
  const { ledgers } = JSON.parse(readFileSync(memory, "utf8")) as { ledgers: { note: string }[] };
  return Number(ledgers.at(-1)?.note.split("\n")[1]);
}

/** What one home remembers, as if it were the other's. */
function swapToken(remembered: string, own: string): string {
  const [{ token }] = (JSON.parse(own) as { ledgers: [{ token: string }] }).ledgers;
  return JSON.stringify({ ledgers: JSON.parse(remembered).ledgers.map((each: object) => ({ ...each, token })) });
}
