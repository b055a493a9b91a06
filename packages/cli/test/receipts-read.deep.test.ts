import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Place } from "./countersign.ts";
import { deepTest } from "./deep-test.ts";

interface Listed {
  readonly seq: number;
  readonly type: string;
  readonly session: string | null;
  readonly person: string | null;
}

const json = async (place: Place, ...args: readonly string[]) => {
  const { code, stdout, stderr } = await place.run("receipts", ...args, "--json");
  assert.notEqual(stdout, "", stderr);
  return { code, value: JSON.parse(stdout) };
};

/** Some that ran by themselves, one that a person denied. */
async function someReceipts(place: Place): Promise<void> {
  await place.run("exec", "--session", "one", "--", "ls");
  await place.run("exec", "--session", "two", "--", "pwd");
  const asked = place.start(["exec", "--session", "two", "--", "mkdir made"]);
  await place.waiting(1);
  const [card] = JSON.parse((await place.run("pending", "--json")).stdout);
  await place.run("deny", card.approvalId);
  await asked.ended;
}

test("list and tail show what there is, beside a hub, by time, session, type, risk and who", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  await someReceipts(place);
  const all: Listed[] = (await json(place, "list")).value;
  assert.deepEqual(
    all.map(({ seq }) => seq),
    all.map((_, at) => at + 1),
  );
  const listed = async (...args: readonly string[]): Promise<Listed[]> => (await json(place, "list", ...args)).value;
  const only = async (is: (each: Listed) => boolean, ...args: readonly string[]) => {
    const found = await listed(...args);
    assert.deepEqual(found, all.filter(is), args.join(" "));
    assert.notEqual(found.length, 0, args.join(" "));
  };
  await only(({ session }) => session === "two", "--session", "two");
  await only(({ type }) => type === "ended", "--type", "ended");
  await only(({ type, session }) => type === "decided" && session === "one", "--type", "decided", "--session", "one");
  await only(() => true, "--from", "1h");
  await only(({ seq }) => seq > all.length - 2, "--limit", "2");
  const [denied] = await listed("--by", "person");
  assert.equal(denied?.session, "two");
  await only(({ person }) => person === denied?.person, "--by", denied?.person ?? "?");
  assert.deepEqual(await listed("--to", "1h"), []);
  assert.deepEqual(await listed("--sandbox", "none"), []);
  assert.equal((await listed("--risk", "needs-review")).length, 1);
  const { stdout } = await place.run("receipts", "list", "--by", "person", "--type", "decided");
  assert.match(
    stdout,
    /^SEQ +AT +TYPE +RISK +WHAT +SESSION\n\d+ +\S+ \S+ +decided +\w+ +deny by \S+ \(device\) +two\n$/,
  );
  assert.equal((await place.run("receipts", "list", "--from", "soon")).code, 2);

  const following = place.start(["receipts", "tail", "-f", "-n", "1", "--json"]);
  const first = JSON.parse(await following.firstLine());
  assert.equal(first.seq, all.length);
  await place.run("exec", "--session", "three", "--", "ls");
  await place.until(async () => following.printed.includes('"session":"three"'));
  const { code, stdout: followed } = await following.stop("SIGINT");
  assert.equal(code, 0);
  const seen: Listed[] = followed
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    seen.map(({ seq }) => seq),
    seen.map((_, at) => all.length + at),
  );
  await hub.stop();
});

