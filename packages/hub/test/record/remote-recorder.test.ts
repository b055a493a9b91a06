import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { homeAt } from "@countersign/core/config";
import { joinRecorder, pairHub } from "@countersign/recorder";
import { frame, openEmitter } from "../support/emitter-fixture.ts";
import {
  end,
  hubProcess,
  paired,
  relay,
  rowsIn,
  startRecorderProcess,
  typesIn,
  wholeLedger,
} from "../support/remote-recorder-fixture.ts";
import { eventually, scratch, startServing } from "../support/serve-fixture.ts";

const ALLOW = { security: "full", ask: "off" };

const waiting = (homeDir: string) => rowsIn(homeDir, "SELECT key FROM outbox").length;

test("a whole run is recorded by another process, and the hub has the same ledger without a key", async (t) => {
  const place = await paired(t);
  const recorder = await place.start();
  const hub = await startServing(t, { at: place });
  const proposed = hub.propose("touch made");
  const { approvalId } = await hub.asked();
  assert.equal((await hub.decide(approvalId, "allow-once")).status, 200);
  const { body: outcome } = await proposed;
  assert.equal(outcome.kind, "exited");
  assert.ok(existsSync(join(hub.workspace, "made")));

  const emitter = await openEmitter(t, homeAt(place.recorderHome).recorderSocket);
  emitter.send(frame({ ack: true }));
  const [answer] = await emitter.answers(1);
  await eventually(async () => (await wholeLedger(place.homeDir)).length >= (answer?.seq ?? Infinity));
  assert.equal(existsSync(homeAt(place.homeDir).recorderSocket), false);

  await hub.served.close();
  await end(recorder, "SIGTERM");
  const [theirs, ours] = [await wholeLedger(place.recorderHome), await wholeLedger(place.homeDir)];
  assert.deepEqual(ours, theirs.slice(0, ours.length));
  // The last checkpoint is the recorder's alone where the hub has gone before it.
  assert.ok(theirs.length - ours.length <= 1);
  assert.equal(JSON.parse(theirs.at(-1) ?? "").issuer.runtime.entry, "checkpoint");
  assert.equal(waiting(place.homeDir), 0);
  assert.equal(existsSync(join(place.homeDir, "keys/receipts.pem")), false);
  const audit = readFileSync(homeAt(place.homeDir).audit, "utf8").trim().split("\n");
  const ran = audit.map((line) => JSON.parse(line)).find(({ type }) => type === "tool_exec");
  assert.equal(ran.details.receipt, outcome.receipt);
});

test("without its recorder a hub starts, says so, and lets nothing happen; with it, everything", async (t) => {
  const place = await paired(t, { profile: ALLOW });
  const hub = await startServing(t, { at: place });
  const refused = await hub.propose("touch made", { proposalId: "p-1" });
  assert.equal(refused.status, 500);
  assert.match(refused.body.error.message, /RECORDER_DOWN .*countersign recorder/);
  assert.equal((await hub.call("/readyz")).status, 503);
  assert.match((await hub.call("/api/v1/state")).body.warnings.join("\n"), /Everything new is denied.*RECORDER_DOWN/);
  assert.equal((await hub.call("/api/v1/tokens", { method: "POST", body: { role: "agent", name: "x" } })).status, 500);
  assert.equal(rowsIn(place.homeDir, "SELECT * FROM proposal").length, 0);
  assert.equal(rowsIn(place.homeDir, "SELECT * FROM token").length, 0);
  // Stopping isn't refused: it is kept, and delivered later.
  assert.equal((await hub.call("/api/v1/pause", { method: "POST", body: {} })).status, 200);
  assert.equal((await hub.call("/api/v1/resume", { method: "POST", body: {} })).status, 500);
  assert.equal(existsSync(join(hub.workspace, "made")), false);

  const recorder = await place.start();
  await eventually(async () => (await hub.call("/readyz")).status === 200);
  assert.equal((await hub.call("/api/v1/resume", { method: "POST", body: {} })).status, 200);
  assert.equal((await hub.propose("touch made", { proposalId: "p-1" })).body.kind, "exited");
  assert.deepEqual((await typesIn(place.homeDir)).slice(0, 8), [
    ...["ledger-opened", "hub-up", "policy-changed", "paused", "resumed"],
    ...["decided", "started", "ended"],
  ]);

  await end(recorder, "SIGKILL");
  await eventually(async () => (await hub.call("/readyz")).status === 503);
  assert.match((await hub.propose("touch more")).body.error.message, /RECORDER_DOWN/);
  assert.equal(existsSync(join(hub.workspace, "more")), false);
});

