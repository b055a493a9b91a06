import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CLOSE } from "@countersign/protocol/proposals";
import { checkLedger, readLedger, readReceipts } from "@countersign/store";
import { uuidv7 } from "uuidv7";
import { Client } from "../support/open-server.ts";
import {
  eventually,
  type Scratch,
  type Serving,
  scratch,
  sleeper,
  startServing,
  TOKEN,
} from "../support/serve-fixture.ts";

const ASYNC = { headers: { prefer: "respond-async" } };

/** Runs with a home on a disk of 4 MiB. */
async function onSmallDisk(t: TestContext, profile: object, work: (s: Serving) => Promise<void>): Promise<void> {
  const place: Scratch = scratch(t);
  mkdirSync(place.homeDir, { mode: 0o700 });
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", place.homeDir]);
  if (mounted.status !== 0) return t.skip("needs root to mount a small tmpfs: run as root");
  try {
    mkdirSync(join(place.homeDir, "profiles/default"), { recursive: true });
    writeFileSync(join(place.homeDir, "profiles/default/config.json"), JSON.stringify({ execApproval: profile }));
    await work(await startServing(t, { at: place }));
  } finally {
    spawnSync("umount", ["--lazy", place.homeDir]);
  }
}

/** Takes every byte that is left. */
function fill(s: Serving): string {
  const ballast = join(s.homeDir, "ballast");
  spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=4096"]);
  return ballast;
}

/** Proposes until the disk has no room for another; what is full once stays full. */
async function proposeUntilFull(s: Serving, command: string): Promise<string> {
  for (let n = 0; n < 2_000; n += 1) {
    const { body } = await s.propose(command);
    if (body.error) return `${body.error.code}: ${body.error.message}`;
  }
  return assert.fail("the disk never got full");
}

test("on a full disk nothing runs and the answer says so; with space again it goes on and nothing is lost", (t) =>
  onSmallDisk(t, { security: "full", ask: "off" }, async (s) => {
    const marker = join(s.workspace, "marker");
    assert.equal((await s.propose("true")).body.kind, "exited");
    const ballast = fill(s);
    assert.match(await proposeUntilFull(s, `true ${"x".repeat(20_000)}`), /^INTERNAL: .*FULL/);
    const { body } = await s.propose(`touch ${marker}; # ${"x".repeat(20_000)}`);
    assert.equal(body.error.code, "INTERNAL");
    assert.match(body.error.message, /^Nothing was run, because it could not be recorded: FULL/);
    assert.ok(!existsSync(marker));
    rmSync(ballast);
    assert.equal((await s.propose(`touch ${marker}`)).body.kind, "exited");
    assert.ok(existsSync(marker));
    await s.served.close();
    assert.ok((await checkLedger(readReceipts(s.served.home.database))).whole);
  }));

