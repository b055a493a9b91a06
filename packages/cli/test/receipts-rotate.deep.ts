import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { describeRotation, didOfKey, publicKeyFromPem, type Receipt, type ReceiptDraft } from "@countersign/receipts";
import { generateSigningKey, nodeCrypto, signerFromPem } from "@countersign/receipts/node";
import { Place } from "./countersign.ts";
import { Ledger, writeLines } from "./ledger.ts";

const crypto = nodeCrypto();

const json = async (place: Place, ...args: readonly string[]) => {
  const { code, stdout, stderr } = await place.run("receipts", ...args, "--json");
  assert.notEqual(stdout, "", stderr);
  return { code, value: JSON.parse(stdout) };
};
const didIn = (place: Place, name: string) =>
  didOfKey(signerFromPem(readFileSync(join(place.home, "keys", name), "utf8")).publicKey);

test("the key is changed beside what goes on, on record as somebody's wish; the first key still vouches for all", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  await place.run("exec", "--session", "one", "--", "true");
  const [first, second] = ["receipts.pem", "receipts-next.pem"].map((name) => didIn(place, name));
  const asked = await place.run("receipts", "rotate");
  assert.equal(asked.code, 2);
  assert.match(asked.stderr, /Nobody can be asked here: give --yes/);
  const running = Array.from({ length: 3 }, (_, n) => place.run("exec", "--session", "one", "--", `true ${n}`));
  const { code, value } = await json(place, "rotate", "--yes");
  assert.deepEqual([code, value.key, value.replaced], [0, second, first]);
  for (const { code: ended } of await Promise.all(running)) assert.equal(ended, 0);
  await place.run("exec", "--session", "one", "--", "true");

  const found = await json(place, "verify");
  assert.deepEqual([found.code, found.value.fault, found.value.keys], [0, null, [first, second]]);
  assert.deepEqual(
    found.value.rotations.map(({ index }: { index: number }) => index),
    [value.seq - 1],
  );
  assert.deepEqual(found.value.advisories, []);
  const [rotation] = (await json(place, "list", "--type", "key-rotated")).value;
  assert.deepEqual([rotation.seq, rotation.hash, rotation.action], [value.seq, value.hash, "agent.key.rotate"]);
  const lines = readFileSync(join(place.home, "audit.jsonl"), "utf8").trim().split("\n");
  const event = lines.map((line) => JSON.parse(line)).find(({ details }) => details.event === "key-rotated");
  assert.deepEqual([event.type, event.details.receipt], ["config_change", value.hash]);

  assert.equal((await hub.stop()).code, 0);
  const offline = await place.run("receipts", "rotate", "--yes");
  assert.match(offline.stdout, /^The key was changed: receipt \d+ sha256:.*\nnow: {4}did:key:.*\nbefore: did:key:/);
  const again = await place.serve();
  await place.run("exec", "--session", "one", "--", "true");
  await again.stop();
  const evidence = join(place.workspace, "evidence.jsonl");
  await place.run("receipts", "export", "--jsonl", evidence);
  const elsewhere = await place.run("receipts", "verify", evidence, "--trust", first as string);
  assert.equal(elsewhere.code, 0, elsewhere.stdout);
  assert.match(
    elsewhere.stdout,
    /^key: 3 keys \(trusted\)\nkey changed: at receipt \d+, to sha256:\w{64}, as committed to\n/m,
  );
  const bundle = join(place.workspace, "evidence.json");
  await place.run("receipts", "export", "--bundle", bundle, "--type", "ended");
  assert.equal((await place.run("receipts", "verify", bundle, "--trust", first as string)).code, 0);
  const names = ["receipts-next.pem", "receipts-next.pub.pem", "receipts.pem", "receipts.pub.pem"];
  assert.deepEqual(
    readdirSync(join(place.home, "keys")).filter((name) => name.startsWith("receipts")),
    names,
  );
});

