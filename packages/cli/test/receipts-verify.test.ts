import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { rotateOffline } from "@countersign/hub";
import {
  canonicalize,
  describeRotation,
  didOfKey,
  hashReceipt,
  publicKeyFromPem,
  type ReceiptDraft,
} from "@countersign/receipts";
import { generateSigningKey, nodeCrypto, signerFromPem } from "@countersign/receipts/node";
import { exportReceipts } from "../src/receipts/export.ts";
import { exitCodeOf, verdictOn } from "../src/receipts/verify.ts";
import { Place } from "./countersign.ts";
import { factsOf, Ledger, SESSIONS, writeLines, writeWitness } from "./ledger.ts";

const crypto = nodeCrypto();

/** What the command says, of whatever is at the path. */
async function verify(place: Place, ...args: readonly string[]) {
  const { code, stdout, stderr } = await place.run("receipts", "verify", "--json", ...args);
  assert.notEqual(stdout, "", stderr);
  return { code, verdict: JSON.parse(stdout) };
}

/** Lines that somebody has changed, and what is found: the code and the index. */
type Tampering = readonly [name: string, lines: readonly string[], code: string, index: number];

test("whatever was done to lines of receipts is found, with its code and its index", async (t) => {
  const place = new Place(t);
  const ledger = await Ledger.make(place.home);
  const [other, lines] = [await Ledger.make(join(place.workspace, "other")), ledger.lines()];
  assert.equal(lines.length, SESSIONS.length + 1);
  const at = (index: number) => lines[index] as string;
  const stranger = generateSigningKey();
  const strangerKey = publicKeyFromPem(stranger.publicPem) as Uint8Array;
  const forged = {
    sibling: await ledger.forge(at(5), { after: at(3) }, withNewWords),
    // Of session b, and linked to a receipt of session a.
    spliced: await ledger.forge(at(5), { after: at(1) }),
    foreign: await ledger.forge(at(5), { after: at(3) }, (draft) => ({
      ...draft,
      issuer: { ...draft.issuer, id: didOfKey(strangerKey) },
    })),
    closed: await ledger.forge(at(5), { after: at(3) }, (draft) => ({ ...draft, terminal: true, status: "complete" })),
    rotation: await ledger.forge(at(7), { after: at(2) }, (draft) => rotateTo(draft, ledger.publicKey, strangerKey)),
    unanchored: await ledger.forge(at(3), { after: null }, (draft) => ({
      ...draft,
      issuer: { ...draft.issuer, runtime: { ...draft.issuer.runtime, parentChainRef: refTo(at(0), 1, at(1)) } },
    })),
  };
  const afterClosed = await ledger.forge(at(8), { after: forged.closed });
  const cases: readonly Tampering[] = [
    ["a bit", lines.with(5, flip(at(5), "allow")), "INVALID_SIGNATURE", 5],
    ["a bit of the signature", lines.with(5, resigned(at(5))), "INVALID_SIGNATURE", 5],
    ["a bit of the form", lines.with(5, at(5).replace("{", "[")), "MALFORMED_RECEIPT", 5],
    ["a space, which changes nothing that is signed", lines.with(5, at(5).replace(":", ": ")), "MALFORMED_RECEIPT", 5],
    ["a line emptied", lines.with(5, ""), "MALFORMED_RECEIPT", 5],
    ["one deleted", lines.toSpliced(4, 1), "SEQUENCE_GAP", 5],
    ["the first deleted", lines.toSpliced(0, 1), "ANCHOR_MISMATCH", 0],
    ["all but one chain deleted", [1, 4, 6, 9].map(at), "ANCHOR_MISMATCH", 0],
    ["one of the root deleted", lines.toSpliced(2, 1), "ANCHOR_MISMATCH", 2],
    ["two exchanged", lines.with(4, at(6)).with(6, at(4)), "SEQUENCE_GAP", 4],
    ["one repeated", lines.toSpliced(5, 0, at(4)), "SEQUENCE_GAP", 5],
    ["another chain's in its place", lines.with(5, at(4)), "SEQUENCE_GAP", 5],
    ["another ledger's put in", lines.toSpliced(5, 0, other.lines()[1] as string), "INVALID_SIGNATURE", 5],
    ["linked to another chain", lines.with(5, forged.spliced), "BROKEN_LINK", 5],
    ["two in one place", lines.toSpliced(6, 0, forged.sibling), "FORKED", 6],
    ["one exchanged by who has the key", lines.with(5, forged.sibling), "BROKEN_LINK", 8],
    ["another issuer", lines.with(5, forged.foreign), "ISSUER_MISMATCH", 5],
    ["after the end", [...lines.slice(0, 5), forged.closed, at(6), afterClosed], "AFTER_TERMINAL", 7],
    ["a key that wasn't committed to", lines.with(7, forged.rotation), "INVALID_ROTATION", 7],
    ["begun elsewhere", lines.with(3, forged.unanchored), "ANCHOR_MISMATCH", 3],
  ];
  const file = join(place.workspace, "evidence.jsonl");
  const whole = await verify(place, writeLines(file, lines), "--trust", ledger.publicPem);
  assert.deepEqual([whole.code, whole.verdict.whole, whole.verdict.count, whole.verdict.chains], [0, true, 10, 3]);
  for (const [name, changed, code, index] of cases) {
    const found = await verify(place, writeLines(file, changed));
    const { fault } = found.verdict;
    assert.deepEqual([found.code, fault?.code, fault?.index], [1, code, index], `${name}: ${JSON.stringify(fault)}`);
  }
  const told = await place.run("receipts", "verify", writeLines(file, lines.with(5, flip(at(5), "allow"))));
  assert.match(told.stdout, /^BROKEN at receipt 6 \(index 5\): INVALID_SIGNATURE\nchain countersign:\S+:session:b, /m);
});