test("a full disk is reported by /readyz and the state while it lasts, and no longer", (t) =>
  onSmallDisk(t, { security: "full", ask: "off" }, async (s) => {
    const told = async () => {
      const [ready, state] = [await s.call("/readyz", { headers: {} }), await s.call("/api/v1/state")];
      return { ready: ready.body, status: ready.status, problem: state.body.problem, warnings: state.body.warnings };
    };
    const before = await told();
    assert.deepEqual([before.status, before.ready, before.problem], [200, { ok: true }, undefined]);
    const ballast = fill(s);
    await proposeUntilFull(s, `true ${"x".repeat(20_000)}`);
    const full = await told();
    assert.deepEqual([full.status, full.ready], [503, { ok: false, problem: "FULL" }]);
    assert.match(full.problem, /^Everything new is denied, because it can't be put on record: FULL\. /);
    assert.equal(full.warnings[0], full.problem);
    rmSync(ballast);
    const after = await eventually(async () => {
      const now = await told();
      // `audit.jsonl` catches up a moment later.
      return now.status === 200 && now.warnings.length === before.warnings.length && now;
    });
    assert.deepEqual(after, before);
  }));

test("a disk that fills up is reported before anything is proposed, and to those who follow the state", (t) =>
  onSmallDisk(t, { security: "full", ask: "off" }, async (s) => {
    const states: (string | undefined)[] = [];
    s.served.hub.stateNews.listen(({ problem }) => states.push(problem));
    const ballast = fill(s);
    assert.deepEqual((await s.call("/readyz")).body, { ok: false, problem: "FULL" });
    await eventually(() => /FULL/.test(states.at(-1) ?? ""));
    rmSync(ballast);
    // By itself: nobody asks.
    await eventually(() => states.length > 1 && states.at(-1) === undefined);
  }));

test("a device that connects on a full disk is let in and told of it, not called revoked", (t) =>
  onSmallDisk(t, { security: "full", ask: "off" }, async (s) => {
    const register = async (deviceId: string, token: string) => {
      const client = await Client.open(`${s.served.url}/ws`);
      t.after(() => client.socket.terminate());
      const payload = { deviceType: "client", token };
      client.send({ id: uuidv7(), from: deviceId, to: "gateway", action: "register", payload });
      return client;
    };
    const { body: other } = await s.call("/api/v1/tokens", { method: "POST", body: { role: "approver", name: "bob" } });
    const [known, stranger] = [uuidv7(), uuidv7()];
    assert.equal((await (await register(known, other.token)).next()).action, "registered");
    const ballast = fill(s);
    for (const length of [20_000, 2_000, 1]) await proposeUntilFull(s, `true ${"x".repeat(length)}`);
    for (const deviceId of [stranger, stranger])
      assert.equal((await (await register(deviceId, TOKEN)).next()).action, "registered");
    // Another's is another's, full disk or not.
    assert.equal((await (await register(known, TOKEN)).closed).code, CLOSE.unauthorized);
    rmSync(ballast);
  }));

test("pause with kill reports what it did on a full disk, and its record follows", (t) =>
  onSmallDisk(t, { security: "full", ask: "off" }, async (s) => {
    const { command, pids } = sleeper();
    await s.propose(command, {}, ASYNC);
    await eventually(() => pids().length > 0);
    const ballast = fill(s);
    // Also the room that is left in the store's own files.
    for (const length of [20_000, 2_000, 1]) await proposeUntilFull(s, `true ${"x".repeat(length)}`);
    const { status, body } = await s.call("/api/v1/pause", { method: "POST", body: { kill: true } });
    assert.deepEqual([status, body.ok, body.ended], [200, true, 1]);
    assert.match(body.unrecorded, /^FULL: /);
    await eventually(() => pids().length === 0);
    const { paused, problem } = (await s.call("/api/v1/state")).body;
    assert.match(problem, /FULL/);
    rmSync(ballast);
    await eventually(async () => {
      for await (const { type } of readLedger(s.served.home.database)) if (type === "paused") return true;
      return false;
    });
    await s.served.close();
    const again = await startServing(t, { at: s });
    assert.deepEqual((await again.call("/api/v1/state")).body.paused, paused);
  }));

test("a run whose end can't be recorded isn't told as if nothing had been run", (t) =>
  onSmallDisk(t, { security: "full", ask: "off" }, async (s) => {
    const [started, go] = [join(s.workspace, "started"), join(s.workspace, "go")];
    const waiting = `touch ${started}; until test -e ${go}; do sleep 0.01; done; head -c 400000 /dev/urandom | od -x`;
    const running = s.propose(waiting);
    await eventually(() => existsSync(started));
    const ballast = fill(s);
    writeFileSync(go, "");
    const { body } = await running;
    assert.equal(body.error?.code, "INTERNAL", JSON.stringify(body).slice(0, 200));
    assert.match(body.error.message, /was started and has ended \(exited\), but that could not be recorded: FULL/);
    rmSync(ballast);
  }));

test("closing on a full disk still ends what runs and lets go of the home", (t) =>
  onSmallDisk(t, { ask: "always", timeoutMs: 600_000 }, async (s) => {
    const { command, pids } = sleeper();
    await s.propose(command, {}, ASYNC);
    await s.decide((await s.asked()).approvalId, "allow-once");
    await eventually(() => pids().length > 0);
    await s.propose(`touch ${s.workspace}/marker`, {}, ASYNC);
    const ballast = fill(s);
    await proposeUntilFull(s, `true ${"x".repeat(20_000)}`).catch(() => undefined);
    await s.served.close().catch(() => undefined);
    const alive = pids();
    for (const pid of alive) process.kill(pid, "SIGKILL");
    rmSync(ballast);
    const again = await startServing(t, { at: s });
    await again.served.close();
    assert.ok(!existsSync(join(s.workspace, "marker")));
    assert.deepEqual(alive, [], "the command still ran");
  }));
