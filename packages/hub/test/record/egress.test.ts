import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { hashObject, type Receipt } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { COVERAGE_B, flowFrame, gapFrame } from "../support/egress-frames.ts";
import {
  emitted,
  frame,
  openEmitter,
  type Recording,
  startRecording,
  verifiedReceipts,
} from "../support/emitter-fixture.ts";

const UID = process.getuid?.() ?? -1;
const enrolled = (...roles: string[]) => ({ receipts: { emitters: roles.map((role) => ({ uid: UID, role })) } });

async function hear(t: TestContext, s: Recording, ...frames: readonly object[]) {
  const emitter = await openEmitter(t, s.path);
  emitter.send(...frames.map((one) => ({ ...one, ack: true })));
  return await emitter.answers(frames.length);
}

const call = (set: object = {}) =>
  frame({
    ...{ channel: "opensandbox_execd", session_id: "box-1", tool: { name: "POST /command", server: "execd" } },
    ...{ action_type: "system.command.execute", input: { command: "ls" }, output: { exit_code: 0 } },
    binding: { sandbox_id: "box-1", endpoint: "/command", route: "POST /command", placement: "execd" },
    ...set,
  });

test("a flow and a gap are receipts of the sandbox's chain, in one sequence with the proxy's", async (t) => {
  const s = await startRecording(t, enrolled("relay", "egress"));
  const blocked = { verdict: "blocked", bytes_out: 60, dst_addr: "fd00::2", dst_port: 53, protocol: "udp" };
  const answers = await hear(
    t,
    s,
    ...[
      flowFrame("box-1", { name: "example.org" }),
      call(),
      flowFrame("box-1", blocked, { drop_count: 4 }),
      gapFrame("box-1"),
    ],
  );
  assert.deepEqual(
    answers.map(({ error }) => error),
    [undefined, undefined, undefined, undefined],
  );
  const receipts = await emitted(s);
  assert.deepEqual(
    receipts.map(({ issuer, credentialSubject: { action, chain, outcome } }) => [
      ...[chain.sequence, action.type, action.risk_level, outcome.status, issuer.runtime?.attestation],
    ]),
    [
      [1, "network.egress.observed", "medium", "success", "host-observed"],
      [2, "system.command.execute", "high", "success", "sandbox-asserted"],
      [3, "agent_receipts.events_dropped", "medium", "success", "host-observed"],
      [4, "network.egress.observed", "medium", "failure", "host-observed"],
      [5, "dev.countersign.egress.gap", "medium", "success", "host-observed"],
    ],
  );
  const [first, , drop, stopped, gap] = receipts as [Receipt, Receipt, Receipt, Receipt, Receipt];
  const said = flowFrame("box-1", { name: "example.org" });
  const { parentChainRef, ...runtime } = first.issuer.runtime ?? {};
  assert.ok(parentChainRef);
  assert.deepEqual(runtime, {
    ...{ channel: "opensandbox_execd", attestation: "host-observed", binding: said.binding, coverage: COVERAGE_B },
    ...{ enforcement: "none", emittedAt: said.ts_emit, format: "countersign/1" },
  });
  const hashOf = (value: unknown) => hashObject(value as object, nodeCrypto());
  const { action, outcome, correlation_id } = first.credentialSubject;
  assert.deepEqual(
    [action.parameters_hash, outcome.response_hash, correlation_id, action.peer_credential?.uid],
    [hashOf(said.input), hashOf(said.output), said.correlation_id, UID],
  );
  assert.equal(stopped.issuer.runtime?.decision, "denied");
  assert.deepEqual(drop.issuer.runtime?.binding, { sandbox_id: "box-1", placement: "ingress_egress" });
  assert.deepEqual(drop.credentialSubject.action.emitter_metadata, { drop_count: 4 });
  assert.deepEqual(gap.issuer.runtime?.binding, gapFrame("box-1").binding);
  assert.equal(gap.credentialSubject.outcome.response_hash, undefined);
});

test("the frames that the documentation shows are taken as they stand there", async (t) => {
  const s = await startRecording(t, enrolled("egress"));
  const docs = readFileSync(new URL("../../../../docs/opensandbox-record.md", import.meta.url), "utf8");
  const shown = [...docs.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text]) => JSON.parse(text ?? "") as object);
  const answers = await hear(t, s, ...shown);
  assert.deepEqual(
    answers.map(({ error }) => error),
    [undefined, undefined],
  );
});