deepTest("an export verifies elsewhere: as lines, as a bundle, and some of it", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  await someReceipts(place);
  await hub.stop();
  const at = (name: string) => join(place.workspace, name);
  const [lines, bundle, some] = [at("all.jsonl"), at("all.json"), at("some.json")];
  const { value: exported } = await json(place, "export", "--jsonl", lines);
  await place.run("receipts", "export", "--bundle", bundle);
  await place.run("receipts", "export", "--bundle", some, "--session", "two");
  assert.equal(statSync(bundle).mode & 0o777, 0o600);
  assert.equal((await place.run("receipts", "export", "--format", "jsonl")).stdout, readFileSync(lines, "utf8"));
  const key = join(at("elsewhere.pub.pem"));
  copyFileSync(join(place.home, "keys/receipts.pub.pem"), key);
  const home = (await json(place, "verify")).value;
  // Another machine: no home, no store.
  rmSync(place.home, { recursive: true });
  for (const file of [lines, bundle]) {
    const { code, value } = await json(place, "verify", file, "--trust", key);
    assert.deepEqual([code, value.count, value.head, value.tree], [0, exported.receipts, home.head, home.tree], file);
    assert.equal((await json(place, "verify", file)).code, 3);
  }
  const { code, value } = await json(place, "verify", some, "--trust", key);
  assert.deepEqual([code, value.selection, value.unplaced, value.tree.size], [0, true, 0, exported.receipts]);
  assert.ok(value.count < exported.receipts && value.count > 3);
  assert.match(
    (await place.run("receipts", "verify", some, "--trust", key)).stdout,
    /\nGENUINE: \d+ receipts of \d+; /,
  );

  const parsed = JSON.parse(readFileSync(some, "utf8"));
  const last = parsed.receipts.length - 1;
  const cases = [
    ["a word", { receipts: parsed.receipts.with(2, changed(parsed.receipts[2])) }, "INVALID_SIGNATURE", 2],
    ["another place", { receipts: parsed.receipts.with(1, { ...parsed.receipts[1], seq: 2 }) }, "ANCHOR_MISMATCH", 1],
    ["no proof", { inclusion: parsed.inclusion.slice(0, last) }, "ANCHOR_MISMATCH", last],
    ["no beginning", { receipts: parsed.receipts.slice(1) }, "INVALID_SIGNATURE", 0],
    ["two exchanged", { receipts: parsed.receipts.toReversed() }, "INVALID_SIGNATURE", 0],
    ["called whole", { selection: false }, "SEQUENCE_GAP", 1],
    ["a forged checkpoint", { checkpoints: [parsed.checkpoints[0].replace(/\n\d+\n/, "\n3\n")] }, "ANCHOR_MISMATCH", 0],
  ] as const;
  for (const [name, change, fault, index] of cases) {
    writeFileSync(at("forged.json"), JSON.stringify({ ...parsed, ...change }));
    const found = (await json(place, "verify", at("forged.json"), "--trust", key)).value;
    assert.deepEqual([found.fault?.code, found.fault?.index], [fault, index], `${name}: ${found.fault?.detail}`);
  }
  const whole = JSON.parse(readFileSync(bundle, "utf8"));
  writeFileSync(
    at("forged.json"),
    JSON.stringify({ ...whole, receipts: whole.receipts.slice(0, -1), checkpoints: [] }),
  );
  const cut = (await json(place, "verify", at("forged.json"), "--trust", key)).value;
  assert.deepEqual([cut.fault.code, cut.fault.index], ["TRUNCATED", whole.receipts.length - 1]);
});

test("an export overwrites nothing, leaves no half, and takes no gaps for lines", async (t) => {
  const place = new Place(t);
  const none = await place.run("receipts", "export", "--jsonl", "out");
  assert.deepEqual([none.code, existsSync(join(place.workspace, "out"))], [2, false]);
  const hub = await place.serve();
  await hub.stop();
  writeFileSync(join(place.workspace, "precious"), "precious");
  const refused = await place.run("receipts", "export", "--jsonl", "precious");
  assert.deepEqual([refused.code, readFileSync(join(place.workspace, "precious"), "utf8")], [1, "precious"]);
  for (const args of [["--jsonl", "x", "--session", "one"], ["--jsonl", "x", "--bundle", "y"], []]) {
    assert.equal((await place.run("receipts", "export", ...args)).code, 2);
  }
});

deepTest("an old copy that is put back is found, and once the hub has owned up to it, told", async (t) => {
  const place = new Place(t);
  await (await place.serve()).stop();
  const [database, kept] = [join(place.home, "countersign.db"), join(place.workspace, "kept.db")];
  copyFileSync(database, kept);
  const hub = await place.serve();
  await place.run("exec", "--", "ls");
  await hub.stop();
  const { count } = (await json(place, "verify")).value;
  copyFileSync(kept, database);
  const found = (await json(place, "verify")).value;
  assert.deepEqual([found.fault.code, found.fault.index], ["TRUNCATED", found.count]);
  assert.ok(found.count < count);
  await (await place.serve()).stop();
  const owned = await json(place, "verify");
  assert.deepEqual([owned.code, owned.value.epochs.length], [0, 1]);
  assert.match((await place.run("receipts", "verify")).stdout, /Worth a look:\n- receipt \d+: a new epoch/);
  const witness = await json(place, "verify", "--witness", join(place.home, "witness.jsonl"));
  assert.equal(witness.code, 1);
  assert.ok(["FORKED", "TRUNCATED"].includes(witness.value.fault.code));
});

function changed({ seq, raw }: { seq: number; raw: string }) {
  return { seq, raw: raw.replace('"entry":"', '"entry":"x') };
}