test("any bit of a line, wherever it is", async (t) => {
  const place = new Place(t);
  const lines = (await Ledger.make(place.home)).lines();
  const victim = Buffer.from(lines[5] as string);
  for (let round = 0; round < 12; round += 1) {
    const changed = Buffer.from(victim);
    const byte = Math.floor((round / 12) * victim.length);
    changed[byte] = (changed[byte] as number) ^ (1 << (round % 8));
    const file = join(place.workspace, "bits.jsonl");
    const before = Buffer.from(`${lines.slice(0, 5).join("\n")}\n`);
    writeFileSync(file, Buffer.concat([before, changed, Buffer.from(`\n${lines.slice(6).join("\n")}\n`)]));
    const { code, verdict } = await verify(place, file);
    assert.deepEqual([code, verdict.fault?.index], [1, 5], `byte ${byte}, bit ${round % 8}: ${verdict.fault?.detail}`);
  }
});

test("a tail that was cut, a fork and an old copy are found by what others remember", async (t) => {
  const place = new Place(t);
  const ledger = await Ledger.make(place.home);
  const lines = ledger.lines();
  const witness = writeWitness(join(place.workspace, "witness"), [
    await ledger.note(lines.slice(0, 4)),
    await ledger.note(lines),
  ]);
  const old = ledger.copyTo(join(place.workspace, "old"));
  old.tamper("DELETE FROM receipt WHERE seq > 7", "DELETE FROM tree_node WHERE level = 0 AND idx > 6");
  // The nodes above go too: the store makes the tree anew from what is left.
  old.tamper("DELETE FROM tree_node WHERE (idx + 1) * (1 << level) > 7");
  const cut = await verify(place, old.database);
  assert.deepEqual([cut.code, cut.verdict.count, cut.verdict.witnessedSize], [0, 7, 0]);
  assert.match(cut.verdict.notProved.join("\n"), /nothing was cut off at the end/);

  const remembered = await verify(place, old.database, "--witness", witness);
  assert.deepEqual(
    [remembered.code, remembered.verdict.fault.code, remembered.verdict.fault.index],
    [1, "TRUNCATED", 7],
  );
  const head = (await verify(place, ledger.database)).verdict.head;
  assert.deepEqual(head, { seq: 10, hash: factsOf(lines[9] as string).hash });
  for (const expected of [`${head.seq}:${head.hash}`, head.hash]) {
    const missed = await verify(place, old.database, "--expect-head", expected);
    assert.deepEqual([missed.code, missed.verdict.fault.code, missed.verdict.fault.index], [1, "TRUNCATED", 7]);
    assert.equal((await verify(place, ledger.database, "--expect-head", expected)).code, 0);
  }

  await old.append(["a", "b", null, "a"]);
  const forked = await verify(place, old.database, "--witness", witness);
  assert.deepEqual([forked.code, forked.verdict.fault.code, forked.verdict.fault.index], [1, "FORKED", 9]);
  const expected = await verify(place, old.database, "--expect-head", `${head.seq}:${head.hash}`);
  assert.deepEqual([expected.code, expected.verdict.fault.code, expected.verdict.fault.index], [1, "FORKED", 9]);

  await ledger.append(["a"]);
  const grown = await verify(place, ledger.database, "--witness", witness);
  assert.deepEqual([grown.code, grown.verdict.count, grown.verdict.witnessedSize], [0, 11, 10]);
  assert.match(grown.verdict.notProved.join("\n"), /cut off after receipt 10, the last that a witness saw/);

  const other = await Ledger.make(join(place.workspace, "other"));
  const swapped = await verify(place, other.database, "--witness", witness);
  assert.deepEqual([swapped.code, swapped.verdict.fault.code, swapped.verdict.fault.index], [1, "FORKED", 0]);
  const torn = join(place.workspace, "torn");
  writeFileSync(torn, `${readFileSync(witness, "utf8")}"countersign:`);
  assert.equal((await verify(place, ledger.database, "--witness", torn)).code, 0);
  writeFileSync(torn, `"garbage"\n${readFileSync(witness, "utf8")}`);
  assert.equal((await place.run("receipts", "verify", "--witness", torn)).code, 2);
});

