// What we write: valid by the format's own schema, unchanged by a reader that drops what it doesn't know, and nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createReceipt,
  describeRotation,
  MAX_RECEIPT_BYTES,
  OUR_TYPES,
  PEER_TYPES,
  type ReceiptDraft,
  ReceiptError,
  riskOf,
  runtimeField,
  trustKey,
  verifyReceipt,
} from "@countersign/receipts";
import { keepKnown, schemaFaults } from "./peer-schema.ts";
import { crypto, draftOf, newSigner, SampleChain, withRuntime, withSubject } from "./sample-chain.ts";
import { WITHOUT_DATA } from "./shared-data.ts";

const skip = { skip: WITHOUT_DATA };
const signer = newSigner();
const HASH = `sha256:${"0f".repeat(32)}`;

/** Every field that we can write. */
function full(draft: ReceiptDraft): ReceiptDraft {
  const { action } = draft.credentialSubject;
  return withRuntime(
    withSubject(
      {
        ...draft,
        issuer: { ...draft.issuer, name: "hub", model: "m-1", operator: { id: "did:org:x", name: "X" } },
      },
      {
        action: {
          ...action,
          peer_credential: { platform: "linux", pid: 1, uid: 0, gid: 0, exe_path: "/bin/é" },
          emitter_metadata: { drop_count: 3 },
          idempotency_key: "frame-1",
          trusted_timestamp: "AAAA",
          parameters_disclosure: {
            v: "1",
            alg: "hpke-x25519-hkdf-sha256-aes-256-gcm",
            recipients: [{ kid: "k", enc: "A".repeat(43) }],
            ct: "A".repeat(24),
          },
        },
        outcome: {
          status: "failure",
          error: "exit 1",
          reversible: false,
          reversal_method: "none",
          reversal_window_seconds: 0,
          reversal_of: draft.id,
          state_change: { before_hash: HASH, after_hash: HASH },
          response_hash: HASH,
        },
        intent: { conversation_hash: HASH, prompt_preview: "p", prompt_preview_truncated: true, reasoning_hash: HASH },
        authorization: {
          scopes: ["exec"],
          granted_at: draft.issuanceDate,
          expires_at: draft.issuanceDate,
          grant_ref: "g",
        },
        delegation: { parent_chain_id: "c", parent_receipt_id: draft.id, delegator: { id: "did:x:y" } },
      },
    ),
    { binding: { sandbox: "s" }, coverage: { placement: "A" }, attestation: "hub", weights: [1, 2.5, -0, 1e21] },
  );
}

/** A change of the key, as the recorder writes it. */
function rotation(draft: ReceiptDraft): ReceiptDraft {
  const keyRotation = describeRotation({ oldKey: signer.publicKey, newKey: newSigner().publicKey }, crypto);
  const action = { ...draft.credentialSubject.action, type: "agent.key.rotate" };
  const continues = { chain_id: "c", sequence: 1, receipt_hash: HASH };
  return withRuntime(withSubject(draft, { action, keyRotation }), { nextKey: HASH, continues });
}

async function written(): Promise<Uint8Array[]> {
  const chain = await SampleChain.of(2, signer);
  await chain.append(full);
  await chain.append(rotation);
  await chain.append((draft) => ({ ...draft, terminal: true, status: "complete" }));
  return chain.raws;
}

test("validates against the format's schema", skip, async () => {
  const faultsOf = schemaFaults();
  for (const raw of await written()) assert.equal(faultsOf(JSON.parse(new TextDecoder().decode(raw))), null);
});

test(
  "still verifies after a reader has dropped every field that the schema doesn't name, and every empty one",
  skip,
  async () => {
    for (const raw of await written()) {
      const reduced = keepKnown(JSON.parse(new TextDecoder().decode(raw)));
      const bytes = new TextEncoder().encode(JSON.stringify(reduced));
      const check = await verifyReceipt(bytes, { crypto, keys: trustKey(signer.publicKey) });
      assert.ok(check.isValid, JSON.stringify(check));
    }
  },
);

test("every type is written with its risk, and not with less", () => {
  const types = Object.keys({ ...PEER_TYPES, ...OUR_TYPES }) as (keyof typeof PEER_TYPES)[];
  for (const type of types) {
    const draft = draftOf(1, "did:x:y");
    const withRisk = (risk_level: "low" | "medium" | "high" | "critical") =>
      withSubject(draft, { action: { ...draft.credentialSubject.action, type, risk_level } });
    const place = { chainId: "c", head: null };
    assert.equal(createReceipt(withRisk(riskOf(type)), place, crypto).head.sequence, 1);
    assert.equal(riskOf(type, "critical"), "critical");
    if (riskOf(type) !== "low") {
      assert.throws(() => createReceipt(withRisk("low"), place, crypto), { code: "RISK_BELOW_FLOOR" }, type);
    }
  }
});

