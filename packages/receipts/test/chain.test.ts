// Chains that this library writes, changed in every way that a record can be, and read by the verifier.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ChainOptions,
  type ChainReport,
  ChainVerifier,
  type FaultCode,
  ownDidKey,
  precheckReceipts,
  trustKey,
  webCrypto,
} from "@countersign/receipts";
import { pooledNodeCrypto } from "@countersign/receipts/node";
import fc from "fast-check";
import { crypto, draftOf, newSigner, SampleChain, withSubject } from "./sample-chain.ts";

const signer = newSigner();
const LENGTH = 12;
const { raws } = await SampleChain.of(LENGTH, signer);
const other = await SampleChain.of(LENGTH, signer, "chain-other");
const stranger = await SampleChain.of(LENGTH);
const canonical = { crypto, keys: trustKey(signer.publicKey), bytes: "canonical" } as const;

async function verify(chain: readonly Uint8Array[], options: ChainOptions = canonical): Promise<ChainReport> {
  const verifier = new ChainVerifier(options);
  for (const raw of chain) await verifier.feed(raw);
  return verifier.finish();
}

async function faultOf(
  chain: readonly Uint8Array[],
  options: ChainOptions = canonical,
): Promise<[FaultCode, number] | null> {
  const { fault } = await verify(chain, options);
  return fault && [fault.code, fault.index];
}

const at = fc.nat(LENGTH - 1);

test("a chain as it was written is whole, with any crypto", async () => {
  for (const each of [crypto, pooledNodeCrypto(), webCrypto()]) {
    for (const keys of [trustKey(signer.publicKey), ownDidKey]) {
      const report = await verify(raws, { crypto: each, keys, bytes: "canonical" });
      assert.deepEqual([report.fault, report.count, report.ending], [null, LENGTH, "unknown"]);
      assert.deepEqual(report.publicKey, signer.publicKey);
      assert.equal(report.head?.sequence, LENGTH);
    }
  }
  assert.equal((await verify([])).isWhole, true);
});

test("any bit changed anywhere is found, at its receipt", async () => {
  const allowed: readonly FaultCode[] = [
    "MALFORMED_RECEIPT",
    "INVALID_SIGNATURE",
    "CHAIN_MISMATCH",
    "ISSUER_MISMATCH",
    "BROKEN_LINK",
  ];
  await fc.assert(
    fc.asyncProperty(at, fc.nat(), fc.nat(7), async (index, place, bit) => {
      const raw = Uint8Array.from(raws[index] as Uint8Array);
      const byte = place % raw.length;
      raw[byte] = (raw[byte] as number) ^ (1 << bit);
      const fault = await faultOf(raws.with(index, raw));
      assert.ok(fault, `bit ${bit} of byte ${byte} of receipt ${index} went unseen`);
      assert.equal(fault[1], index);
      assert.ok(allowed.includes(fault[0]), fault[0]);
    }),
    { numRuns: 1_500 },
  );
});

test("every bit of the proof counts, signed or not", async () => {
  const text = new TextDecoder().decode(raws[3]);
  const start = new TextEncoder().encode(text.slice(0, text.indexOf('"proof"'))).length;
  const end = new TextEncoder().encode(text.slice(0, text.indexOf('"type":["Verif'))).length;
  assert.ok(start > 0 && end > start + 300);
  for (let byte = start; byte < end; byte += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const raw = Uint8Array.from(raws[3] as Uint8Array);
      raw[byte] = (raw[byte] as number) ^ (1 << bit);
      assert.equal((await faultOf(raws.with(3, raw)))?.[1], 3, `bit ${bit} of byte ${byte}`);
    }
  }
});

test("other bytes of the same receipt pass only where they may", async () => {
  const pretty = new TextEncoder().encode(JSON.stringify(JSON.parse(new TextDecoder().decode(raws[2])), null, 2));
  assert.equal(await faultOf(raws.with(2, pretty), { ...canonical, bytes: "any" }), null);
  const { fault } = await verify(raws.with(2, pretty));
  assert.deepEqual([fault?.code, fault?.reason, fault?.index], ["MALFORMED_RECEIPT", "NOT_CANONICAL", 2]);
});

test("a receipt taken out, put in twice, swapped, or taken from elsewhere is named", async () => {
  await fc.assert(
    fc.asyncProperty(at, async (index) => {
      const last = index === LENGTH - 1;
      // A chain without its first receipt begins with one that names a receipt which isn't there.
      assert.deepEqual(await faultOf(raws.toSpliced(index, 1)), last ? null : ["SEQUENCE_GAP", index]);
      assert.deepEqual(await faultOf(raws.toSpliced(index, 0, raws[index] as Uint8Array)), ["SEQUENCE_GAP", index + 1]);
      if (!last) {
        const swapped = raws.with(index, raws[index + 1] as Uint8Array).with(index + 1, raws[index] as Uint8Array);
        assert.deepEqual(await faultOf(swapped), ["SEQUENCE_GAP", index]);
      }
      const spliced = raws.with(index, other.raws[index] as Uint8Array);
      assert.deepEqual(await faultOf(spliced), ["CHAIN_MISMATCH", index === 0 ? 1 : index]);
      const foreign = raws.with(index, stranger.raws[index] as Uint8Array);
      // The first receipt is what the chain is held against: under a trusted key a stranger's fails by itself.
      assert.deepEqual(await faultOf(foreign), index === 0 ? ["INVALID_SIGNATURE", 0] : ["ISSUER_MISMATCH", index]);
    }),
    { numRuns: 30 },
  );
});