test("whose key it is counts: trusted, this home's, or nobody's", async (t) => {
  const place = new Place(t);
  const ledger = await Ledger.make(place.home);
  const other = await Ledger.make(join(place.workspace, "other"));
  const mine = await verify(place);
  assert.deepEqual([mine.code, mine.verdict.trusted], [0, "local"]);
  const stranger = await verify(place, other.database);
  assert.deepEqual([stranger.code, stranger.verdict.whole, stranger.verdict.trusted], [3, true, null]);
  assert.match(stranger.verdict.notProved[0], /^Whose key signed it/);
  const pem = readFileSync(other.publicPem, "utf8");
  for (const key of [other.publicPem, pem, didOfKey(other.publicKey), `sha256:${crypto.sha256Hex(other.publicKey)}`]) {
    const known = await verify(place, other.database, "--trust", ledger.publicPem, "--trust", key);
    assert.deepEqual([known.code, known.verdict.trusted], [0, "given"], key);
  }
  const swapped = await verify(place, other.database, "--trust", ledger.publicPem);
  const { code, index } = swapped.verdict.fault;
  assert.deepEqual([swapped.code, code, index, swapped.verdict.trusted], [1, "INVALID_SIGNATURE", 0, null]);
});

test("a database: rows that were changed, deleted, renumbered; and a checkpoint of its own", async (t) => {
  const place = new Place(t);
  const ledger = await Ledger.make(place.home);
  const lines = ledger.lines();
  const forgedNote = (await ledger.note(lines.slice(0, 6))).replace(/^— .*$/m, (line) => `${line.slice(0, -6)}AAAA==`);
  const cases = [
    [["UPDATE receipt SET raw = replace(raw, '\"allow\"', '\"deny\"') WHERE seq = 6"], "INVALID_SIGNATURE", 5],
    [["DELETE FROM receipt WHERE seq = 5"], "SEQUENCE_GAP", 4],
    [["DELETE FROM receipt WHERE seq = 5", "UPDATE receipt SET seq = seq - 1 WHERE seq > 5"], "SEQUENCE_GAP", 5],
    [[`INSERT INTO checkpoint VALUES (20, '${await ledger.note([...lines, ...lines])}', 0)`], "TRUNCATED", 10],
    [[`INSERT INTO checkpoint VALUES (6, '${await ledger.note(lines.slice(1, 7))}', 0)`], "FORKED", 5],
    [[`INSERT INTO checkpoint VALUES (6, '${forgedNote}', 0)`], "ANCHOR_MISMATCH", 6],
  ] as const;
  for (const [at, [statements, code, index]] of cases.entries()) {
    const copy = ledger.copyTo(join(place.workspace, `copy${at}`));
    copy.tamper(...statements);
    const { fault } = (await verify(place, copy.database)).verdict;
    assert.deepEqual([fault?.code, fault?.index], [code, index], `${statements}: ${fault?.detail}`);
  }
  ledger.tamper("DELETE FROM receipt");
  const empty = await place.run("receipts", "verify");
  assert.equal(empty.code, 2);
  assert.match(empty.stderr, /holds no receipts/);
});