test("what a run came to isn't lost with the recorder, nor is a question that nobody could answer", async (t) => {
  const place = await paired(t);
  const recorder = await place.start();
  const hub = await startServing(t, { at: place });
  assert.equal(spawnSync("mkfifo", [join(hub.workspace, "pipe")]).status, 0);
  const runs = hub.propose("touch a; cat pipe; exit 3");
  const first = await hub.asked();
  await hub.decide(first.approvalId, "allow-once");
  await eventually(() => existsSync(join(hub.workspace, "a")));
  const waits = hub.propose("touch b");
  const second = await hub.asked();
  await end(recorder, "SIGKILL");
  await eventually(async () => (await hub.call("/readyz")).status === 503);
  assert.match((await hub.decide(second.approvalId, "allow-once")).body.error.message, /RECORDER_DOWN/);
  assert.equal((await hub.decide(second.approvalId, "deny")).status, 200);
  const denied = (await waits).body;
  assert.deepEqual([denied.kind, denied.by, denied.receipt], ["denied", "person", undefined]);
  spawn("sh", ["-c", `: > ${join(hub.workspace, "pipe")}`]);
  const ended = (await runs).body;
  assert.deepEqual([ended.kind, ended.exitCode, ended.receipt], ["exited", 3, undefined]);
  assert.equal(waiting(place.homeDir), 3);
  await place.start();
  await eventually(() => waiting(place.homeDir) === 0);
  const types = await typesIn(place.recorderHome);
  assert.deepEqual(types.slice(-3).sort(), ["decided", "ended", "ended"]);
  assert.equal(existsSync(join(hub.workspace, "b")), false);
});

test("killed between delivery and answer, a recorder has it exactly once", async (t) => {
  const place = await paired(t, { profile: ALLOW, through: true });
  const between = await relay(t, place);
  const recorder = await place.start();
  const hub = await startServing(t, { at: place });
  await eventually(() => waiting(place.homeDir) === 0);
  const before = (await wholeLedger(place.recorderHome)).length;
  between.holdAfter("append");
  const proposed = hub.propose("touch made");
  // Durable there, and nobody here knows.
  await eventually(() => rowsIn(place.recorderHome, `SELECT seq FROM receipt WHERE seq > ${before}`).length > 0);
  await end(recorder, "SIGKILL");
  assert.equal(waiting(place.homeDir), 1);
  assert.equal(existsSync(join(hub.workspace, "made")), false);
  between.letGo();
  await place.start();
  const { body: outcome } = await proposed;
  assert.equal(outcome.kind, "exited");
  assert.ok(between.count("hello") >= 2);
  const decided = (await typesIn(place.recorderHome)).filter((type) => type === "decided");
  assert.equal(decided.length, 1);
  assert.deepEqual(await wholeLedger(place.homeDir), await wholeLedger(place.recorderHome));
});

test("what isn't confirmed in time permits nothing, and goes on record when it can", async (t) => {
  const place = await paired(t, { profile: ALLOW, through: true });
  const between = await relay(t, place);
  await place.start();
  const hub = await startServing(t, { at: place, limits: { recorderWaitMs: 1_000 } });
  await eventually(() => waiting(place.homeDir) === 0);
  for (const [name, types] of [
    ["decided", ["decided", "ended"]],
    ["started", ["decided", "started", "ended"]],
  ] as const) {
    // Of the start, the decision before it passes.
    between.holdAfter("append", types.length - 1);
    const { body: outcome } = await hub.propose(`touch ${name}`, { proposalId: name });
    assert.equal(outcome.kind, "not-started", name);
    assert.match(outcome.reason, /UNCONFIRMED/);
    assert.equal(existsSync(join(hub.workspace, name)), false);
    between.letGo();
    await eventually(async () => (await hub.call("/readyz")).status === 200 && waiting(place.homeDir) === 0);
    const [row] = rowsIn(place.homeDir, `SELECT key, state FROM proposal WHERE proposal_id = '${name}'`);
    assert.equal(row?.state, "ended");
    assert.deepEqual(await typesIn(place.recorderHome, String(row?.key)), types);
  }
});

test("a hub that is killed delivers at its next start what its recorder never had", async (t) => {
  const place = await paired(t);
  const killed = await hubProcess(t, place);
  await end(killed.child, "SIGKILL");
  const left = waiting(place.homeDir);
  assert.ok(left >= 2);
  await place.start();
  assert.deepEqual(await wholeLedger(place.recorderHome), []);
  const again = await hubProcess(t, place);
  await eventually(() => waiting(place.homeDir) === 0);
  assert.deepEqual(await typesIn(place.recorderHome), ["ledger-opened", "hub-up", "policy-changed", "hub-up"]);
  await end(again.child, "SIGKILL");
});

