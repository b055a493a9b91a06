import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, statSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { DEFAULT_LIMITS, type Limits, type Log, silentLog } from "@countersign/core/base";
import { homeAt } from "@countersign/core/config";
import { StartError } from "@countersign/core/errors";
import { joinRecorder, pairHub, startRecorder } from "@countersign/recorder";
import { FrameBuffer } from "../../../recorder/src/frames/frame-buffer.ts";
import { newNonce, proofOf } from "../../../recorder/src/remote/pairing.ts";
import { emitted, frame, framed, openEmitter } from "../support/emitter-fixture.ts";
import { wholeLedger } from "../support/remote-recorder-fixture.ts";
import { eventually, scratch, startServing } from "../support/serve-fixture.ts";

const OTHER_USER = 54_321;
const IS_ROOT = process.getuid?.() === 0;

interface Received {
  readonly t: string;
  readonly code?: string;
  readonly nonce?: string;
}

/** Somebody at the hub's door. */
async function visit(t: TestContext, path: string) {
  const socket: Socket = connect(path);
  t.after(() => socket.destroy());
  socket.on("error", () => undefined);
  const received: Received[] = [];
  const buffer = new FrameBuffer(4 * 1024 * 1024);
  let isClosed = false;
  socket.on("data", (chunk) => {
    buffer.push(chunk);
    for (let bytes = buffer.take(); bytes; bytes = buffer.take()) received.push(JSON.parse(bytes.toString()));
  });
  socket.on("close", () => {
    isClosed = true;
  });
  await once(socket, "connect");
  const challenge = await eventually(() => received[0]);
  return {
    socket,
    received,
    nonce: challenge.nonce ?? "",
    closed: () => eventually(() => isClosed),
    refusal: async () => (await eventually(() => received.find(({ t: kind }) => kind === "refused"))).code,
  };
}

function hello(secret: string, recorderNonce: string, set: object = {}): object {
  const nonce = newNonce();
  const proof = proofOf("hub", secret, { recorder: recorderNonce, hub: nonce });
  return { t: "hello", v: 1, nonce, proof, have: null, ...set };
}

async function recording(t: TestContext, limits: Partial<Limits> = {}) {
  const place = scratch(t);
  const homeDir = join(place.dir, "recorder");
  const { socket, secret, ledger } = await pairHub({ homeDir, hubUid: process.getuid?.() ?? 0 });
  await joinRecorder(place.homeDir, { socket, secret, ledger });
  const lines: string[] = [];
  const write = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const log: Log = { info: () => undefined, warn: write, error: write };
  const recorder = await startRecorder({ homeDir, log, limits: { ...DEFAULT_LIMITS, ...limits } });
  t.after(() => recorder.close());
  return { place, homeDir, socket, secret, lines, recorder };
}

test("garbage, oversize, empty and half messages, other versions and wrong secrets hurt nobody", async (t) => {
  const { place, socket, secret, lines, homeDir } = await recording(t);
  const hub = await startServing(t, { at: place, profile: { security: "full", ask: "off" } });
  const header = (length: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(length);
    return bytes;
  };
  const closing: Record<string, Buffer> = {
    oversize: header(4 * 1024 * 1024 + 1),
    endless: header(0xffff_ffff),
    empty: header(0),
    garbage: framed("not json"),
    "no UTF-8": framed(Buffer.from([0x22, 0xff, 0x22])),
  };
  for (const [name, bytes] of Object.entries(closing)) {
    const visitor = await visit(t, socket);
    visitor.socket.write(bytes);
    assert.equal(await visitor.closed(), true, name);
  }
  const refused: readonly (readonly [code: string, message: (nonce: string) => object | string])[] = [
    ["WRONG_SECRET", (nonce) => hello("x".repeat(43), nonce)],
    // Somebody else's answer to another challenge.
    ["WRONG_SECRET", () => hello(secret, newNonce())],
    ["WRONG_SECRET", (nonce) => ({ ...hello(secret, nonce), proof: "0".repeat(64) })],
    ["UNKNOWN_VERSION", (nonce) => hello(secret, nonce, { v: 2 })],
    ["UNKNOWN_VERSION", () => "null"],
    ["BAD_MESSAGE", (nonce) => hello(secret, nonce, { proof: 7 })],
    ["BAD_MESSAGE", () => ({ v: 1, t: "append", id: 1, drafts: [] })],
    ["OTHER_HUB", (nonce) => hello(secret, nonce)],
  ];
  for (const [code, message] of refused) {
    const visitor = await visit(t, socket);
    visitor.socket.write(framed(message(visitor.nonce)));
    assert.equal(await visitor.refusal(), code);
    await visitor.closed();
    // Whoever isn't let in hears nothing of the record.
    assert.deepEqual(
      visitor.received.map(({ t: kind }) => kind),
      ["challenge", "refused"],
    );
  }
  const half = await visit(t, socket);
  half.socket.write(header(100));
  half.socket.destroy();
  const many = await Promise.all(Array.from({ length: 15 }, () => visit(t, socket)));
  const oneMore = connect(socket);
  t.after(() => oneMore.destroy());
  oneMore.on("error", () => undefined);
  const [told] = await once(oneMore, "data");
  assert.match(String(told), /TOO_MANY_CONNECTIONS/);
  for (const visitor of many) visitor.socket.destroy();

  assert.equal((await hub.propose("true")).body.kind, "exited");
  assert.deepEqual(await wholeLedger(homeDir), await wholeLedger(place.homeDir));
  // One line for each reason, however many came.
  const codes = lines.map((line) => JSON.parse(line).code).filter((code) => code !== undefined);
  assert.deepEqual([...codes].sort(), [...new Set(codes)].sort());
  assert.ok(lines.every((line) => !line.includes(secret)));
});