test("who steals the key in use can't name another one after it, whatever else they can write", async (t) => {
  const place = new Place(t);
  const ledger = await Ledger.make(place.home);
  assert.equal((await place.run("receipts", "rotate", "--yes")).code, 0);
  await ledger.append(["a", null]);
  const lines = ledger.lines();
  const stolen = signerFromPem(readFileSync(join(place.home, "keys/receipts.pem"), "utf8"));
  const own = signerFromPem(generateSigningKey().privatePem);
  const last = lines.length - 1;
  const rootLine = lines.findLast((line) => chainOf(line).endsWith(":root"), last) as string;
  const toOwn = (draft: ReceiptDraft): ReceiptDraft => {
    const action = { ...draft.credentialSubject.action, type: "agent.key.rotate", risk_level: "high" as const };
    const keyRotation = describeRotation({ oldKey: stolen.publicKey, newKey: own.publicKey }, crypto);
    return { ...draft, credentialSubject: { ...draft.credentialSubject, action, keyRotation } };
  };
  const forged = await ledger.forge(rootLine, { after: rootLine }, toOwn);
  const found = await json(place, "verify", writeLines(join(place.workspace, "forged.jsonl"), [...lines, forged]));
  assert.deepEqual([found.code, found.value.fault.code, found.value.fault.index], [1, "INVALID_ROTATION", last + 1]);
});

test("with a key that was given up nothing can be added: neither to a record nor to a selection of it", async (t) => {
  const place = new Place(t);
  const ledger = await Ledger.make(place.home);
  const [inSession] = ledger
    .lines()
    .filter((line) => chainOf(line).endsWith(":session:b"))
    .slice(-1) as [string];
  const plain = await ledger.forge(inSession, { after: inSession });
  const next = publicKeyFromPem(readFileSync(join(place.home, "keys/receipts-next.pub.pem"), "utf8")) as Uint8Array;
  // As a change to the very key that was committed to, which says something else beside.
  const change = await ledger.forge(inSession, { after: inSession }, (draft) => {
    const keyRotation = describeRotation({ oldKey: ledger.publicKey, newKey: next }, crypto);
    const runtime = { ...draft.issuer.runtime, nextKey: `sha256:${"0".repeat(64)}` };
    const issuer = { ...draft.issuer, runtime };
    return { ...draft, issuer, credentialSubject: { ...draft.credentialSubject, keyRotation } };
  });
  assert.equal((await place.run("receipts", "rotate", "--yes")).code, 0);
  const lines = ledger.lines();
  const path = join(place.workspace, "selection.json");
  assert.equal((await place.run("receipts", "export", "--bundle", path, "--session", "a")).code, 0);
  const bundle = JSON.parse(readFileSync(path, "utf8"));
  for (const forged of [plain, change]) {
    const all = writeLines(join(place.workspace, "forged.jsonl"), [...lines, forged]);
    const added = { ...bundle, receipts: [...bundle.receipts, { seq: lines.length + 1, raw: forged }] };
    const some = join(place.workspace, "forged.json");
    writeFileSync(some, JSON.stringify(added));
    for (const [file, index] of [[all, lines.length] as const, [some, bundle.receipts.length] as const]) {
      const { code, value } = await json(place, "verify", file, "--trust", ledger.publicPem);
      assert.deepEqual([code, value.fault?.code, value.fault?.index], [1, "INVALID_SIGNATURE", index], file);
    }
  }
});

test("a copy of the database from before the change isn't served: its key is gone", async (t) => {
  const place = new Place(t);
  const ledger = await Ledger.make(place.home);
  const old = join(place.workspace, "old.db");
  copyFileSync(ledger.database, old);
  assert.equal((await place.run("receipts", "rotate", "--yes")).code, 0);
  copyFileSync(old, ledger.database);
  const { code, stderr } = await place.start(["serve", "--port", "0"]).ended;
  assert.notEqual(code, 0);
  assert.match(stderr, /isn't the one that signs this ledger/);
});

function chainOf(line: string): string {
  return (JSON.parse(line) as Receipt).credentialSubject.chain.chain_id;
}