/** What is neither a relay's to say nor an observer's, by who tries. */
test("a relay can't say what was seen from outside, and an observer nothing else", async (t) => {
  const asRelay = await startRecording(t, enrolled("relay"));
  const asEgress = await startRecording(t, enrolled("egress"));
  const asNobody = await startRecording(t);
  const { binding, coverage } = flowFrame("box-1") as { binding: object; coverage: object };
  const tries: readonly [Recording, object, string][] = [
    [asRelay, flowFrame("box-1"), "ROLE_MISMATCH"],
    [asRelay, flowFrame("box-2", { verdict: "blocked" }), "ROLE_MISMATCH"],
    [asRelay, gapFrame("box-1"), "ROLE_MISMATCH"],
    [asRelay, call({ binding }), "ROLE_MISMATCH"],
    [asRelay, call({ coverage }), "ROLE_MISMATCH"],
    [asRelay, call({ binding: { sandbox_id: "box-1", gap: {} } }), "ROLE_MISMATCH"],
    [asRelay, call({ action_type: "Network.egress.observed" }), "INVALID_FRAME"],
    [asRelay, call({ action_type: "dev.countersign.egress.Gap" }), "RESERVED_TYPE"],
    [asEgress, call(), "ROLE_MISMATCH"],
    [asEgress, call({ action_type: "system.pty.close", correlation_id: "pty:1" }), "ROLE_MISMATCH"],
    [asEgress, flowFrame("box-1", {}, { action_type: "system.command.execute" }), "ROLE_MISMATCH"],
    [asEgress, flowFrame("box-1", {}, { action_type: "dev.countersign.checkpoint" }), "RESERVED_TYPE"],
    [asEgress, flowFrame("box-1", {}, { action_type: "agent_receipts.events_dropped" }), "RESERVED_TYPE"],
    [asNobody, flowFrame("box-1"), "NOT_ENROLLED"],
    [asNobody, gapFrame("box-1"), "NOT_ENROLLED"],
    [asNobody, gapFrame("box-1", {}, { channel: "mcp" }), "RESERVED_TYPE"],
  ];
  for (const [s, attempt, code] of tries)
    assert.equal((await hear(t, s, attempt))[0]?.error?.code, code, JSON.stringify(attempt));
  for (const s of [asRelay, asEgress, asNobody]) assert.deepEqual(await emitted(s), []);
});

const LONG = "x".repeat(300_000);
const bound = (set: object) => ({ ...(flowFrame("box-1").binding as object), ...set });
const covered = (set: object) => ({ coverage: { ...COVERAGE_B, ...set } });

