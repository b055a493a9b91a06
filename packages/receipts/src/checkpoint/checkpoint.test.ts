import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fromBase64, toBase64 } from "../crypto/base64.ts";
import { utf8Bytes } from "../crypto/bytes.ts";
import { generateSigningKey, nodeCrypto, signerFromPem } from "../crypto/node-crypto.ts";
import { TreeFrontier } from "../merkle/frontier.ts";
import { proveConsistency } from "../merkle/prove.ts";
import { checkpointText, openCheckpoint, readCheckpointText, signCheckpoint } from "./checkpoint.ts";
import { checkCosignatures, cosignCheckpoint } from "./cosign.ts";
import { compareWithMemory } from "./memory.ts";
import { noteKeyId, readNote, writeNote } from "./note.ts";

const crypto = nodeCrypto();
const newSigner = () => signerFromPem(generateSigningKey().privatePem);
const log = newSigner();
const phone = newSigner();
const origin = "countersign.dev/installation-1/epoch-1";
const root = crypto.sha256(utf8Bytes("root"));
const witness = { name: "phone.ann", publicKey: phone.publicKey };

async function cosigned(): Promise<string> {
  const note = await signCheckpoint({ origin, size: 20852163, root }, log, crypto);
  return cosignCheckpoint(note, { name: witness.name, signer: phone, atSeconds: 1679315147 }, crypto);
}

test("the checkpoint that C2SP shows as its example is read line by line", () => {
  const source =
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n" +
    "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n" +
    "— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n";
  const note = readNote(source);
  assert.ok(note);
  assert.equal(writeNote(note), source);
  assert.deepEqual(
    note.signatures.map(({ name, signature }) => [name, signature.length]),
    [
      ["example.com/behind-the-sofa", 64],
      ["witness.example.com/w1", 72],
    ],
  );
  const checkpoint = readCheckpointText(note.text);
  assert.equal(checkpoint?.size, 20852163);
  assert.equal(toBase64(checkpoint.root), "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=");
});

test("a signed checkpoint opens with its key, cosigned or not", async () => {
  const source = await cosigned();
  const opened = await openCheckpoint(source, log.publicKey, crypto);
  assert.ok(opened.kind === "checkpoint");
  assert.deepEqual([opened.checkpoint.origin, opened.checkpoint.size], [origin, 20852163]);
  assert.deepEqual(Buffer.from(opened.checkpoint.root), Buffer.from(root));
  assert.deepEqual(await checkCosignatures(source, [witness], crypto), [{ name: "phone.ann", atSeconds: 1679315147 }]);
  // Whom one doesn't know is passed over, and the log's own key is no witness.
  assert.deepEqual(await checkCosignatures(source, [{ name: origin, publicKey: log.publicKey }], crypto), []);
  assert.deepEqual(await openCheckpoint(source, phone.publicKey, crypto), { kind: "refused", fault: "UNKNOWN_SIGNER" });
});

test("any bit changed in a cosigned checkpoint costs it one of its signatures", async () => {
  const bytes = utf8Bytes(await cosigned());
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
      const changed = Buffer.from(bytes.with(at, (bytes[at] as number) ^ (1 << bit))).toString("utf8");
      const opened = await openCheckpoint(changed, log.publicKey, crypto);
      const witnesses = await checkCosignatures(changed, [witness], crypto);
      assert.ok(opened.kind === "refused" || witnesses?.length !== 1, JSON.stringify(changed));
    }),
    { numRuns: 1_000 },
  );
});

test("a signature by the wrong key under the right name is refused, not passed over", async () => {
  const text = checkpointText({ origin, size: 1, root });
  const keyId = noteKeyId({ name: origin, publicKey: log.publicKey }, 0x01, crypto);
  const forged = writeNote({
    text,
    signatures: [{ name: origin, keyId, signature: await phone.sign(utf8Bytes(text)) }],
  });
  assert.deepEqual(await openCheckpoint(forged, log.publicKey, crypto), { kind: "refused", fault: "BAD_SIGNATURE" });
  const lineId = noteKeyId(witness, 0x04, crypto);
  const short = writeNote({ text, signatures: [{ name: witness.name, keyId: lineId, signature: new Uint8Array(64) }] });
  assert.equal(await checkCosignatures(short, [witness], crypto), null);
});