test("the hub has its recorder change the key, and follows; a key that wasn't committed to can't be", async (t) => {
  const place = await paired(t, { profile: ALLOW });
  await place.start();
  const hub = await startServing(t, { at: place });
  await hub.propose("true", { session: "s-1" });
  const rotate = () => hub.call("/api/v1/receipts/rotate", { method: "POST", body: { confirm: true } });
  const { status, body } = await rotate();
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal((await hub.propose("true", { session: "s-1" })).body.kind, "exited");
  const types = await typesIn(place.recorderHome);
  assert.deepEqual(types.slice(types.indexOf("key-rotated")).slice(0, 5), [
    ...["key-rotated", "checkpoint", "decided", "started", "ended"],
  ]);
  assert.deepEqual(await wholeLedger(place.homeDir), await wholeLedger(place.recorderHome));
  rmSync(join(place.recorderHome, "keys/receipts-next.pem"));
  const refused = await rotate();
  assert.equal(refused.status, 409);
  assert.match(refused.body.error.message, /put it back/);
  assert.equal((await hub.propose("true")).body.kind, "exited");
});

test("a ledger that the hub has signed itself goes on in a recorder", async (t) => {
  const place = scratch(t, ALLOW);
  const alone = await startServing(t, { at: place });
  await alone.propose("true");
  await alone.served.close();
  const recorderHome = join(place.dir, "recorder");
  const [ours, theirs] = [homeAt(place.homeDir), homeAt(recorderHome)];
  mkdirSync(theirs.keys, { recursive: true, mode: 0o700 });
  for (const file of ["database", "witness"] as const) copyFileSync(ours[file], theirs[file]);
  for (const name of readdirSync(ours.keys).filter((file) => file.startsWith("receipts")))
    renameSync(join(ours.keys, name), join(theirs.keys, name));
  const before = await wholeLedger(place.homeDir);
  const invitation = await pairHub({ homeDir: recorderHome, hubUid: process.getuid?.() ?? 0 });
  assert.deepEqual(await joinRecorder(place.homeDir, invitation), { leftKey: undefined });
  await startRecorderProcess(t, recorderHome);
  const hub = await startServing(t, { at: place });
  assert.equal((await hub.propose("true")).body.kind, "exited");
  const after = await wholeLedger(place.homeDir);
  assert.deepEqual(after.slice(0, before.length), before);
  assert.deepEqual(after, await wholeLedger(recorderHome));
});

test("a recorder that was replaced by an older copy is refused, and the hub's mirror takes its place", async (t) => {
  const place = await paired(t, { profile: ALLOW });
  const database = homeAt(place.recorderHome).database;
  const old = join(place.dir, "old.db");
  const first = await place.start();
  const hub = await startServing(t, { at: place });
  await hub.propose("true");
  await end(first, "SIGTERM");
  copyFileSync(database, old);
  const second = await place.start();
  await eventually(async () => (await hub.call("/readyz")).status === 200);
  await hub.propose("true");
  await end(second, "SIGTERM");
  await eventually(async () => (await hub.call("/readyz")).status === 503);

  const replace = (by: string) => {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${database}${end}`, { force: true });
    copyFileSync(by, database);
  };
  replace(old);
  // Its own witness would tell it: whoever goes back takes that back too.
  rmSync(homeAt(place.recorderHome).witness);
  const rolledBack = await place.start();
  const warnings = async () => (await hub.call("/api/v1/state")).body.warnings.join("\n");
  await eventually(async () => /RECORDER_ROLLED_BACK.*older copy/.test(await warnings()));
  assert.match((await hub.propose("touch made")).body.error.message, /RECORDER_ROLLED_BACK/);
  await end(rolledBack, "SIGTERM");

  await hub.served.close();
  replace(homeAt(place.homeDir).database);
  await place.start();
  const again = await startServing(t, { at: place });
  assert.equal((await again.propose("touch made")).body.kind, "exited");
  assert.deepEqual(await wholeLedger(place.homeDir), await wholeLedger(place.recorderHome));
});

test("a hub that was replaced by an older copy says so, and so does the record", async (t) => {
  const place = await paired(t, { profile: ALLOW });
  await place.start();
  const { database } = homeAt(place.homeDir);
  const first = await startServing(t, { at: place });
  await first.propose("true");
  await first.served.close();
  copyFileSync(database, `${database}.old`);
  const second = await startServing(t, { at: place });
  const warnings = async (hub: typeof second) => (await hub.call("/api/v1/state")).body.warnings.join("\n");
  assert.doesNotMatch(await warnings(second), /older copy/);
  assert.equal((await second.call("/api/v1/pause", { method: "POST", body: {} })).status, 200);
  await second.served.close();
  for (const suffix of ["-wal", "-shm"]) rmSync(`${database}${suffix}`, { force: true });
  renameSync(`${database}.old`, database);

  const third = await startServing(t, { at: place });
  assert.match(await warnings(third), /older copy: [1-9]\d* receipts/);
  const [up] = (await wholeLedger(place.homeDir))
    .map((raw) => JSON.parse(raw).issuer.runtime)
    .filter(({ entry }) => entry === "hub-up")
    .slice(-1);
  assert.ok(up.details.forgotten >= 1);
});