test("a key that nobody rotated to signs nothing, whatever the proof says", async () => {
  const swapped = new SampleChain(signer);
  for (let count = 0; count < 3; count += 1) await swapped.append();
  swapped.signWith(newSigner());
  await swapped.append();
  assert.deepEqual(await faultOf(swapped.raws), ["INVALID_SIGNATURE", 3]);
  assert.deepEqual(await faultOf(swapped.raws, { ...canonical, keys: ownDidKey }), ["INVALID_SIGNATURE", 3]);
});

test("a second history is called a fork", async () => {
  const forked = await SampleChain.of(5, signer);
  const twin = new SampleChain(signer);
  for (let count = 0; count < 4; count += 1) await twin.append();
  await twin.append((draft) => withSubject(draft, { correlation_id: "another" }));
  const both = [...forked.raws, twin.raws[4] as Uint8Array];
  assert.deepEqual(await faultOf(both), ["FORKED", 5]);
  // Whoever remembers one of them finds the other out.
  const expectHead = forked.head ?? undefined;
  assert.ok(expectHead);
  assert.deepEqual(await faultOf(twin.raws, { ...canonical, expectHead }), ["FORKED", 4]);
  assert.equal(await faultOf(forked.raws, { ...canonical, expectHead }), null);
  assert.deepEqual(await faultOf(forked.raws.slice(0, 3), { ...canonical, expectHead }), ["TRUNCATED", 3]);
});

test("a cut tail is found by those who remember more, and not otherwise, as documented", async () => {
  const chain = await SampleChain.of(4, signer);
  await chain.append((draft) => ({ ...draft, terminal: true, status: "interrupted" }));
  const report = await verify(chain.raws, { ...canonical, requireTerminal: true });
  assert.deepEqual([report.fault, report.ending], [null, "interrupted"]);
  assert.deepEqual(await faultOf(chain.raws.slice(0, -1), { ...canonical, requireTerminal: true }), ["TRUNCATED", 4]);
  assert.equal(await faultOf(chain.raws.slice(0, -1)), null);
});

test("nothing follows a terminal receipt", async () => {
  const chain = await SampleChain.of(2, signer);
  await chain.append((draft) => ({ ...draft, terminal: true }));
  await chain.append();
  assert.deepEqual(await faultOf(chain.raws), ["AFTER_TERMINAL", 3]);
});

test("without a key for what the proof names there is no verdict", async () => {
  assert.deepEqual(await faultOf(raws, { ...canonical, keys: () => null }), ["UNRESOLVABLE_DID", 0]);
});

test("the first fault is named, however late the signatures are answered", async () => {
  const raw = Uint8Array.from(raws[4] as Uint8Array);
  raw[raw.length - 30] = (raw[raw.length - 30] as number) ^ 1;
  const text = new TextDecoder().decode(raws[1]).replace("proposal-2", "proposal-9");
  const changed = raws.with(1, new TextEncoder().encode(text)).with(4, raw).toSpliced(7, 1);
  for (const each of [pooledNodeCrypto(), webCrypto()]) {
    assert.deepEqual(await faultOf(changed, { ...canonical, crypto: each }), ["INVALID_SIGNATURE", 1]);
  }
});

test("a failure of the crypto is no verdict", async () => {
  const broken = { ...crypto, verify: () => Promise.reject(new Error("no device")) };
  await assert.rejects(verify(raws, { ...canonical, crypto: broken }), { message: "signatures could not be checked" });
});

test("what workers found comes to the same, and where they guessed another key it is asked again", async () => {
  const text = new TextDecoder().decode(raws[5]).replace("proposal-6", "proposal-7");
  const changed = raws.with(5, new TextEncoder().encode(text));
  for (const publicKey of [signer.publicKey, newSigner().publicKey]) {
    for (const chain of [raws, changed, raws.with(6, new Uint8Array(0)), raws.toSpliced(3, 1)]) {
      const prechecks = await precheckReceipts(chain, crypto, { publicKey, bytes: "canonical" });
      const verifier = new ChainVerifier(canonical);
      for (const [index, precheck] of structuredClone(prechecks).entries()) {
        await verifier.feedPrechecked(chain[index] as Uint8Array, precheck);
      }
      assert.deepEqual(await verifier.finish(), await verify(chain));
    }
  }
});

test("a session without its end and an action without its outcome are pointed out", async () => {
  const chain = new SampleChain(signer);
  const pty = (type: string, correlator: string, status: "success" | "failure" = "success") =>
    chain.append((draft) => {
      const action = { ...draft.credentialSubject.action, type, risk_level: "critical" as const };
      return withSubject(draft, { action, outcome: { status }, correlation_id: correlator });
    });
  await pty("system.pty.open", "pty-1");
  await pty("system.pty.open", "pty-2");
  await pty("system.pty.close", "pty-1");
  await chain.append((draft) => withSubject(draft, { outcome: { status: "pending" }, correlation_id: "p-1" }));
  await chain.append((draft) => withSubject(draft, { outcome: { status: "pending" }, correlation_id: "p-2" }));
  await chain.append((draft) => withSubject(draft, { correlation_id: "p-1" }));
  // Refused: there is nothing that would end.
  await pty("system.pty.open", "pty-3", "failure");
  const { isWhole, advisories } = await verify(chain.raws);
  assert.ok(isWhole);
  assert.deepEqual(advisories, [
    { code: "incomplete_session", index: 1, subject: "pty-2" },
    { code: "incomplete_tool_roundtrip", index: 4, subject: "p-2" },
  ]);
});

test("a draft is what it was before it was signed", async () => {
  const draft = draftOf(1, "did:x:y");
  const copy = structuredClone(draft);
  const chain = new SampleChain(signer);
  await chain.append(() => draft);
  assert.deepEqual(draft, copy);
});
