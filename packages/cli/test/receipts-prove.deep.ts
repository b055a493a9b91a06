import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteStore } from "@countersign/store";
import { Place } from "./countersign.ts";
import { Ledger, writeWitness } from "./ledger.ts";

/** Ten receipts, a checkpoint of them on record, and a few after it. */
async function withCheckpoint(place: Place): Promise<Ledger> {
  const ledger = await Ledger.make(place.home);
  await checkpoint(ledger);
  await ledger.append(["a", null]);
  return ledger;
}

async function checkpoint({ database }: Ledger): Promise<void> {
  const store = await openSqliteStore(database);
  await store.commit([{ op: "checkpoint", atMs: 5_000 }]);
  await store.close();
}

test("a receipt is proved to be in the record, and that is checked on a machine that has nothing else", async (t) => {
  const [place, elsewhere] = [new Place(t), new Place(t)];
  const ledger = await withCheckpoint(place);
  const file = join(elsewhere.workspace, "proof.json");
  const { code, stdout } = await place.run("receipts", "prove", "4", "--json");
  assert.equal(code, 0);
  writeFileSync(file, stdout);
  const unknown = await elsewhere.run("receipts", "verify", "--proof", file);
  assert.equal(unknown.code, 3);
  assert.match(
    unknown.stdout,
    /^PROVED:\nReceipt 4 sha256:\w{64}\nis in the record of 10 receipts .*\n {2}countersign:/,
  );
  assert.match(unknown.stdout, /NOT TRUSTED/);
  assert.equal((await elsewhere.run("receipts", "verify", "--proof", file, "--trust", ledger.publicPem)).code, 0);
  assert.equal((await place.run("receipts", "verify", "--proof", file)).code, 0);

  const other = await Ledger.make(join(place.workspace, "other"));
  const untrusted = await elsewhere.run("receipts", "verify", "--proof", file, "--trust", other.publicPem);
  assert.match(untrusted.stdout, /^BROKEN: INVALID_SIGNATURE\n/);
  assert.equal(untrusted.code, 1);
  writeFileSync(file, stdout.replace(/"seq": ?4/, '"seq":5'));
  const wrong = await elsewhere.run("receipts", "verify", "--proof", file, "--json");
  assert.deepEqual([wrong.code, JSON.parse(wrong.stdout).fault.code], [1, "ANCHOR_MISMATCH"]);
  for (const text of ["", "{}", "[", '{"format":"countersign-proof/1"}']) {
    writeFileSync(file, text);
    assert.equal((await elsewhere.run("receipts", "verify", "--proof", file)).code, 2, text);
  }
});

test("that the record has only grown is proved between sizes, or since a checkpoint that somebody kept", async (t) => {
  const place = new Place(t);
  const ledger = await withCheckpoint(place);
  const lines = ledger.lines();
  await checkpoint(ledger);
  const kept = join(place.workspace, "kept.note");
  const note = await ledger.note(lines.slice(0, 4));
  writeFileSync(kept, note);
  const file = join(place.workspace, "proof.json");
  const sizes = await place.run("receipts", "prove", "--from", "3", "--to", "9", "--json");
  writeFileSync(file, sizes.stdout);
  const unsigned = await place.run("receipts", "verify", "--proof", file);
  assert.equal(unsigned.code, 3);
  assert.match(unsigned.stdout, /no checkpoint signs it. Compare it with what you wrote down/);
  const grown = await place.run("receipts", "prove", "--from", "10", "--json");
  writeFileSync(file, grown.stdout);
  const checked = await place.run("receipts", "verify", "--proof", file, "--json");
  assert.deepEqual([checked.code, JSON.parse(checked.stdout).signed], [0, { from: true, to: true }]);
  assert.match(
    (await place.run("receipts", "prove", "--from", kept)).stdout,
    /^The record of 13 receipts has the first 4 /,
  );

  const fork = await Ledger.make(join(place.workspace, "other"));
  writeWitness(kept, [await fork.note(fork.lines().slice(0, 4))]);
  const forked = await place.run("receipts", "prove", "--from", kept);
  assert.deepEqual([forked.code, forked.stderr.includes("FORKED")], [1, true]);
  const long = await place.run("receipts", "prove", "1", "--checkpoint", writeWitness(kept, [await longer(ledger)]));
  assert.deepEqual([long.code, long.stderr.includes("TRUNCATED")], [1, true]);
});

test("what can't be proved is said, and why", async (t) => {
  const place = new Place(t);
  const ledger = await Ledger.make(place.home);
  const cases: readonly (readonly [args: readonly string[], code: number, said: RegExp])[] = [
    [["1"], 1, /There's no checkpoint yet/],
    [["999"], 1, /There's no such receipt/],
    [["x"], 1, /There's no such receipt/],
    [[], 2, /Give a receipt/],
    [["1", "--from", "2"], 2, /Give a receipt/],
    [["--to", "2"], 2, /Give a receipt/],
    [["--from", "none"], 2, /neither a number of receipts nor a file/],
    [["--from", "5", "--to", "2"], 1, /5 receipts are more than 2/],
    [["--from", "5", "--to", "200"], 1, /fewer than 200/],
    [["1", "--checkpoint", "5"], 1, /no checkpoint of 5 receipts/],
  ];
  for (const [args, code, said] of cases) {
    const ended = await place.run("receipts", "prove", ...args);
    assert.equal(ended.code, code, args.join(" "));
    assert.match(ended.stderr, said, args.join(" "));
  }
  await checkpoint(ledger);
  const { stderr } = await place.run("receipts", "prove", "11");
  assert.match(stderr, /No checkpoint covers receipt 11 yet/);
});

/** A checkpoint of more than there is. */
async function longer(ledger: Ledger): Promise<string> {
  const lines = ledger.lines();
  return await ledger.note([...lines, ...lines]);
}
