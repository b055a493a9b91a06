import { createPrivateKey } from "node:crypto";
import { test } from "node:test";
import { createReceipt, type ReceiptDraft, type ReceiptHead } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { type EmittedDraft, LEDGER_TYPES, type LedgerDraft, type LedgerType } from "@countersign/store";
import { attribute } from "../../packages/recorder/src/frames/attribution.ts";
import { readFrame } from "../../packages/recorder/src/frames/frame.ts";
import { dropReceipt, liveReceipt, ownOf } from "../../packages/recorder/src/frames/receipts-of-frame.ts";
import { keysFrom } from "../../packages/store/src/ledger/ledger-keys.ts";
import { receiptOf } from "../../packages/store/src/ledger/receipt-of.ts";
import { FRAMES } from "./frames.ts";
import { assertFrozen } from "./frozen.ts";

const crypto = nodeCrypto();
/** RFC 8410: an Ed25519 private key in PKCS #8, the seed its last 32 bytes. */
const PKCS8_BEFORE_SEED = Buffer.from("302e020100300506032b657004220420", "hex");
const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const PROPOSAL = "0195c1e8-0000-7000-8000-0000000000aa";
const SESSION = "0195c1e8-0000-7000-8000-0000000000bb";
const HASH = `sha256:${"5a".repeat(32)}`;

const der = Buffer.concat([PKCS8_BEFORE_SEED, Buffer.alloc(32, 7)]);
const pem = createPrivateKey({ key: der, format: "der", type: "pkcs8" }).export({ type: "pkcs8", format: "pem" });
const { sealer } = keysFrom(String(pem), { nextFingerprint: `sha256:${"1b".repeat(32)}`, chainPart: "" });

const DECIDED = {
  verdict: "allow",
  by: "person",
  reason: "needs-review",
  riskLevel: "needs-review",
  effects: ["deletes", "writes"],
  entries: [],
  proposalHash: HASH,
  binding: HASH,
  policyVersion: HASH,
  jail: "workspace",
  network: ["example.org"],
  lends: [],
  enforcement: "enforced",
  executor: "hub",
  agent: "codex",
  proposedAtMs: AT_MS - 5,
  approvalId: "0195c1e8-0000-7000-8000-0000000000cc",
  person: "alice",
  assurance: "device",
  device: "phone",
  keyId: "k1",
};
const ENDED = { reportedBy: "hub", kind: "exited", exitCode: 0, durationMs: 12, stdoutHash: HASH, stderrHash: HASH };

/** What each type of entry says. Null in a body is left out of the receipt. */
const BODIES: Readonly<Record<LedgerType, LedgerDraft["body"]>> = {
  "ledger-opened": {},
  "epoch-opened": { epoch: 2, missing: 3, witness: "witness.txt" },
  checkpoint: { size: 41, root: "q83vEjRWeJA=" },
  "key-rotated": { person: "alice", assurance: "token" },
  decided: DECIDED,
  started: { permit: PROPOSAL, executor: "hub", binding: HASH, input: "terminal" },
  ended: ENDED,
  "preview-decided": { ...DECIDED, verdict: "ask", by: "policy" },
  "preview-ended": { ...ENDED, changes: 2, changesHash: HASH },
  "policy-changed": { person: "alice", profile: "default", version: HASH, added: ["git **"], nothing: null },
  "config-changed": { key: "receipts.witness", hash: HASH },
  paused: { person: "alice", session: null, reason: "lunch – ünïcödé \u2028" },
  resumed: { person: "alice", assurance: "token" },
  "token-created": { token: "t1", role: "agent", name: "codex", by: "alice" },
  "token-revoked": { token: "t1", name: "codex" },
  "device-claimed": { device: "phone", keyId: "k1", token: "t2" },
  "auth-failed": { from: "127.0.0.1", times: 3 },
  revealed: { approvalId: "a1", person: "alice", assurance: "token" },
  "notify-on": { channel: "push" },
  "notify-off": { channel: "push" },
  "adapter-installed": { agent: "claude-code", problem: "not found" },
  "adapter-removed": { agent: "claude-code" },
  "hub-up": { version: "0.1.0" },
  "hub-down": { from: AT_MS - 60_000, to: AT_MS },
};

function draftsOfLedger(): ReceiptDraft[] {
  const issuer = "did:key:z6MkfixedIssuerOfTheseVectors";
  const parent = { chain_id: "countersign:x:root", sequence: 7, receipt_hash: HASH } as const;
  return LEDGER_TYPES.map((type) => {
    const isOfProposal = ["decided", "started", "ended", "preview-decided", "preview-ended"].includes(type);
    const whose = isOfProposal ? { sessionId: SESSION, proposalKey: PROPOSAL } : { sessionId: null, proposalKey: null };
    const setting = type === "decided" ? { issuer, parentChainRef: parent } : { issuer };
    return receiptOf({ type, ...whose, atMs: AT_MS, body: BODIES[type] }, setting as Parameters<typeof receiptOf>[1]);
  });
}

/** A call of an MCP tool and one into a sandbox, decided: what both name stands in the receipt. */
function draftsOfCalls(): ReceiptDraft[] {
  const named = [{ tool: { server: "github", name: "create_issue" } }, { sandbox: { id: "sbx-1", call: "command" } }];
  return named.map((about) => {
    const draft = { type: "decided", sessionId: SESSION, proposalKey: PROPOSAL, atMs: AT_MS } as const;
    return receiptOf({ ...draft, body: { ...DECIDED, verdict: "deny", ...about } }, { issuer: "did:key:z6Mkfixed" });
  });
}

function draftsOfFrames(): ReceiptDraft[] {
  const peer = { pid: 42, uid: 1000, gid: 1000, exePath: "/usr/bin/emitter" };
  return FRAMES.flatMap(({ role, frame: said }) => {
    const frame = readFrame(Buffer.from(JSON.stringify(said)));
    const attribution = attribute(frame, peer, () => [role]);
    const emission = { frame, peer, attribution, atMs: AT_MS, dropped: 3 };
    const drafts: EmittedDraft[] = [liveReceipt(emission, ownOf(emission)), dropReceipt(emission)];
    return drafts.map((draft) => ({ ...draft, issuer: { ...draft.issuer, id: "did:key:z6Mkfixed" } }));
  });
}

const idOf = (index: number) => `0195c1e8-0000-7000-8000-${String(index).padStart(12, "0")}`;

/** Seals the drafts on one chain with a fixed key. Their random ids are replaced by their place. */
function sealAll(drafts: readonly ReceiptDraft[]): string {
  let head: ReceiptHead | null = null;
  const lines = drafts.map((draft, index) => {
    const { credentialSubject } = draft;
    const action = { ...credentialSubject.action, id: `act_${idOf(index)}` };
    const fixed = { ...draft, id: `urn:receipt:${idOf(index)}`, credentialSubject: { ...credentialSubject, action } };
    const unsealed = createReceipt(fixed, { chainId: "countersign:x:root", head }, crypto);
    head = unsealed.head;
    return `${Buffer.from(sealer.sealNow(unsealed)).toString()}\n`;
  });
  return lines.join("");
}

test("each type of ledger entry becomes the frozen receipt, byte for byte", () => {
  assertFrozen("ledger-receipts.jsonl", sealAll(draftsOfLedger()));
});

test("decided calls of tools and into sandboxes become the frozen receipts", () => {
  assertFrozen("call-receipts.jsonl", sealAll(draftsOfCalls()));
});

test("each kind of frame becomes the frozen receipts, byte for byte", () => {
  assertFrozen("frame-receipts.jsonl", sealAll(draftsOfFrames()));
});
