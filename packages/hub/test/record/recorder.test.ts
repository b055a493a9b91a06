import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { canonicalize, hashObject, type Receipt } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { readLedger } from "@countersign/store";
import { flowFrame } from "../support/egress-frames.ts";
import { emitted, frame, framed, openEmitter, startRecording, verifiedReceipts } from "../support/emitter-fixture.ts";
import { eventually, scratch, startServing } from "../support/serve-fixture.ts";

const UID = process.getuid?.() ?? -1;

/** This user speaks of sandboxes. */
const enrolled = (...roles: string[]) => ({ emitters: roles.map((role) => ({ uid: UID, role })) });

const ofSandbox = (id: string, set: object = {}) =>
  frame({
    channel: "opensandbox_execd",
    tool: { name: "POST /command" },
    action_type: "system.command.execute",
    binding: { sandbox_id: id, endpoint: "/command" },
    ...set,
  });
const chainOf = ({ credentialSubject: { chain } }: Receipt) =>
  chain.chain_id.replace(/^countersign:[0-9a-f-]{36}:/, "");
const place = (receipt: Receipt) => [chainOf(receipt), receipt.credentialSubject.chain.sequence];

async function hear(t: TestContext, s: { readonly path: string }, ...frames: readonly object[]) {
  const emitter = await openEmitter(t, s.path);
  emitter.send(...frames.map((one) => ({ ...one, ack: true })));
  return await emitter.answers(frames.length);
}

test("the peer's frame is recorded as it is, without an answer, on a chain of its user", async (t) => {
  const s = await startRecording(t);
  assert.equal(statSync(s.path).mode & 0o777, 0o600);
  const emitter = await openEmitter(t, s.path);
  const input = { owner: "ann", ключ: [1.5, true, null] };
  const said = {
    input,
    output: { ok: true },
    correlation_id: "c-1",
    agent_id: "sub-1",
    idempotency_key: "k-1",
    more: "kept out",
  };
  emitter.send(frame(said), frame({ ...said, decision: "denied", error: "no", idempotency_key: "k-2" }));
  await eventually(() => s.counted("recorded") === 2);
  const [first, later] = await emitted(s);
  assert.ok(first && later);
  const { action, outcome, correlation_id, principal } = first.credentialSubject;
  assert.deepEqual([...place(first), ...place(later)], [`uid:${UID}`, 1, `uid:${UID}`, 2]);
  assert.deepEqual(first.issuer.runtime, {
    channel: "mcp",
    attestation: "emitter-asserted",
    agent_id: "sub-1",
    emittedAt: "2026-01-02T03:04:05.678901Z",
    format: "countersign/1",
    parentChainRef: first.issuer.runtime?.parentChainRef,
  });
  assert.deepEqual([first.issuer.session_id, correlation_id, principal.id], ["s-1", "c-1", `uid:${UID}`]);
  const { id: _, timestamp: __, ...told } = action;
  assert.deepEqual(told, {
    type: "mcp.github.list_repos",
    risk_level: "medium",
    target: { system: "github", resource: "list_repos" },
    parameters_hash: hashObject(input, nodeCrypto()),
    idempotency_key: "k-1",
    peer_credential: {
      ...{ platform: "linux", pid: process.pid, uid: UID, gid: process.getgid?.() },
      exe_path: readlinkSync("/proc/self/exe"),
    },
  });
  assert.deepEqual(outcome, { status: "success", response_hash: hashObject({ ok: true }, nodeCrypto()) });
  assert.equal(later.credentialSubject.outcome.status, "failure");
  assert.equal(emitter.socket.bytesRead, 0);
});

test("who asks for it is told the place and the hash once it is durable, in order", async (t) => {
  const s = await startRecording(t);
  const emitter = await openEmitter(t, s.path);
  emitter.send(...Array.from({ length: 200 }, (_, n) => frame({ ack: n % 2 === 0, input: { n } })));
  const answers = await emitter.answers(100);
  const all = await verifiedReceipts(s);
  assert.equal(answers.length, 100);
  for (const [index, { seq, receipt_hash }] of answers.entries()) {
    const receipt = all[Number(seq) - 1];
    assert.equal(receipt?.credentialSubject.action.parameters_hash, hashObject({ n: index * 2 }, nodeCrypto()));
    const next = all[Number(seq)];
    if (next && chainOf(next).startsWith("uid:")) {
      assert.equal(next.credentialSubject.chain.previous_receipt_hash, receipt_hash);
    }
  }
});