test("a database finds what was changed next to its receipts: columns, tree nodes and checkpoints", async (t) => {
  const place = new Place(t);
  const ledger = await Ledger.make(place.home);
  await ledger.checkpoint();
  await ledger.emit("uid:7");
  await ledger.emit("sandbox:box");
  await ledger.append(["b", "a", null]);
  await ledger.checkpoint();
  const lines = ledger.lines();
  const whole = await verify(place);
  assert.deepEqual([whole.code, whole.verdict.fault, whole.verdict.rowMismatch.count], [0, null, 0]);
  const note = await ledger.note(lines.slice(0, 4));
  const cases: readonly (readonly [statement: string, index: number, detail: RegExp])[] = [
    ["UPDATE receipt SET session_id = 'x' WHERE seq = 4", 3, /column session_id/],
    ["UPDATE receipt SET session_id = NULL WHERE seq = 4", 3, /column session_id/],
    ["UPDATE receipt SET proposal_key = 'another' WHERE seq IN (4, 6)", 3, /column proposal_key/],
    ["UPDATE receipt SET type = 'ended' WHERE seq = 5", 4, /column type/],
    ["UPDATE receipt SET at_ms = at_ms + 86400000 WHERE seq = 6", 5, /column at_ms/],
    ["UPDATE receipt SET hash = 'sha256:00' WHERE seq = 6", 5, /column hash/],
    ["UPDATE receipt SET chain_id = chain_id || 'x' WHERE seq = 6", 5, /column chain_id/],
    ["UPDATE receipt SET chain_seq = 99 WHERE seq = 6", 5, /column chain_seq/],
    ["UPDATE receipt SET emitter = 'uid:1' WHERE seq = 6", 5, /column emitter/],
    ["UPDATE receipt SET emitter = NULL WHERE seq = 12", 11, /column emitter/],
    ["UPDATE receipt SET emitter = 'relay:8' WHERE seq = 13", 12, /column emitter/],
    ["UPDATE receipt SET session_id = 's1' WHERE seq = 13", 12, /column session_id/],
    ["UPDATE receipt SET idempotency_key = 'other' WHERE seq = 12", 11, /column idempotency_key/],
    ["UPDATE tree_node SET hash = zeroblob(32) WHERE level = 0 AND idx = 7", 7, /tree node at height 0/],
    ["UPDATE tree_node SET hash = zeroblob(32) WHERE level = 2 AND idx = 1", 7, /tree node at height 2/],
    ["DELETE FROM tree_node WHERE level = 1 AND idx = 2", 5, /tree node at height 1/],
    ["INSERT INTO tree_node (id, hash) VALUES (4 * 64 + 5, zeroblob(32))", 4, /tree node at height 5/],
    ["INSERT INTO tree_node (id, hash) VALUES (9000, zeroblob(32))", lines.length, /belong to no receipt/],
    ["INSERT INTO tree_node (id, hash) VALUES (-3, zeroblob(32))", lines.length, /belong to no receipt/],
    ["DELETE FROM checkpoint WHERE size = 10", 10, /checkpoint/],
    ["UPDATE checkpoint SET at_ms = 5 WHERE size = 10", 10, /checkpoint/],
    ["UPDATE checkpoint SET size = 9 WHERE size = 10", 9, /checkpoint/],
    ["UPDATE checkpoint SET note = note || '— x AAAAAAAA' || char(10) WHERE size = 10", 10, /checkpoint/],
    ["UPDATE checkpoint SET size = 900 WHERE size = 10", 10, /checkpoint/],
    [`INSERT INTO checkpoint VALUES (4, '${note}', 0)`, 4, /checkpoint/],
    [`INSERT INTO checkpoint VALUES (77, '${note}', 0)`, lines.length, /belong to no receipt/],
  ];
  for (const [round, [statement, index, detail]] of cases.entries()) {
    const copy = ledger.copyTo(join(place.workspace, `copy${round}`));
    copy.tamper(statement);
    // In this process: starting the command for each takes longer than all the rest.
    const verdict = await verdictOn(copy.database, { home: place.home, trust: [ledger.publicPem], witness: [] });
    const { code, index: at, detail: why } = verdict.fault ?? {};
    assert.deepEqual([exitCodeOf(verdict), code, at], [1, "INDEX_MISMATCH", index], `${statement}: ${why}`);
    assert.match(String(why), detail, statement);
  }
  // As the tree was kept before, until a newer hub opens the database.
  const older = [
    "ALTER TABLE tree_node RENAME TO newer",
    "CREATE TABLE tree_node (level INTEGER, idx INTEGER, hash BLOB NOT NULL, PRIMARY KEY (level, idx)) WITHOUT ROWID",
    "INSERT INTO tree_node SELECT level, idx, hash FROM newer",
    "DROP TABLE newer",
  ];
  for (const [statement, index] of [
    ["SELECT 1", undefined],
    ["DELETE FROM tree_node WHERE level = 1 AND idx = 2", 5],
    ["UPDATE tree_node SET hash = zeroblob(32) WHERE level = 2 AND idx = 1", 7],
    ["INSERT INTO tree_node VALUES (3, 40, zeroblob(32))", lines.length],
  ] as const) {
    const copy = ledger.copyTo(join(place.workspace, `older${index}`));
    copy.tamper(...older, statement);
    const { fault } = await verdictOn(copy.database, { home: place.home, trust: [ledger.publicPem], witness: [] });
    assert.deepEqual(fault?.index, index, `${statement}: ${fault?.detail}`);
  }
  // What a changed receipt is called doesn't depend on what stands next to it.
  const both = ledger.copyTo(join(place.workspace, "both"));
  both.tamper("UPDATE receipt SET at_ms = 1 WHERE seq = 2");
  both.tamper("UPDATE receipt SET raw = replace(raw, '\"allow\"', '\"deny\"') WHERE seq = 9");
  const { fault } = (await verify(place, both.database)).verdict;
  assert.deepEqual([fault.code, fault.index], ["INVALID_SIGNATURE", 8]);
  const told = await place.run("receipts", "verify", ledger.copyTo(join(place.workspace, "told")).database);
  assert.match(told.stdout, /^WHOLE/m);
});

