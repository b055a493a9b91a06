import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CaError } from "../src/ca/ca-error.ts";
import type { Delivery } from "../src/delivery/delivery.ts";
import type { DeliveryLimits } from "../src/delivery/limits.ts";
import { openDelivery } from "../src/index.ts";
import { Emitter } from "./emitter.ts";
import { frameOf, RelayHere, SILENT } from "./relay-here.ts";

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 6_000; tries += 1) {
    if (await holds()) return;
    await sleep(10);
  }
  assert.fail("waited for too long");
}

async function deliveryTo(here: RelayHere, limits: Partial<DeliveryLimits> = {}, log = SILENT): Promise<Delivery> {
  const [bundle, state] = [await here.bundle("box"), join(here.dir, "state")];
  const quick = { backoffMinMs: 5, backoffMaxMs: 20, retryAfterMaxMs: 20, ...limits };
  return await openDelivery({ relay: here.url, bundle, sandboxId: "box", state, log, limits: quick });
}

async function relayHere(t: TestContext): Promise<RelayHere> {
  const here = await RelayHere.make(t);
  await here.recorder.listen(here.socket);
  await here.start();
  return here;
}

const numbers = (here: RelayHere) => here.recorder.frames.flatMap(({ input }) => input?.n ?? []);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

test("frames come in order, each once, also where the recorder is gone before it answers", async (t) => {
  const here = await relayHere(t);
  const delivery = await deliveryTo(here);
  let cuts = 0;
  here.recorder.refuse = ({ input }) => (input?.n === 50 && cuts++ === 0 ? "cut" : undefined);
  for (let n = 0; n < 200; n += 1) delivery.emit(frameOf("box", n));
  await delivery.drain(60_000);
  await until(() => here.recorder.frames.length === 200);
  assert.deepEqual(numbers(here), upTo(200));
  assert.equal(cuts > 0, true);
});

test("what there is no room for is counted, and told once by the next frame that comes through", async (t) => {
  const here = await relayHere(t);
  await here.stop();
  const delivery = await deliveryTo(here, { queueFrames: 10 });
  for (let n = 0; n < 25; n += 1) delivery.emit(frameOf("box", n));
  delivery.emit(frameOf("box", 99, { input: { command: "x".repeat(2 * 1024 * 1024) } }));
  assert.deepEqual(delivery.state, { waiting: 10, delivered: 0, dropped: 16 });
  await here.start();
  await until(() => delivery.state.waiting === 0);
  await delivery.drain(60_000);
  assert.deepEqual([numbers(here), here.recorder.dropped, delivery.state.dropped], [upTo(10), 16, 0]);
});

test("a full disk loses nothing of what there is room for in memory, and the count of the rest is told", async (t) => {
  const here = await relayHere(t);
  const state = join(here.dir, "state");
  mkdirSync(state);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", state]).status !== 0)
    return t.skip("needs root to mount a small tmpfs: run as root");
  try {
    await here.stop();
    const told: unknown[] = [];
    const warn = (fields: { err?: { code?: string } }) => told.push(fields.err?.code);
    const delivery = await deliveryTo(here, { queueFrames: 150 }, { ...SILENT, warn });
    for (let n = 0; n < 200; n += 1) delivery.emit(frameOf("box", n, { input: { n, command: "x".repeat(4_096) } }));
    assert.deepEqual(delivery.state, { waiting: 150, delivered: 0, dropped: 50 });
    assert.equal(told.includes("ENOSPC"), true, "it is said");
    await here.start();
    await until(() => delivery.state.waiting === 0);
    await delivery.drain(60_000);
    assert.deepEqual([numbers(here), here.recorder.dropped, delivery.state.dropped], [upTo(150), 50, 0]);
  } finally {
    spawnSync("umount", ["--lazy", state]);
  }
});