test("a hub says what is a hub's to say, and nothing about the ledger itself", async (t) => {
  const { socket, secret, homeDir } = await recording(t);
  const body = { verdict: "allow" };
  const draft = { type: "decided", sessionId: "s", proposalKey: "k", atMs: 1, body };
  const key = "01928f3a-7c1e-7000-8000-3f9c2a1b0d4e";
  const append = (set: object) => ({ t: "append", id: 1, drafts: [{ key, draft: { ...draft, ...set } }] });
  for (const type of ["checkpoint", "epoch-opened", "ledger-opened", "key-rotated", "made-up"]) {
    const visitor = await visit(t, socket);
    visitor.socket.write(framed(hello(secret, visitor.nonce)));
    await eventually(() => visitor.received.some(({ t: kind }) => kind === "welcome"));
    visitor.socket.write(framed(append({ type })));
    assert.equal(await visitor.refusal(), "BAD_MESSAGE", type);
    await visitor.closed();
  }
  assert.deepEqual(await wholeLedger(homeDir), []);
  const visitor = await visit(t, socket);
  visitor.socket.write(framed(hello(secret, visitor.nonce)));
  await eventually(() => visitor.received.some(({ t: kind }) => kind === "welcome"));
  // A time that no receipt can hold is told, and what follows is taken.
  visitor.socket.write(Buffer.concat([framed(append({ atMs: Number.MAX_SAFE_INTEGER })), framed(append({}))]));
  await eventually(() => visitor.received.some(({ t: kind }) => kind === "appended"));
  assert.equal(visitor.received.find(({ t: kind }) => kind === "failed")?.code, "INVALID");
  await eventually(async () => (await wholeLedger(homeDir)).length === 2);
});

test("whoever says nothing is shown out", async (t) => {
  const { socket } = await recording(t, { loginMs: 50 });
  const visitor = await visit(t, socket);
  assert.equal(await visitor.refusal(), "BAD_MESSAGE");
  await visitor.closed();
});