test("a bundle finds whatever was changed in what it says of itself", async (t) => {
  const place = new Place(t);
  const ledger = await Ledger.make(place.home);
  await ledger.checkpoint();
  await ledger.append(["b", "a", null]);
  await ledger.checkpoint();
  await ledger.append(["a"]);
  const other = await Ledger.make(join(place.workspace, "other"));
  const exported = async (home: string, name: string, options: object = {}) => {
    const bundle = join(place.workspace, name);
    assert.equal(await exportReceipts({ home, bundle, ...options }), 0);
    return JSON.parse(readFileSync(bundle, "utf8"));
  };
  const whole = await exported(ledger.home, "whole.json");
  const some = await exported(ledger.home, "some.json", { session: "b" });
  const about = await exported(ledger.home, "about.json", { type: "checkpoint" });
  const strange = await exported(other.home, "other.json");
  const written = async (name: string, text: string) => {
    const path = join(place.workspace, name);
    writeFileSync(path, text);
    return await verdictOn(path, { home: place.home, trust: [ledger.publicPem], witness: [] });
  };
  for (const [name, bundle] of Object.entries({ whole, some, about })) {
    const verdict = await written("untouched.json", JSON.stringify(bundle));
    assert.deepEqual([verdict.whole, verdict.trusted, verdict.fault], [true, "given", null], name);
    assert.equal((await written("pretty.json", JSON.stringify(bundle, null, 1))).whole, true);
  }
  const [first] = whole.checkpoints;
  const older = await ledger.note(ledger.lines().slice(0, 10));
  const unsigned = older.replace(/^— .*$/m, (line) => `${line.slice(0, -6)}AAAA==`);
  const cases: readonly (readonly [name: string, bundle: object, code: string, reason?: string])[] = [
    ["another issuer", { ...whole, issuer: strange.issuer }, "BUNDLE_MISMATCH", "OTHER_ISSUER"],
    ["another key", { ...whole, keys: strange.keys }, "BUNDLE_MISMATCH", "OTHER_KEYS"],
    ["another key besides", { ...whole, keys: [...whole.keys, ...strange.keys] }, "BUNDLE_MISMATCH", "OTHER_KEYS"],
    ["no key", { ...whole, keys: [] }, "BUNDLE_MISMATCH", "OTHER_KEYS"],
    ["a key that is none", { ...whole, keys: ["x"] }, "BUNDLE_MISMATCH", "OTHER_KEYS"],
    ["no checkpoint", { ...whole, checkpoints: [] }, "BUNDLE_MISMATCH", "NO_CHECKPOINT"],
    ["an older checkpoint", { ...whole, checkpoints: [older] }, "BUNDLE_MISMATCH", "NO_CHECKPOINT"],
    ["an unsigned one besides", { ...whole, checkpoints: [unsigned, first] }, "BUNDLE_MISMATCH", "OTHER_CHECKPOINT"],
    ["another's checkpoint", { ...whole, checkpoints: [await other.note(other.lines())] }, "FORKED"],
    ["a member", { ...whole, note: "made by nobody" }, "BUNDLE_MISMATCH", "UNKNOWN_MEMBER"],
    ["a member of the tree", { ...whole, tree: { ...whole.tree, x: 1 } }, "BUNDLE_MISMATCH", "UNKNOWN_MEMBER"],
    ["a member of a receipt", withFirst(whole, "receipts", { x: 1 }), "BUNDLE_MISMATCH", "UNKNOWN_MEMBER"],
    ["a proof", { ...whole, inclusion: [{ seq: 1, proof: [] }] }, "BUNDLE_MISMATCH", "STRAY_PROOF"],
    ["another tree", { ...whole, tree: strange.tree }, "ANCHOR_MISMATCH"],
    ["some: another issuer", { ...some, issuer: strange.issuer }, "BUNDLE_MISMATCH", "OTHER_ISSUER"],
    ["some: another key", { ...some, keys: strange.keys }, "BUNDLE_MISMATCH", "OTHER_KEYS"],
    ["some: no checkpoint", { ...some, checkpoints: [] }, "BUNDLE_MISMATCH", "STRAY_PROOF"],
    ["some: neither", { ...about, checkpoints: [], inclusion: [] }, "BUNDLE_MISMATCH", "NO_CHECKPOINT"],
    ["some: a member", { ...some, x: 1 }, "BUNDLE_MISMATCH", "UNKNOWN_MEMBER"],
    ["some: a member of a proof", withFirst(some, "inclusion", { x: 1 }), "BUNDLE_MISMATCH", "UNKNOWN_MEMBER"],
    [
      "some: a proof without its receipt",
      { ...some, receipts: some.receipts.slice(0, -1) },
      "BUNDLE_MISMATCH",
      "STRAY_PROOF",
    ],
    [
      "some: a proof twice",
      { ...some, inclusion: [...some.inclusion, some.inclusion[0]] },
      "BUNDLE_MISMATCH",
      "STRAY_PROOF",
    ],
    ["some: a smaller tree", { ...some, tree: { ...some.tree, size: 3 } }, "BUNDLE_MISMATCH", "OTHER_TREE"],
    ["some: another tree", { ...some, tree: { ...some.tree, size: 13 } }, "BUNDLE_MISMATCH", "OTHER_TREE"],
    ["some: no size", { ...some, tree: { ...some.tree, size: 15.5 } }, "BUNDLE_MISMATCH", "OTHER_TREE"],
    ["some: no root", { ...some, tree: { ...some.tree, root: "" } }, "BUNDLE_MISMATCH", "OTHER_TREE"],
  ];
  for (const [name, bundle, code, reason] of cases) {
    const { fault, whole: isWhole } = await written("changed.json", JSON.stringify(bundle));
    assert.deepEqual([isWhole, fault?.code, fault?.reason], [false, code, reason], `${name}: ${fault?.detail}`);
  }
  writeFileSync(join(place.workspace, "told.json"), JSON.stringify({ ...whole, issuer: strange.issuer }));
  const told = await place.run("receipts", "verify", join(place.workspace, "told.json"));
  assert.equal(told.code, 1);
  assert.match(told.stdout, /^BROKEN: BUNDLE_MISMATCH \(OTHER_ISSUER\)\nEvery receipt holds, /m);
  // Two readers could take it for two different bundles.
  const twice = JSON.stringify(whole).replace('"issuer":', '"issuer":"did:key:z6Mk","issuer":');
  await assert.rejects(written("twice.json", twice), /DUPLICATE_KEY/);
  const stranger = join(place.workspace, "other.json");
  const untrusted = await verdictOn(stranger, { home: place.home, trust: [ledger.publicPem], witness: [] });
  assert.equal(untrusted.fault?.code, "INVALID_SIGNATURE");
});

