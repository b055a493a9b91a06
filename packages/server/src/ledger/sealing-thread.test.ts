import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createReceipt, type ReceiptDraft, type UnsealedReceipt } from "@countersign/receipts";
import { generateSigningKey, nodeCrypto } from "@countersign/receipts/node";
import { keysFrom, type LedgerKeys } from "./ledger-keys.ts";
import { textsIn } from "./sealed-bytes.ts";

function newKeys(): LedgerKeys {
  return keysFrom(generateSigningKey().privatePem, { nextFingerprint: `sha256:${"0".repeat(64)}`, chainPart: "" });
}

function receipt(name: string): UnsealedReceipt {
  const at = "2026-01-02T03:04:05.678Z";
  const draft: ReceiptDraft = {
    id: "urn:receipt:0197a7a0-0000-7000-8000-000000000001",
    issuer: { id: "did:key:z6Mk", runtime: { channel: name } },
    issuanceDate: at,
    credentialSubject: {
      principal: { id: "did:user:ann" },
      action: {
        id: "act_0197a7a0-0000-7000-8000-000000000002",
        type: "system.command.execute",
        risk_level: "high",
        timestamp: at,
      },
      outcome: { status: "success" },
    },
  };
  return createReceipt(draft, { chainId: "root", head: null }, nodeCrypto());
}

function now(keys: LedgerKeys, one: UnsealedReceipt): string {
  return Buffer.from(keys.sealer.sealNow(one)).toString();
}

test("what another thread signs is what this one would have, in the same order, whatever its letters", async () => {
  const keys = newKeys();
  const receipts = Array.from({ length: 50 }, (_, at) => receipt(`${at} – ü 漢 😀`.slice(0, at + 1).toWellFormed()));
  assert.deepEqual(
    textsIn(await keys.sealAll(receipts)),
    receipts.map((one) => now(keys, one)),
  );
});

test("several ledgers at once each get their own key's signatures", async () => {
  const ledgers = Array.from({ length: 5 }, newKeys);
  const one = receipt("shared");
  const sealed = await Promise.all(ledgers.map(async (keys) => textsIn(await keys.sealAll([one, one]))));
  assert.deepEqual(
    sealed,
    ledgers.map((keys) => [now(keys, one), now(keys, one)]),
  );
});

test("one that can't be sealed fails its own batch by its code, and no other", async () => {
  const keys = newKeys();
  const one = receipt("fine");
  const oversize = { ...one, message: new Uint8Array(2 ** 20), proofAt: 0 };
  const results = await Promise.allSettled([keys.sealAll([one]), keys.sealAll([one, oversize]), keys.sealAll([one])]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.match(String((results[1] as PromiseRejectedResult).reason), /bytes/);
});

test("a process that waits for signatures gets them, and ends by itself", () => {
  const url = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
  const script = `
    const { keysFrom } = await import(${url("./ledger-keys.ts")});
    const { generateSigningKey } = await import("@countersign/receipts/node");
    const keys = keysFrom(generateSigningKey().privatePem, { nextFingerprint: "", chainPart: "" });
    const message = new TextEncoder().encode("{}");
    console.log((await keys.sealAll([{ message, proofAt: 1, receipt: { issuanceDate: "now" } }])).lengths.length);`;
  const { stdout, stderr, signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    ...{ encoding: "utf8", timeout: 120_000 },
    cwd: fileURLToPath(new URL(".", import.meta.url)),
  });
  assert.deepEqual([stdout, signal], ["1\n", null], stderr);
});