test("a hub believes no stranger on its recorder's socket, whatever that sends", async (t) => {
  const place = scratch(t);
  const homeDir = join(place.dir, "recorder");
  const invitation = await pairHub({ homeDir, hubUid: process.getuid?.() ?? 0 });
  const through = join(place.dir, "other.sock");
  await joinRecorder(place.homeDir, { ...invitation, socket: through });
  const challenge = { t: "challenge", v: 1, nonce: newNonce() };
  const welcome = { t: "welcome", proof: "0".repeat(64), head: null, yours: null };
  let say: readonly (object | string | Buffer)[] = [];
  let sent = Buffer.alloc(0);
  const stranger = createServer((hub) => {
    hub.on("error", () => undefined);
    hub.on("data", (chunk) => {
      sent = Buffer.concat([sent, chunk]);
    });
    for (const message of say) hub.write(Buffer.isBuffer(message) ? message : framed(message));
  });
  stranger.listen(through);
  await once(stranger, "listening");
  t.after(() => stranger.close());
  const hub = await startServing(t, { at: place, limits: { loginMs: 100 } });
  const warnings = async () => (await hub.call("/api/v1/state")).body.warnings.join("\n");
  const cases: readonly (readonly [says: typeof say, told: RegExp])[] = [
    [[challenge, welcome], /RECORDER_REFUSED.*doesn't know the pairing's secret/],
    [[{ ...challenge, v: 7 }], /RECORDER_REFUSED.*version 7/],
    [[welcome], /RECORDER_REFUSED.*doesn't know/],
    [[{ t: "refused", code: "OTHER_HUB", message: "x" }], /RECORDER_REFUSED.*Stop the other hub/],
    [[{ t: "receipts", rows: [] }], /RECORDER_DOWN/],
    [["garbage"], /RECORDER_DOWN.*JSON/],
    [[Buffer.from([255, 255, 255, 255])], /RECORDER_DOWN.*4294967295 bytes/],
    [[], /RECORDER_DOWN.*doesn't answer/],
  ];
  for (const [says, told] of cases) {
    say = says;
    await eventually(async () => told.test(await warnings()));
  }
  assert.match((await hub.propose("true")).body.error.message, /RECORDER_/);
  // It proves that it knows the secret without telling it, and tells nothing else.
  assert.ok(sent.includes('"t":"hello"'));
  assert.ok(!sent.includes(invitation.secret) && !sent.includes('"t":"append"'));
});

test("another user is turned away by the kernel's word, whatever it knows", {
  skip: IS_ROOT ? false : "only root can become another user",
}, async (t) => {
  const place = scratch(t);
  chmodSync(place.dir, 0o711);
  const homeDir = join(place.dir, "recorder");
  const socket = join(place.dir, "hub.sock");
  await pairHub({ homeDir, hubUid: OTHER_USER, socket });
  const recorder = await startRecorder({ homeDir, log: silentLog });
  t.after(() => recorder.close());
  // Root gives it to the hub's user alone.
  const { uid, mode } = statSync(socket);
  assert.deepEqual([uid, mode & 0o777], [OTHER_USER, 0o600]);
  chmodSync(socket, 0o666);
  assert.equal((await greeted(OTHER_USER, socket)).t, "challenge");
  assert.equal((await greeted(OTHER_USER + 1, socket)).code, "WRONG_USER");
  // Not even root, who isn't the hub.
  assert.equal((await greeted(0, socket)).code, "WRONG_USER");
});

/** The first thing that a user is told who connects. */
async function greeted(user: number, socket: string): Promise<Received> {
  const script = `require("node:net").connect(${JSON.stringify(socket)}).on("data", (data) => {
    console.log(data.subarray(4).toString());
    process.exit();
  })`;
  const become = ["--reuid", `${user}`, "--regid", `${user}`, "--clear-groups"];
  const child = spawn("setpriv", [...become, process.execPath, "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const [text] = await once(child.stdout, "data");
  return JSON.parse(String(text)) as Received;
}

test("pairing says what it can't do", async (t) => {
  const place = scratch(t);
  const homeDir = join(place.dir, "recorder");
  const own = process.getuid?.() ?? 0;
  const says = (pattern: RegExp) => (cause: unknown) => cause instanceof StartError && pattern.test(cause.message);
  await assert.rejects(pairHub({ homeDir, hubUid: own + 1 }), says(/--hub-socket/));
  const invitation = await pairHub({ homeDir, hubUid: own });
  const again = await pairHub({ homeDir, hubUid: own });
  assert.notEqual(again.secret, invitation.secret);
  assert.equal(again.ledger, invitation.ledger);
  const served = await startServing(t, { at: place });
  await assert.rejects(joinRecorder(place.homeDir, again), says(/uses this home already/));
  await served.served.close();
  // It has a ledger of its own by now.
  await assert.rejects(joinRecorder(place.homeDir, again), says(/a ledger of its own/));
});

/** A hub that was let in, and then reads nothing more. */
async function deafHub(t: TestContext, { socket, secret }: { readonly socket: string; readonly secret: string }) {
  const hub = await visit(t, socket);
  hub.socket.write(framed(hello(secret, hub.nonce)));
  await eventually(() => hub.received.some(({ t: kind }) => kind === "welcome"));
  hub.socket.pause();
  return hub;
}

/** Far more than fits between the recorder and a hub that doesn't read. */
async function flood(t: TestContext, homeDir: string) {
  const sent = 3_000;
  const path = homeAt(homeDir).recorderSocket;
  const emitters = await Promise.all(Array.from({ length: 3 }, () => openEmitter(t, path)));
  for (const emitter of emitters) emitter.send(...Array.from({ length: sent / 3 }, () => frame()));
  return {
    sent,
    /** What nobody waits for and was refused is told with the next one; whoever is answered counts for themselves. */
    async accounted() {
      let answered = 0;
      await eventually(async () => {
        const emitter = await openEmitter(t, path);
        emitter.send(frame({ ack: true }));
        const [answer] = await emitter.answers(1);
        if (answer?.seq !== undefined) answered += 1;
        const actions = (await emitted(homeAt(homeDir))).map(({ credentialSubject }) => credentialSubject.action);
        const frames = actions.map(({ emitter_metadata }) => emitter_metadata?.drop_count ?? 1);
        return frames.reduce((sum, count) => sum + count, 0) === sent + answered;
      });
    },
  };
}

test("emitters go no faster than the hub follows, and what they lose by that is counted", async (t) => {
  const { homeDir, lines, ...place } = await recording(t, { hubBehind: 50, emitterFramesWaiting: 100 });
  const hub = await deafHub(t, place);
  const { accounted, sent } = await flood(t, homeDir);
  await eventually(() => lines.some((line) => line.includes("TOO_MANY_FRAMES")));
  assert.ok((await emitted(homeAt(homeDir))).length < sent);
  hub.socket.resume();
  await accounted();
});

test("they don't wait for a hub that has stopped to read", async (t) => {
  const { homeDir, lines, ...place } = await recording(t, { hubBehind: 50, recorderWaitMs: 200 });
  await deafHub(t, place);
  const { accounted } = await flood(t, homeDir);
  await eventually(() => lines.some((line) => line.includes("the hub's connection has ended")));
  await accounted();
});