test("a selection is genuine after a change of the key, whichever of its receipts the new key signed", async (t) => {
  const place = new Place(t);
  const ledger = await Ledger.make(place.home);
  const { key, replaced } = await rotateOffline(place.home);
  await ledger.append(["a"]);
  await ledger.checkpoint();
  for (const [session, keys] of [
    ["a", [replaced, key]],
    // The new key signed nothing in it but its checkpoint.
    ["b", [replaced]],
  ] as const) {
    const bundle = join(place.workspace, `${session}.json`);
    assert.equal(await exportReceipts({ home: place.home, bundle, session }), 0);
    const verdict = await verdictOn(bundle, { home: place.home, trust: [ledger.publicPem], witness: [] });
    assert.deepEqual([verdict.fault, verdict.trusted, verdict.unplaced], [null, "given", 0], session);
    assert.deepEqual(verdict.keys, keys, session);
  }
});

test("receipts of a newer version are told as newer, and what follows them is looked at", async (t) => {
  const place = new Place(t);
  const vectors = JSON.parse(readFileSync(new URL("../../receipts/test/testdata/v060.json", import.meta.url), "utf8"));
  const key = join(place.workspace, "vectors.pub.pem");
  writeFileSync(key, vectors.publicKey);
  const known = writeLines(join(place.workspace, "known.jsonl"), vectors.chain.map(lineOf));
  const whole = await verify(place, known, "--trust", key);
  assert.deepEqual([whole.code, whole.verdict.whole, whole.verdict.count], [0, true, 7]);
  const newer = writeLines(join(place.workspace, "newer.jsonl"), vectors.newerChain.map(lineOf));
  const found = await verify(place, newer, "--trust", key);
  const { whole: isWhole, count, trusted, fault } = found.verdict;
  assert.deepEqual([found.code, isWhole, count, trusted], [1, false, 4, "given"]);
  assert.deepEqual([fault.code, fault.index], ["NEWER_VERSION", 1]);
  const told = await place.run("receipts", "verify", newer, "--trust", key);
  assert.match(told.stdout, /^NEWER THAN THIS VERIFIER at receipt 2 \(index 1\): NEWER_VERSION$/m);
  assert.doesNotMatch(told.stdout, /BROKEN|MALFORMED|wasn't looked at/);
});

test("what can't be read is neither whole nor broken", async (t) => {
  const place = new Place(t);
  const damaged = join(place.workspace, "damaged.db");
  writeFileSync(damaged, `SQLite format 3\0${"x".repeat(5_000)}`);
  const bundle = join(place.workspace, "bundle.json");
  writeFileSync(bundle, '{"format":"countersign-bundle/1","receipts":[');
  for (const [path, message] of [
    ["missing.db", /There's no file/],
    [damaged, /can't be read as a database/],
    [bundle, /isn't a whole bundle/],
    [".", /isn't a file/],
  ] as const) {
    const { code, stderr } = await place.run("receipts", "verify", path);
    assert.deepEqual([code, message.test(stderr)], [2, true], stderr);
  }
  const wrong = [
    ["--trust", "nobody"],
    ["--expect-head", "7"],
  ];
  for (const args of wrong) assert.equal((await place.run("receipts", "verify", ...args)).code, 2);
});

test("Agent Receipts' own database, by its schema or by its look; each chain is by itself", async (t) => {
  const place = new Place(t);
  const { privatePem, publicPem } = generateSigningKey();
  const key = join(place.workspace, "peer.pub.pem");
  writeFileSync(key, publicPem);
  const named = peerChains(privatePem, "did:agent:peer#key-1");
  // Backwards: its own tools go by the sequence too.
  const known = peerStore(join(place.workspace, "receipts.db"), named.toReversed());
  const whole = await verify(place, known, "--trust", key);
  assert.deepEqual([whole.code, whole.verdict.count, whole.verdict.chains], [0, 6, 2]);
  assert.equal(whole.verdict.source.what, "Agent Receipts' database, receipts in receipts.receipt_json");
  const shown = await place.run("receipts", "verify", known, "--trust", key);
  assert.match(shown.stdout, /^key: did:key:z\w+ \(trusted\)$/m);
  const unresolved = await verify(place, known);
  assert.deepEqual([unresolved.code, unresolved.verdict.fault.code], [1, "UNRESOLVABLE_DID"]);

  const edited = join(place.workspace, "edited.jsonl");
  const signed = await verify(place, writeLines(edited, [flip(named[0] as string, "did:user:ann")]), "--trust", key);
  assert.deepEqual([signed.code, signed.verdict.fault.code], [1, "INVALID_SIGNATURE"]);
  const changed = new DatabaseSync(known);
  changed.exec("DELETE FROM receipts WHERE chain_id = 'two' AND sequence = 2");
  changed.close();
  const { fault } = (await verify(place, known, "--trust", key)).verdict;
  assert.deepEqual([fault.code, fault.index, fault.chainId], ["SEQUENCE_GAP", 4, "two"]);

  const unknown = join(place.workspace, "unknown.db");
  const odd = new DatabaseSync(unknown);
  odd.exec('CREATE TABLE "my ""log" (at INTEGER, what BLOB); CREATE TABLE first (n INTEGER)');
  for (const line of named) odd.prepare('INSERT INTO "my ""log" VALUES (0, ?)').run(Buffer.from(line));
  odd.close();
  const guessed = await verify(place, unknown, "--trust", key);
  assert.equal(guessed.code, 0);
  assert.match(guessed.verdict.source.what, /^a database that we don't know, receipts in my "log\.what by their look$/);

  // A stranger's receipt at the beginning makes no ledger of ours pass without its root.
  const ours = (await Ledger.make(place.home)).lines();
  const mixed = writeLines(join(place.workspace, "mixed.jsonl"), [...named, ...ours.slice(1)]);
  const mixedFault = (await verify(place, mixed, "--trust", key)).verdict.fault;
  assert.deepEqual([mixedFault.code, mixedFault.index], ["CHAIN_MISMATCH", 6]);
});

test("a ledger of ours in Agent Receipts' own database is verified as a ledger", async (t) => {
  const place = new Place(t);
  const ledger = await Ledger.make(place.home);
  await ledger.checkpoint();
  await ledger.append(["b", "a", null]);
  const lines = ledger.lines();
  const { privatePem, publicPem } = generateSigningKey();
  const peers = peerChains(privatePem, "did:agent:peer#key-1");
  const second = await Ledger.make(join(place.workspace, "second"));
  const keys = ["--trust", ledger.publicPem, "--trust", publicPem, "--trust", second.publicPem];
  // Another writer's members in another order: the store isn't ours to keep bytes.
  const reordered = lines.map((line) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse())));
  const cases: readonly (readonly [name: string, lines: readonly string[], chains: number])[] = [
    ["ours alone", lines, 3],
    ["ours, reordered", reordered, 3],
    ["peers before", [...peers.toReversed(), ...lines], 5],
    ["peers between", [...lines.slice(0, 4), ...peers, ...lines.slice(4)], 5],
    ["two ledgers", [...lines.slice(0, 4), ...second.lines(), ...lines.slice(4), ...peers], 8],
  ];
  for (const [at, [name, rows, chains]] of cases.entries()) {
    const path = peerStore(join(place.workspace, `peer${at}.db`), rows);
    const found = await verify(place, path, ...keys);
    const { whole, trusted, count } = found.verdict;
    assert.deepEqual(
      [found.code, whole, trusted, count],
      [0, true, "given", rows.length],
      `${name}: ${found.verdict.fault?.detail}`,
    );
    assert.equal(found.verdict.chains, chains, name);
  }
  const all = peerStore(join(place.workspace, "all.db"), [...peers, ...lines]);
  const strangers = await verify(place, all, "--trust", ledger.publicPem);
  assert.deepEqual([strangers.code, strangers.verdict.fault.code], [1, "INVALID_SIGNATURE"]);
  const witness = writeWitness(join(place.workspace, "witness"), [await ledger.note(lines)]);
  const confirmed = await verify(place, all, ...keys, "--witness", witness);
  assert.deepEqual([confirmed.code, confirmed.verdict.witnessedSize], [0, lines.length]);

  const tampered: readonly (readonly [name: string, rows: readonly string[], code: string, index: number])[] = [
    ["the root's first removed", [...peers, ...lines.slice(1)], "ANCHOR_MISMATCH", 0],
    ["one removed", [...peers, ...lines.toSpliced(4, 1)], "SEQUENCE_GAP", 5],
    ["one changed", [...peers, ...lines.with(5, flip(lines[5] as string, "allow"))], "INVALID_SIGNATURE", 5],
    ["the end of a session removed", [...peers, ...lines.slice(0, 8), ...lines.slice(9)], "ANCHOR_MISMATCH", 9],
  ];
  for (const [at, [name, rows, code, index]] of tampered.entries()) {
    const found = await verify(place, peerStore(join(place.workspace, `changed${at}.db`), rows), ...keys);
    const { fault } = found.verdict;
    assert.deepEqual([found.code, fault?.code, fault?.index], [1, code, index], `${name}: ${fault?.detail}`);
  }
  const cut = await verify(
    place,
    peerStore(join(place.workspace, "cut.db"), [...peers, ...lines.slice(0, -1)]),
    ...keys,
    "--witness",
    witness,
  );
  assert.deepEqual([cut.code, cut.verdict.fault.code], [1, "TRUNCATED"]);

  const unordered = peerStore(join(place.workspace, "unordered.db"), lines, "WITHOUT ROWID");
  const refused = await place.run("receipts", "verify", unordered, ...keys);
  assert.deepEqual([refused.code, /doesn't keep the order/.test(refused.stderr)], [2, true], refused.stderr);
});

test("more than is checked on one thread comes out in its order", async (t) => {
  const place = new Place(t);
  const ledger = await Ledger.make(
    place.home,
    Array.from({ length: 1_500 }, (_, n) => (n % 3 === 0 ? null : `s${n % 7}`)),
  );
  const whole = await verify(place);
  assert.deepEqual([whole.code, whole.verdict.count, whole.verdict.chains], [0, 1_501, 8]);
  // Lists of a time look only where these say that it is.
  for (const [round, [statement, index]] of [
    ["UPDATE receipt_span SET from_ms = from_ms + 1", 1_023],
    ["DELETE FROM receipt_span", 1_023],
    ["UPDATE receipt_span SET first = 2", 1_023],
    ["INSERT INTO receipt_span VALUES (7, 0, 1)", 1_029],
    ["INSERT INTO receipt_span VALUES (1025, 0, 1)", 1_501],
  ].entries() as Iterable<[number, [string, number]]>) {
    const copy = ledger.copyTo(join(place.workspace, `span${round}`));
    copy.tamper(statement);
    const { fault } = await verdictOn(copy.database, { home: place.home, trust: [ledger.publicPem], witness: [] });
    assert.deepEqual([fault?.code, fault?.index], ["INDEX_MISMATCH", index], `${statement}: ${fault?.detail}`);
  }
  const older = ledger.copyTo(join(place.workspace, "no-spans"));
  older.tamper("DROP TABLE receipt_span");
  assert.equal((await verify(place, older.database)).code, 0);
  ledger.tamper("UPDATE receipt SET raw = replace(raw, '\"allow\"', '\"deny\"') WHERE seq IN (1200, 1400)");
  const { fault } = (await verify(place)).verdict;
  assert.deepEqual([fault.code, fault.index, fault.seq], ["INVALID_SIGNATURE", 1_199, 1_200]);
});

function lineOf(receipt: object): string {
  return JSON.stringify(receipt);
}

function withFirst<T extends object>(bundle: T, list: keyof T, more: object): T {
  const [first, ...rest] = bundle[list] as readonly object[];
  return { ...bundle, [list]: [{ ...first, ...more }, ...rest] };
}

function withNewWords(draft: ReceiptDraft): ReceiptDraft {
  return { ...draft, id: draft.id.replace(/.{4}$/, "0000") };
}

function rotateTo(draft: ReceiptDraft, oldKey: Uint8Array, newKey: Uint8Array): ReceiptDraft {
  const { action } = draft.credentialSubject;
  const subject = { ...draft.credentialSubject, action: { ...action, type: "agent.key.rotate", risk_level: "high" } };
  return {
    ...draft,
    credentialSubject: { ...subject, keyRotation: describeRotation({ oldKey, newKey }, crypto) },
  } as ReceiptDraft;
}

function refTo(root: string, sequence: number, named: string) {
  return { chain_id: factsOf(root).chainId, sequence, receipt_hash: factsOf(named).hash };
}

function resigned(line: string): string {
  return line.replace(/("proofValue":"u)(.)/, (_, before, first) => before + (first === "A" ? "B" : "A"));
}

/** One bit of the last character of `mark`. */
function flip(line: string, mark: string): string {
  const at = line.indexOf(mark) + mark.length - 1;
  assert.ok(at >= mark.length - 1);
  return line.slice(0, at) + String.fromCharCode(line.charCodeAt(at) ^ 1) + line.slice(at + 1);
}

/** As Agent Receipts' own libraries keep receipts, in this order. */
function peerStore(path: string, lines: readonly string[], kind = ""): string {
  const db = new DatabaseSync(path);
  const columns = "id TEXT PRIMARY KEY, chain_id TEXT, sequence INTEGER, receipt_json TEXT NOT NULL";
  db.exec(`CREATE TABLE receipts (${columns}) ${kind}`);
  const insert = db.prepare("INSERT INTO receipts VALUES (?, ?, ?, ?)");
  for (const line of lines) insert.run(factsOf(line).id, factsOf(line).chainId, factsOf(line).sequence, line);
  db.close();
  return path;
}

/** Two chains of three, as another program writes them: not in our words, and not in canonical order. */
function peerChains(privatePem: string, verificationMethod: string): string[] {
  const signer = signerFromPem(privatePem);
  const lines: string[] = [];
  for (const chainId of ["one", "two"]) {
    let previous: string | null = null;
    for (let sequence = 1; sequence <= 3; sequence += 1) {
      const unsigned = peerReceipt({ chain_id: chainId, sequence, previous_receipt_hash: previous });
      previous = hashReceipt(unsigned, crypto);
      const signature = signer.sign(Buffer.from(canonicalize(unsigned))) as Uint8Array;
      const proofValue = `u${Buffer.from(signature).toString("base64url")}`;
      const type = "Ed25519Signature2020";
      const proof = { type, created: AT, verificationMethod, proofPurpose: "assertionMethod", proofValue };
      lines.push(JSON.stringify({ ...unsigned, proof }));
    }
  }
  return lines;
}

const AT = "2026-01-31T12:00:00Z";

function peerReceipt(chain: object): object {
  return {
    version: "0.5.0",
    "@context": ["https://www.w3.org/ns/credentials/v2", "https://agentreceipts.ai/context/v2"],
    id: `urn:receipt:${randomUUID()}`,
    type: ["VerifiableCredential", "AgentReceipt"],
    issuer: { id: "did:agent:peer" },
    issuanceDate: AT,
    credentialSubject: {
      principal: { id: "did:user:ann" },
      action: { id: `act_${randomUUID()}`, type: "filesystem.file.read", risk_level: "low", timestamp: AT },
      outcome: { status: "success" },
      chain,
    },
  };
}