test("what isn't a note or a checkpoint is neither", async () => {
  const line = "— name AAAAAAAA\n";
  for (const source of [
    "",
    "\n",
    "text\n",
    "text\n\n",
    `text\n\n${line.slice(0, -1)}`,
    `text\n\n${line}\r\n`,
    `te\u0000xt\n\n${line}`,
    `text\n\n${line}other\n`,
    "text\n\n— na+me AAAAAAAA\n",
    "text\n\n— name AAAA\n",
    "text\n\n— name !!!!\n",
    `text\n\n${line.repeat(65)}`,
    `${"x".repeat(70_000)}\n\n${line}`,
    `\ud800\n\n${line}`,
  ]) {
    assert.equal(readNote(source), null, JSON.stringify(source.slice(0, 40)));
  }
  const good = toBase64(root);
  for (const text of [
    "",
    `o\n1\n${good}`,
    `\n1\n${good}\n`,
    `o\n01\n${good}\n`,
    `o\n-1\n${good}\n`,
    `o\n1e3\n${good}\n`,
    `o\n9007199254740993\n${good}\n`,
    "o\n1\nAAAA\n",
    `o\n1\n${good}\n\n`,
  ]) {
    assert.equal(readCheckpointText(text), null, JSON.stringify(text));
  }
  assert.ok(readCheckpointText(`o\n0\n${good}\nan extension\n`));
  assert.deepEqual(await openCheckpoint(`text\n\n${line}`, log.publicKey, crypto), {
    kind: "refused",
    fault: "BAD_CHECKPOINT",
  });
  assert.equal(fromBase64(good)?.length, 32);
});

test("names and origins that would break a note's lines aren't written", async () => {
  await assert.rejects(signCheckpoint({ origin: "two\nlines", size: 1, root }, log, crypto), { code: "INVALID_NOTE" });
  await assert.rejects(signCheckpoint({ origin: "a space", size: 1, root }, log, crypto), { code: "INVALID_NOTE" });
  const note = await signCheckpoint({ origin, size: 1, root }, log, crypto);
  const cosigner = { signer: phone, atSeconds: 1 };
  await assert.rejects(cosignCheckpoint(note, { ...cosigner, name: "a+b" }, crypto), { code: "INVALID_NOTE" });
  await assert.rejects(cosignCheckpoint("no note", { ...cosigner, name: "ok" }, crypto), { code: "INVALID_NOTE" });
});

test("a witness tells growth from a cut tail and from another history", async () => {
  const nodes = new Map<string, Uint8Array>();
  const tree = new TreeFrontier(crypto);
  const fork = new TreeFrontier(crypto);
  const heads = [];
  for (let leaf = 0; leaf < 20; leaf += 1) {
    for (const { level, index, hash } of tree.append(crypto.sha256(Uint8Array.of(leaf))))
      nodes.set(`${level}/${index}`, hash);
    fork.append(crypto.sha256(Uint8Array.of(leaf === 7 ? 99 : leaf)));
    heads.push({ size: tree.size, root: tree.root(), other: fork.root() });
  }
  const read = (level: number, index: number) => nodes.get(`${level}/${index}`) as Uint8Array;
  const [seen, now] = [heads[11], heads[19]];
  assert.ok(seen && now);
  const proof = await proveConsistency({ from: 12, to: 20 }, read, crypto);
  assert.equal(compareWithMemory(seen, { ...now, proof }, crypto), "grown");
  assert.equal(compareWithMemory(seen, { ...seen, proof: [] }, crypto), "same");
  assert.equal(compareWithMemory(now, { ...seen, proof }, crypto), "rolled-back");
  assert.equal(compareWithMemory(seen, { size: 12, root: seen.other, proof: [] }, crypto), "forked");
  assert.equal(compareWithMemory(seen, { size: 20, root: now.other, proof }, crypto), "forked");
});