test("an enrolled relay writes to the chain of the sandbox that it names, and egress beside it", async (t) => {
  const s = await startRecording(t, { receipts: enrolled("relay", "egress") });
  const coverage = { covers: ["command"], excludes: [], placement: "execd", limits: null };
  await hear(
    t,
    s,
    ofSandbox("box-1", {
      ...{ input: { command: "ls" }, output: { exit_code: 0 }, coverage, correlation_id: "c" },
      enforcement: "advisory",
    }),
    ofSandbox("box-2", { action_type: "system.pty.close", error: "HTTP 500" }),
    flowFrame("box-1"),
  );
  const receipts = await emitted(s);
  assert.deepEqual(receipts.map(place), [
    ["sandbox:box-1", 1],
    ["sandbox:box-2", 1],
    ["sandbox:box-1", 2],
  ]);
  const [first, second, third] = receipts as [Receipt, Receipt, Receipt];
  const { parentChainRef, ...runtime } = first.issuer.runtime ?? {};
  assert.ok(parentChainRef);
  assert.deepEqual(runtime, {
    channel: "opensandbox_execd",
    attestation: "sandbox-asserted",
    binding: { sandbox_id: "box-1", endpoint: "/command" },
    coverage: { covers: ["command"], excludes: [], placement: "execd" },
    enforcement: "advisory",
    emittedAt: "2026-01-02T03:04:05.678901Z",
    format: "countersign/1",
  });
  const { risk_level, parameters_hash } = first.credentialSubject.action;
  const sha = (object: object) => `sha256:${nodeCrypto().sha256Hex(Buffer.from(canonicalize(object)))}`;
  assert.deepEqual([risk_level, parameters_hash], ["high", sha({ command: "ls" })]);
  assert.equal(first.credentialSubject.outcome.response_hash, sha({ exit_code: 0 }));
  assert.deepEqual(second.credentialSubject.outcome, { status: "failure", error: "HTTP 500" });
  assert.equal(second.credentialSubject.action.risk_level, "critical");
  assert.equal(third.issuer.runtime?.attestation, "host-observed");
});

test("nobody says what isn't theirs to say: refused with a code, and nothing of it is on record", async (t) => {
  const s = await startRecording(t, { receipts: enrolled("egress") });
  const before = (await verifiedReceipts(s)).length;
  const attempts: readonly [object, string][] = [
    [frame({ channel: "countersign" }), "RESERVED_CHANNEL"],
    [frame({ action_type: "dev.countersign.checkpoint" }), "RESERVED_TYPE"],
    [frame({ action_type: "Dev.Countersign.policy.change" }), "RESERVED_TYPE"],
    [frame({ action_type: "agent.key.rotate" }), "RESERVED_TYPE"],
    [frame({ action_type: "agent_receipts.events_dropped" }), "RESERVED_TYPE"],
    [frame({ channel: "dev", tool: { server: "countersign", name: "epoch.open" } }), "RESERVED_TYPE"],
    [frame({ action_type: "epoch-opened" }), "INVALID_FRAME"],
    [ofSandbox("box"), "ROLE_MISMATCH"],
    [ofSandbox("../x", { action_type: "network.egress.observed" }), "INVALID_FRAME"],
    [ofSandbox("x", { action_type: "network.egress.observed", binding: null }), "INVALID_FRAME"],
    [frame({ v: "2" }), "UNKNOWN_VERSION"],
    [frame({ v: 1 }), "INVALID_FRAME"],
    [frame({ decision: "maybe" }), "INVALID_FRAME"],
    [frame({ drop_count: -1 }), "INVALID_FRAME"],
    [frame({ session_id: "" }), "INVALID_FRAME"],
    [frame({ idempotency_key: "a\0b" }), "INVALID_FRAME"],
    [frame({ idempotency_key: "x".repeat(257) }), "INVALID_FRAME"],
    [frame({ ts_emit: "yesterday" }), "INVALID_FRAME"],
  ];
  const answers = await hear(t, s, ...attempts.map(([attempt]) => attempt));
  assert.deepEqual(
    answers.map(({ error }) => error?.code),
    attempts.map(([, code]) => code),
  );
  assert.equal((await verifiedReceipts(s)).length, before);
  assert.equal(s.counted("RESERVED_TYPE"), 5);
  const other = await startRecording(t);
  assert.equal((await hear(t, other, ofSandbox("box")))[0]?.error?.code, "NOT_ENROLLED");
});