test("a flood of reads leaves room for commands, and what is dropped of it is counted", async (t) => {
  const here = await relayHere(t);
  await here.stop();
  const delivery = await deliveryTo(here, { queueFrames: 40, reservedShare: 0.25 });
  for (let n = 0; n < 100; n += 1) delivery.emit(frameOf("box", n, { action_type: "filesystem.file.read" }));
  assert.deepEqual(delivery.state, { waiting: 30, delivered: 0, dropped: 70 });
  for (let n = 100; n < 110; n += 1) delivery.emit(frameOf("box", n));
  assert.deepEqual(delivery.state, { waiting: 40, delivered: 0, dropped: 70 });
  delivery.emit(frameOf("box", 110));
  assert.equal(delivery.state.dropped, 71, "a bound all the same");
  await here.start();
  await until(() => delivery.state.waiting === 0);
  await delivery.drain(5_000);
  const commands = Array.from({ length: 10 }, (_, n) => 100 + n);
  assert.deepEqual([numbers(here), here.recorder.dropped], [[...upTo(30), ...commands], 71]);
});

test("calls that were passed on and never told are counted by the next proxy, and told once", async (t) => {
  const here = await relayHere(t);
  const first = await deliveryTo(here);
  const calls = Array.from({ length: 5 }, () => first.begin());
  calls[0]?.tell([frameOf("box", 0), frameOf("box", 1)]);
  calls[1]?.tell([frameOf("box", 2)]);
  calls[1]?.tell([frameOf("box", 99)]);
  calls[2]?.tell([]);
  await first.drain(5_000);
  const second = await deliveryTo(here);
  assert.equal(second.state.dropped, 2);
  second.emit(frameOf("box", 3));
  await second.drain(5_000);
  const third = await deliveryTo(here);
  third.emit(frameOf("box", 4));
  await third.drain(5_000);
  assert.deepEqual([numbers(here), here.recorder.dropped, third.state.dropped], [upTo(5), 2, 0]);
});

test("a journal's last file that is damaged is logged, and what was in it is counted and told once", async (t) => {
  const here = await relayHere(t);
  await here.stop();
  const first = await deliveryTo(here);
  for (let n = 0; n < 5; n += 1) first.begin().tell([frameOf("box", n)]);
  await first.drain(0);
  const state = join(here.dir, "state");
  const file = join(state, readdirSync(state).find((name) => name.endsWith(".log")) ?? "");
  const bytes = readFileSync(file);
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  const told: object[] = [];
  const log = { ...SILENT, error: (fields: object) => void told.push(fields) };
  const second = await deliveryTo(here, {}, log);
  assert.deepEqual([told, second.state.dropped, second.state.waiting], [[{ path: file, frames: 1 }], 1, 4]);
  await second.drain(0);
  await here.start();
  const third = await deliveryTo(here);
  third.emit(frameOf("box", 5));
  await third.drain(5_000);
  assert.deepEqual([numbers(here), here.recorder.dropped], [[1, 2, 3, 4, 5], 1]);
});

test("one proxy for a state and one relay for a spool: another is refused, and not once they have ended", async (t) => {
  const here = await relayHere(t);
  const first = await deliveryTo(here);
  await assert.rejects(deliveryTo(here), { code: "IN_USE", message: /another proxy keeps its record in .*state/ });
  await first.drain(0);
  await (await deliveryTo(here)).drain(0);
  await assert.rejects(here.another(), { code: "IN_USE", message: /another relay keeps its record in .*spool/ });
  await here.stop();
  await (await here.another()).close();
});

