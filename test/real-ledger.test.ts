import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ownDidKey, type Receipt, readCheckpoint, verifyReceipt } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { Place } from "../packages/cli/test/countersign.ts";
import { emitFrames, frameOfSandbox } from "../packages/cli/test/emit-frames.ts";
import { keepKnown, schemaFaults } from "../packages/receipts/test/peer-schema.ts";
import { WITHOUT_DATA } from "../packages/receipts/test/shared-data.ts";

const crypto = nodeCrypto();
const UID = process.getuid?.() ?? 0;

/** What a hub and its recorder write of many kinds, as it is exported. */
async function makeLedger(place: Place): Promise<readonly string[]> {
  mkdirSync(place.home, { mode: 0o700 });
  const config = { receipts: { emitters: [{ uid: UID, role: "relay" }] } };
  writeFileSync(join(place.home, "config.json"), JSON.stringify(config), { mode: 0o600 });
  const hub = await place.serve();
  const ran = await place.run("exec", "--", "echo", "é");
  assert.equal(ran.code, 0, ran.stderr);
  await place.run("pause");
  assert.notEqual((await place.run("exec", "--", "echo", "denied")).code, 0);
  await place.run("resume");
  await emitFrames(
    place,
    frameOfSandbox("box-1", "system.command.execute", {
      input: { command: "ls" },
      output: { exit_code: 0 },
      drop_count: 2,
    }),
    frameOfSandbox("box-1", "filesystem.file.read", { input: { path: "/a" }, error: "gone", correlation_id: "c-1" }),
    {
      channel: "sdk",
      operator_id: "did:org:x",
      agent_id: "a-1",
      idempotency_key: "k-1",
      issuer_name: "n",
      issuer_model: "m",
    },
    { channel: "sdk", operator_id: "did:org:x", operator_name: "" },
  );
  const rotated = await place.run("receipts", "rotate", "--yes");
  assert.equal(rotated.code, 0, rotated.stderr);
  await emitFrames(place, frameOfSandbox("box-1", "system.command.execute"));
  await hub.stop();
  const file = join(place.workspace, "evidence.jsonl");
  const exported = await place.run("receipts", "export", "--jsonl", file);
  assert.equal(exported.code, 0, exported.stderr);
  return readFileSync(file, "utf8").trimEnd().split("\n");
}

const WHAT =
  "what a hub and its recorder really write validates, and verifies after unknown and empty members were dropped";
test(WHAT, { skip: WITHOUT_DATA }, async (t) => {
  const faultsOf = schemaFaults();
  const lines = await makeLedger(new Place(t));
  const kinds = new Set<unknown>();
  for (const line of lines) {
    const receipt = JSON.parse(line) as Receipt;
    kinds.add(receipt.issuer.runtime?.entry ?? receipt.credentialSubject.action.type);
    assert.equal(faultsOf(receipt), null, line);
    const reduced = new TextEncoder().encode(JSON.stringify(keepKnown(receipt)));
    const check = await verifyReceipt(reduced, { crypto, keys: ownDidKey });
    assert.ok(check.isValid, `${JSON.stringify(check)} ${line}`);
  }
  const needed = ["ledger-opened", "hub-up", "decided", "started", "ended", "paused", "resumed", "key-rotated"];
  const emitted = ["system.command.execute", "filesystem.file.read", "agent_receipts.events_dropped"];
  for (const kind of [...needed, "hub-down", "checkpoint", ...emitted]) assert.ok(kinds.has(kind), `${kind}`);
});

test("the tree that checkpoints sign is the one that RFC 6962 describes, worked out in another way", async (t) => {
  const lines = await makeLedger(new Place(t));
  const leaves = lines.map((line) => sha256(Uint8Array.of(0), messageHash(line)));
  let checked = 0;
  for (const [at, line] of lines.entries()) {
    const note = (JSON.parse(line) as Receipt).issuer.runtime?.checkpoint;
    if (typeof note !== "string") continue;
    const { size, root } = readCheckpoint(note) ?? assert.fail(note);
    assert.equal(size, at);
    assert.deepEqual(Buffer.from(root), rootOf(leaves.slice(0, size)));
    checked += 1;
  }
  assert.ok(checked > 0);
});

/** RFC 6962 2.1, word by word: nothing of what writes or verifies. */
function rootOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0] as Buffer;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha256(Uint8Array.of(1), rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

/** What is signed stands around the proof, which is the last member but `type` and `version`. */
function messageHash(line: string): Buffer {
  const message = line.replace(/,"proof":\{[^{}]*\}/, "");
  assert.notEqual(message, line);
  return sha256(Buffer.from(message));
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}