const HOSTILE: Readonly<Record<string, object>> = {
  "no flow": flowFrame("box-1", {}, { binding: bound({ flow: undefined }) }),
  "no input": flowFrame("box-1", {}, { input: undefined }),
  "no output": flowFrame("box-1", {}, { output: null }),
  "no correlator": flowFrame("box-1", {}, { correlation_id: "" }),
  "no key": flowFrame("box-1", {}, { idempotency_key: undefined }),
  "no coverage": flowFrame("box-1", {}, { coverage: undefined }),
  "no enforcement": flowFrame("box-1", {}, { enforcement: undefined }),
  advisory: flowFrame("box-1", {}, { enforcement: "advisory" }),
  "no sandbox": flowFrame("box-1", {}, { binding: bound({ sandbox_id: undefined }) }),
  "a sandbox of another form": flowFrame("../x"),
  "another sandbox in the session": flowFrame("box-1", {}, { session_id: "box-2" }),
  "another sandbox in the binding": flowFrame("box-1", {}, { binding: bound({ sandbox_id: "box-2" }) }),
  "placement A": flowFrame("box-1", {}, { binding: bound({ placement: "execd" }) }),
  "placement A in the coverage": flowFrame("box-1", {}, covered({ placement: "execd" })),
  "coverage of more": flowFrame("box-1", {}, covered({ covers: ["network_egress", "command"] })),
  "excludes less": flowFrame("box-1", {}, covered({ excludes: ["command"] })),
  "an endless limit": flowFrame("box-1", {}, covered({ limits: [LONG] })),
  "another endpoint": flowFrame("box-1", {}, { binding: bound({ endpoint: "/command" }) }),
  "more in the binding": flowFrame("box-1", {}, { binding: bound({ note: "trust me" }) }),
  "more in the flow": flowFrame("box-1", { note: "trust me" }),
  "more in the input": flowFrame(
    "box-1",
    {},
    { input: { dst_addr: "10.0.0.2", dst_port: 443, protocol: "tcp", more: LONG } },
  ),
  "another address in the input": flowFrame(
    "box-1",
    {},
    { input: { dst_addr: "10.0.0.3", dst_port: 443, protocol: "tcp" } },
  ),
  "another port in the input": flowFrame(
    "box-1",
    {},
    { input: { dst_addr: "10.0.0.2", dst_port: 444, protocol: "tcp" } },
  ),
  "other bytes in the output": flowFrame("box-1", {}, { output: { bytes_out: 1, verdict: "allowed" } }),
  "another verdict in the output": flowFrame(
    "box-1",
    {},
    { output: { bytes_out: 1_234, verdict: "blocked" }, decision: "denied" },
  ),
  "denied, but let through": flowFrame("box-1", {}, { decision: "denied" }),
  "blocked, but allowed": flowFrame("box-1", { verdict: "blocked" }, { decision: "allowed" }),
  pending: flowFrame("box-1", {}, { decision: "pending" }),
  "an error": flowFrame("box-1", {}, { error: "no" }),
  "negative bytes": flowFrame("box-1", { bytes_out: -1 }),
  "half a byte": flowFrame("box-1", { bytes_out: 0.5 }),
  "bytes past what a number holds": flowFrame("box-1", { bytes_out: 2 ** 60 }),
  "bytes as text": flowFrame("box-1", { bytes_out: "NaN" }),
  "bytes that are null": flowFrame("box-1", { bytes_out: Number.NaN }),
  "a name for an address": flowFrame("box-1", { dst_addr: "example.org" }),
  "an address with a zone": flowFrame("box-1", { dst_addr: "fe80::1%eth0" }),
  "an address in upper case": flowFrame("box-1", { dst_addr: "FD00::2" }),
  "half an address": flowFrame("box-1", { dst_addr: "10.0.0" }),
  "an endless address": flowFrame("box-1", { dst_addr: LONG }),
  "a port past the last": flowFrame("box-1", { dst_port: 65_536 }),
  "an endless protocol": flowFrame("box-1", { protocol: LONG }),
  "a name that isn't one": flowFrame("box-1", { name: "a\u202eb" }),
  "an endless name": flowFrame("box-1", { name: "a.".repeat(200) }),
  "a service that nobody knows": flowFrame("box-1", { service: "friend" }),
  "no start": flowFrame("box-1", { started_at: undefined }),
  "no day of any calendar": flowFrame("box-1", { started_at: "2026-13-41T00:00:00Z" }),
  "ends before it starts": flowFrame("box-1", { ended_at: "2026-01-02T03:04:04Z" }),
  "final without an end": flowFrame("box-1", { ended_at: undefined }),
  "interim with an end": flowFrame("box-1", { part: "interim" }),
  "another tool": flowFrame("box-1", {}, { tool: { name: "POST /command", server: "execd" } }),
  "a gap and a flow": gapFrame("box-1", {}, { binding: bound({ gap: {} }) }),
  "a gap that ends before it starts": gapFrame("box-1", { to: "2026-01-02T03:04:00Z" }),
  "a gap for no reason": gapFrame("box-1", { reason: "lunch" }),
  "a gap that the input says otherwise": gapFrame(
    "box-1",
    {},
    { input: { from: "2026-01-02T03:05:00.000Z", to: "2026-01-02T03:05:00.000Z", reason: "not-running" } },
  ),
  "a gap with an outcome": gapFrame("box-1", {}, { output: {} }),
  "a gap of a flow": gapFrame("box-1", {}, { correlation_id: "flow-1" }),
};

test("a frame of an observer that isn't as it must be is refused, and nothing of it is on record", async (t) => {
  const s = await startRecording(t, enrolled("relay", "egress"));
  // All of them are one of these two, but for one thing.
  assert.equal((await hear(t, s, flowFrame("box-1"), gapFrame("box-1"))).filter(({ seq }) => seq).length, 2);
  const before = (await verifiedReceipts(s)).length;
  for (const [what, attempt] of Object.entries(HOSTILE)) {
    const [answer] = await hear(t, s, attempt);
    assert.match(answer?.error?.code ?? "", /^(?:INVALID_FRAME|NUMBER_RANGE)$/, what);
    assert.ok((answer?.error?.message.length ?? 0) < 1_000, what);
  }
  assert.equal((await verifiedReceipts(s)).length, before);
});