test("a forged session, correlator or binding changes no chain but the forger's own, and no proposal's story", async (t) => {
  const serving = await startServing(t, { profile: { security: "full", ask: "off" } });
  const { database, recorderSocket: path } = serving.served.home;
  assert.equal((await serving.propose("true")).status, 200);
  const [decided] = (await verifiedReceipts({ database })).filter(({ issuer }) => issuer.runtime?.entry === "decided");
  const proposal = decided?.credentialSubject.correlation_id;
  assert.ok(proposal);
  await hear(
    t,
    { path },
    frame({
      ...{ session_id: decided?.issuer.session_id, correlation_id: proposal, proposal, entry: "ended" },
      ...{ enforcement: "enforced", binding: { sandbox_id: "box-1" }, coverage: {} },
      runtime: { checkpoint: "forged", nextKey: "sha256:00", parentChainRef: {} },
    }),
  );
  const [forged] = await emitted({ database });
  assert.equal(forged && chainOf(forged), `uid:${UID}`);
  assert.deepEqual(Object.keys(forged?.issuer.runtime ?? {}).sort(), [
    ...["attestation", "channel", "emittedAt", "format", "parentChainRef"],
  ]);
  // What the hub reads back of its own.
  const types: string[] = [];
  for await (const { type } of readLedger(database)) types.push(type);
  assert.deepEqual(types.slice(-3), ["decided", "started", "ended"]);
  const metrics = String((await serving.call("/metrics")).body);
  assert.match(metrics, /^countersign_frames_total\{result="recorded"\} 1$/m);
});

test("a key that was used is answered with the first receipt, for its emitter alone, over a restart too", async (t) => {
  const s = await startRecording(t, { receipts: enrolled("relay") });
  const once = frame({ idempotency_key: "k" });
  const repeated = { ...once, input: "other", drop_count: 3 };
  const [first, again, relayed] = await hear(t, s, once, repeated, ofSandbox("b", { idempotency_key: "k" }));
  assert.deepEqual(again, first);
  assert.notEqual(relayed?.seq, first?.seq);
  assert.equal(s.counted("repeated"), 1);
  await s.close();
  const later = await startRecording(t, { homeDir: s.homeDir });
  assert.deepEqual(await hear(t, later, once), [first]);
  assert.equal((await emitted(later)).length, 2);
});

test("what an emitter dropped stands before what it says next, counted once", async (t) => {
  const s = await startRecording(t);
  const lossy = frame({ drop_count: 7, idempotency_key: "k" });
  const [answer] = await hear(t, s, lossy, lossy, frame());
  const [drop, live, next] = (await emitted(s)) as [Receipt, Receipt, Receipt];
  assert.equal((await emitted(s)).length, 3);
  assert.deepEqual(
    [drop, live, next].map(({ credentialSubject: { action } }) => [action.type, action.emitter_metadata]),
    [
      ["agent_receipts.events_dropped", { drop_count: 7 }],
      ["mcp.github.list_repos", undefined],
      ["mcp.github.list_repos", undefined],
    ],
  );
  assert.equal(next.credentialSubject.chain.previous_receipt_hash, answer?.receipt_hash);
  assert.ok(drop.credentialSubject.action.peer_credential);
});