test("what the format doesn't have isn't signed", () => {
  const draft = draftOf(1, "did:x:y");
  const { action } = draft.credentialSubject;
  const cases: readonly (readonly [string, unknown])[] = [
    ["id", { ...draft, id: "urn:receipt:1" }],
    ["action id", withSubject(draft, { action: { ...action, id: "act_1" } })],
    ["tool_name", withSubject(draft, { action: { ...action, tool_name: "Bash" } as typeof action })],
    ["unknown member", { ...draft, note: "x" }],
    ["unknown in subject", withSubject(draft, { binding: {} } as object)],
    ["null", withSubject(draft, { correlation_id: null as unknown as string })],
    ["empty correlator", withSubject(draft, { correlation_id: "" })],
    ["date", { ...draft, issuanceDate: "yesterday" }],
    ["risk", withSubject(draft, { action: { ...action, risk_level: "severe" as "low" } })],
    [
      "unknown without a tool",
      withSubject(draft, {
        action: { id: action.id, type: "unknown", risk_level: "medium", timestamp: action.timestamp },
      }),
    ],
    ["drop count", withSubject(draft, { action: { ...action, emitter_metadata: { drop_count: -1 } } })],
    ["nothing dropped", withSubject(draft, { action: { ...action, emitter_metadata: { drop_count: 0 } } })],
    ["target without a system", withSubject(draft, { action: { ...action, target: { resource: "/x" } } })],
    ["empty resource", withSubject(draft, { action: { ...action, target: { system: "bash", resource: "" } } })],
    ["empty error", withSubject(draft, { outcome: { status: "failure", error: "" } })],
    ["empty session", { ...draft, issuer: { ...draft.issuer, session_id: "" } }],
    ["plain disclosure", withSubject(draft, { action: { ...action, parameters_disclosure: { command: "echo" } } })],
    ["process id", withSubject(draft, { action: { ...action, peer_credential: { platform: "linux", pid: 2 ** 31 } } })],
    [
      "user id",
      withSubject(draft, { action: { ...action, peer_credential: { platform: "linux", pid: 1, uid: 2 ** 32 } } }),
    ],
    ["a member that the peer types", withRuntime(draft, { agent_id: 7 })],
    ["the same, empty", withRuntime(draft, { agent_type: "" })],
    ["terminal false", { ...draft, terminal: false }],
    ["status alone", { ...draft, status: "complete" }],
    ["principal", withSubject(draft, { principal: { id: "x", type: "Robot" as "HumanPrincipal" } })],
    ["no scopes", withSubject(draft, { authorization: { scopes: [], granted_at: draft.issuanceDate } })],
    ["lone surrogate", withRuntime(draft, { text: "\ud800" })],
    ["not a number", withRuntime(draft, { count: Number.NaN })],
    ["not JSON", withRuntime(draft, { at: new Date(0) })],
    ["too deep", withRuntime(draft, { deep: nest(70) })],
  ];
  for (const [name, wrong] of cases) {
    assert.throws(
      () => createReceipt(wrong as ReceiptDraft, { chainId: "c", head: null }, crypto),
      (error) => error instanceof ReceiptError && error.code === "INVALID_DRAFT",
      name,
    );
  }
  const long = withRuntime(draft, { text: "x".repeat(MAX_RECEIPT_BYTES) });
  assert.throws(() => createReceipt(long, { chainId: "c", head: null }, crypto), { code: "OVERSIZE" });
});

function nest(levels: number): object {
  return levels === 0 ? {} : { in: nest(levels - 1) };
}

test("a null in what the runtime says is left out instead of signed", async () => {
  const chain = new SampleChain(signer);
  const raw = await chain.append((draft) => withRuntime(draft, { rule: null, list: [null], in: { x: null, y: 1 } }));
  const { issuer } = JSON.parse(new TextDecoder().decode(raw));
  assert.deepEqual([issuer.runtime.rule, issuer.runtime.list, issuer.runtime.in], [undefined, [null], { y: 1 }]);
});

test("extensions are read where the ADR puts them and where we do", () => {
  const { receipt } = createReceipt(
    withRuntime(draftOf(1, "i"), { binding: "ours" }),
    { chainId: "c", head: null },
    crypto,
  );
  const theirs = { ...receipt, credentialSubject: { ...receipt.credentialSubject, binding: "adr", coverage: "adr" } };
  assert.equal(runtimeField(theirs as never, "binding"), "ours");
  assert.equal(runtimeField(theirs as never, "coverage"), "adr");
  assert.equal(runtimeField(receipt as never, "coverage"), null);
});