test("a proxy that is killed loses nothing and counts nothing twice, wherever it is killed", async (t) => {
  const here = await relayHere(t);
  const bundle = await here.bundle("box");
  const order = (from: number, to: number) => ({
    ...{
      relay: here.url.href,
      bundle,
      sandboxId: "box",
      state: join(here.dir, "state"),
      from,
      to,
      everyMs: 1,
      drainMs: 30_000,
    },
    limits: { backoffMinMs: 5, backoffMaxMs: 20, queueFrames: 40, batchFrames: 7 },
  });
  // Now and then it hears a frame and is gone before it answers, and now and then so long that there are drops.
  let heard = 0;
  here.recorder.refuse = () => (heard++ % 97 === 0 ? "cut" : undefined);
  let [atLeast, atMost, from] = [0, 0, 0];
  for (let kills = 0; kills < 5; kills += 1) {
    const emitter = new Emitter(order(from, from + 10_000));
    t.after(() => emitter.kill());
    if (kills === 2) await here.stop();
    await until(() => emitter.last("after") > from + 30 + 25 * kills);
    await emitter.kill();
    if (kills === 2) await here.start();
    atLeast += emitter.last("after") - from + 1;
    atMost += emitter.last("before") - from + 1;
    from = emitter.last("before") + 1;
  }
  const last = new Emitter(order(from, from + 20));
  t.after(() => last.kill());
  await last.ended;
  assert.equal(last.isDrained, true);
  await until(async () => (await here.health()).spooledFrames === 0);
  const { length } = here.recorder.frames;
  assert.equal(new Set(numbers(here)).size, length, "none twice");
  // What the last one dropped nobody has told yet; it is on disk.
  const { dropped } = JSON.parse(last.told.split("drained ")[1] ?? "") as { dropped: number };
  const sum = length + here.recorder.dropped + dropped;
  assert.ok(atLeast + 20 <= sum && sum <= atMost + 20, `${atLeast + 20} ≤ ${sum} ≤ ${atMost + 20}`);
  assert.ok(here.recorder.dropped > 0);
});

test("a frame that the recorder refuses for good is counted, and holds nobody up", async (t) => {
  const here = await relayHere(t);
  here.recorder.refuse = ({ input }) => (input?.n === 3 || input?.n === 4 ? "INVALID_FRAME" : undefined);
  const delivery = await deliveryTo(here);
  for (let n = 0; n < 8; n += 1) delivery.emit(frameOf("box", n));
  await until(() => delivery.state.waiting === 0);
  delivery.emit(frameOf("box", 8));
  delivery.emit(frameOf("other", 9));
  await until(() => delivery.state.waiting === 0);
  delivery.emit(frameOf("box", 10));
  await delivery.drain(60_000);
  assert.deepEqual([numbers(here), here.recorder.dropped, delivery.state.dropped], [[0, 1, 2, 5, 6, 7, 8, 10], 3, 0]);
});

test("what the relay acknowledged while the recorder was away comes later, over a relay's end, in order and once", async (t) => {
  const here = await relayHere(t);
  await here.recorder.stop();
  const delivery = await deliveryTo(here);
  for (let n = 0; n < 100; n += 1) delivery.emit(frameOf("box", n));
  await delivery.drain(60_000);
  assert.equal(delivery.state.delivered, 100);
  assert.equal((await here.health()).spooledFrames, 100);
  await here.stop();
  await here.start();
  assert.deepEqual([(await here.health()).spooledFrames, (await here.health()).recorder], [100, "down"]);
  await here.recorder.listen(here.socket);
  await until(async () => (await here.health()).spooledFrames === 0);
  assert.deepEqual(numbers(here), upTo(100));
});

test("a frame that was acknowledged and then refused is told as dropped on its chain, once", async (t) => {
  const here = await relayHere(t);
  await here.recorder.stop();
  const delivery = await deliveryTo(here);
  for (let n = 0; n < 5; n += 1) delivery.emit(frameOf("box", n));
  await delivery.drain(60_000);
  let cuts = 0;
  here.recorder.refuse = ({ input, tool }) => {
    if (input?.n === 2) return "INVALID_FRAME";
    return tool.name === "relay" && cuts++ === 0 ? "cut" : undefined;
  };
  await here.recorder.listen(here.socket);
  await until(async () => (await here.health()).spooledFrames === 0);
  assert.deepEqual([numbers(here), here.recorder.dropped], [[0, 1, 3, 4], 1]);
  const told = here.recorder.frames.filter(({ tool }) => tool.name === "relay");
  assert.deepEqual(
    told.map(({ drop_count }) => drop_count),
    [1],
  );
});