test("quotas hold for each emitter, and what went lost without an answer is told with its next frame", async (t) => {
  const limits = {
    emitterFrameBurst: 3,
    emitterFramesPerSecond: 1e-6,
    emitterByteBurst: 10_000,
    emitterBytesPerSecond: 100,
  };
  const s = await startRecording(t, { limits });
  const emitter = await openEmitter(t, s.path);
  emitter.send(
    frame(),
    frame({ ack: true, input: "x".repeat(20_000) }),
    frame({ ack: true }),
    frame(),
    frame({ ack: true }),
  );
  const codes = (await emitter.answers(3)).map(({ error }) => error?.code);
  assert.deepEqual(codes, ["TOO_MANY_BYTES", undefined, "TOO_MANY_FRAMES"]);
  assert.equal(s.counted("TOO_MANY_FRAMES"), 2);
  assert.equal((await emitted(s)).length, 2);

  const roomy = await startRecording(t, { limits: { emitterByteBurst: 10_000, emitterBytesPerSecond: 100 } });
  const silent = await openEmitter(t, roomy.path);
  silent.send(frame({ input: "x".repeat(20_000), drop_count: 2 }), frame({ ack: true }));
  await silent.answers(1);
  const [drop] = await emitted(roomy);
  assert.deepEqual(drop?.credentialSubject.action.emitter_metadata, { drop_count: 3 });
});

test("chains that an emitter may begin are counted by the day", async (t) => {
  const s = await startRecording(t, { receipts: enrolled("relay"), limits: { emitterChainsPerDay: 2 } });
  const answers = await hear(t, s, ofSandbox("a"), ofSandbox("b"), ofSandbox("c"), ofSandbox("a"));
  assert.deepEqual(
    answers.map(({ error }) => error?.code),
    [undefined, undefined, "TOO_MANY_CHAINS", undefined],
  );
});

const OTHER = 54_321;
const asOther = UID === 0 ? false : "only root can become another user";

test("another user's frames go to that user's chain, over a socket outside of the home", {
  skip: asOther,
}, async (t) => {
  const at = scratch(t);
  chmodSync(at.dir, 0o755);
  const path = join(at.dir, "recorder.sock");
  mkdirSync(at.homeDir, { mode: 0o700 });
  writeFileSync(join(at.homeDir, "config.json"), JSON.stringify({ receipts: { socket: path, group: OTHER } }));
  const s = await startServing(t, { at });
  assert.deepEqual([statSync(path).mode & 0o777, statSync(path).gid], [0o660, OTHER]);
  // A program that any user can run.
  const script = `import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(sys.stdin.buffer.read()); s.recv(9)`;
  const child = spawn("python3", ["-c", script, path], {
    uid: OTHER,
    gid: OTHER,
    cwd: "/",
    stdio: ["pipe", "ignore", "inherit"],
  });
  child.stdin.end(framed(frame({ ack: true, session_id: "s-1" })));
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
  const [receipt] = await emitted(s.served.home);
  const { pid, uid, gid } = receipt?.credentialSubject.action.peer_credential ?? {};
  assert.deepEqual([pid, uid, gid], [child.pid, OTHER, OTHER]);
  assert.equal(receipt && chainOf(receipt), `uid:${OTHER}`);
});

test("a file that is no socket isn't replaced", async (t) => {
  const at = scratch(t);
  const path = join(at.dir, "precious");
  writeFileSync(path, "mine");
  await assert.rejects(startServing(t, { at, recorderSocket: path }), /CONFIG_INVALID|isn't a socket/);
});

test("closing answers what is under way, and the last checkpoint covers it", async (t) => {
  const s = await startServing(t);
  const emitter = await openEmitter(t, s.served.home.recorderSocket);
  emitter.send(frame({ ack: true }));
  await emitter.answers(1);
  emitter.send(frame({ ack: true }));
  await s.served.close();
  await emitter.closed();
  const all = await verifiedReceipts(s.served.home);
  const types = all.map(({ credentialSubject: { action } }) => action.type);
  assert.equal(types.at(-1), "dev.countersign.checkpoint");
});