test("a frame on which the recorder closes the connection each time is told as dropped, and holds nobody up", async (t) => {
  const here = await relayHere(t);
  let chokes = 0;
  here.recorder.refuse = ({ input }) => {
    if (input?.n !== 2) return undefined;
    chokes += 1;
    return "choke";
  };
  const delivery = await deliveryTo(here);
  for (let n = 0; n < 5; n += 1) delivery.emit(frameOf("box", n));
  await delivery.drain(60_000);
  await until(async () => (await here.health()).spooledFrames === 0);
  assert.deepEqual([numbers(here), here.recorder.dropped], [[0, 1, 3, 4], 1]);
  assert.ok(chokes > 3, `after ${chokes}`);
});

test("a recorder that closes connections before it reads anything costs no frame", async (t) => {
  const here = await relayHere(t);
  here.recorder.refuse = ({ input }) => {
    if (input?.n !== 2 || here.recorder.frames.length > 2) return undefined;
    here.recorder.turnsAway = 6;
    return "cut";
  };
  const delivery = await deliveryTo(here);
  for (let n = 0; n < 5; n += 1) delivery.emit(frameOf("box", n));
  await delivery.drain(60_000);
  await until(async () => (await here.health()).spooledFrames === 0);
  assert.deepEqual([numbers(here), here.recorder.dropped, here.recorder.turnsAway], [upTo(5), 0, 0]);
});

test("a relay whose spool is full says so, and what it didn't take comes when there is room", async (t) => {
  const here = await RelayHere.make(t);
  await here.start({ spoolBytes: 20_000, spoolBytesPerSandbox: 10_000 });
  const delivery = await deliveryTo(here, { batchFrames: 3 });
  for (let n = 0; n < 50; n += 1) delivery.emit(frameOf("box", n));
  await until(async () => Number((await here.health()).spooledFrames) > 5);
  assert.equal(delivery.state.waiting > 20, true);
  await here.recorder.listen(here.socket);
  await delivery.drain(60_000);
  await until(() => here.recorder.frames.length === 50);
  assert.deepEqual([numbers(here), here.recorder.dropped], [upTo(50), 0]);
});

test("it goes to no relay but the one that the CA vouches for, and renews its certificate without a restart", async (t) => {
  const here = await relayHere(t);
  const other = await relayHere(t);
  const [bundle, state] = [await other.bundle("box"), join(here.dir, "state")];
  const limits = { backoffMinMs: 5, backoffMaxMs: 20 };
  const options = { relay: here.url, bundle, state, log: SILENT, limits };
  await assert.rejects(openDelivery({ ...options, sandboxId: "box-2" }), /box's/);
  await assert.rejects(openDelivery({ ...options, sandboxId: "box", bundle: join(here.dir, "none") }), CaError);
  const delivery = await openDelivery({ ...options, sandboxId: "box", bundle: await here.bundle("box") });
  delivery.emit(frameOf("box", 0));
  await until(() => delivery.state.waiting === 0);
  const ca = await here.ca();
  await ca.revoke("box", Date.now());
  await until(async () => (await here.health()).revoked === 1);
  delivery.emit(frameOf("box", 1));
  await here.bundle("box");
  await delivery.drain(60_000);
  assert.deepEqual(numbers(here), [0, 1]);

  const wrong = await openDelivery({ ...options, relay: here.url, sandboxId: "box", state: join(other.dir, "state") });
  wrong.emit(frameOf("box", 2));
  await wrong.drain(300);
  assert.deepEqual([wrong.state.waiting, here.recorder.frames.length, other.recorder.frames.length], [1, 2, 0]);
  assert.notDeepEqual(readdirSync(join(other.dir, "state")), ["drops"], "it waits on disk");
});
