import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Running } from "./countersign.ts";
import { deepTest } from "./deep-test.ts";
import { become, RECORDER, RELAY, SANDBOX, ThreeUsers, until, whyNot } from "./three-users.ts";

/** The highest number that an emitter told after this word; -1 where there's none. */
function lastOf({ printed }: Running, word: "before" | "after"): number {
  return Number(
    printed
      .match(new RegExp(`^${word} (\\d+)$`, "gm"))
      ?.at(-1)
      ?.split(" ")[1] ?? -1,
  );
}

interface Storm {
  readonly frames: number;
  readonly everyMs: number;
  readonly kills: number;
  readonly sandboxes: readonly string[];
}

/** Kills the recorder, the relay or a sandbox's proxy, again and again, while frames are emitted. */
async function throughStorm(t: TestContext, { frames, everyMs, kills, sandboxes }: Storm): Promise<void> {
  const users = await ThreeUsers.make(t, sandboxes);
  let recorder = await users.recorder();
  let relay = await users.relay();
  const limits = { queueFrames: 60, backoffMinMs: 10, backoffMaxMs: 100, retryAfterMaxMs: 200 };
  const runs = sandboxes.map((_, n) => {
    const order = { from: 0, to: frames, everyMs, limits };
    return { n, emitter: users.emitter(n, order), unsure: 0, next: 0 };
  });
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(Math.random() * 150);
    const which = kill % 3;
    if (which === 0) {
      await recorder.stop("SIGKILL");
      await sleep(Math.random() * 300);
      recorder = await users.recorder();
    } else if (which === 1) {
      await relay.stop("SIGKILL");
      await sleep(Math.random() * 300);
      relay = await users.relay();
    } else {
      const run = runs[Math.floor(Math.random() * runs.length)] as (typeof runs)[number];
      await run.emitter.stop("SIGKILL");
      if (run.emitter.printed.includes("drained")) continue;
      // One that it was about to emit when it was killed may or may not have been: the numbers tell no more than that.
      const before = Math.max(lastOf(run.emitter, "before"), run.next - 1);
      run.unsure += before - Math.max(lastOf(run.emitter, "after"), run.next - 1);
      run.next = before + 1;
      run.emitter = users.emitter(run.n, { from: run.next, to: frames, everyMs, limits });
    }
  }
  for (const { emitter } of runs) await emitter.ended;
  // What was dropped last is told by one more frame of each.
  for (const { n } of runs) await users.emitter(n, { from: frames, to: frames + 1, everyMs: 0, limits }).ended;
  await until(async () => (await users.spooled()) === 0);
  assert.equal((await relay.stop()).code, 0);
  assert.equal((await recorder.stop()).code, 0);

  const onRecord = await users.onRecord();
  for (const { n, unsure } of runs) {
    const { live, dropped, distinct } = onRecord.get(sandboxes[n] ?? "") ?? assert.fail("nothing is on record");
    assert.equal(distinct, live, "none is there twice");
    const told = `${live} live + ${dropped} dropped, of ${frames + 1} emitted (${unsure} of them unsure)`;
    assert.ok(live + dropped <= frames + 1 && live + dropped >= frames + 1 - unsure, told);
    t.diagnostic(`${sandboxes[n]}: ${told}`);
  }
  const verified = await users.run(RECORDER, "receipts", "verify");
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
}

test("recorder, relay and proxies as users of their own, killed at random: frames emitted are receipts or counted", {
  skip: whyNot(),
}, async (t) => {
  await throughStorm(t, { frames: 240, everyMs: 5, kills: 3, sandboxes: ["box-1", "box-2"] });
});

deepTest("the same for long, with more sandboxes", async (t) => {
  const why = whyNot();
  if (why) return t.skip(why);
  await throughStorm(t, { frames: 6_000, everyMs: 10, kills: 60, sandboxes: ["box-1", "box-2", "box-3", "box-4"] });
});

test("the relay holds no key that signs receipts or certificates, and can read none; a sandbox not even the recorder's socket", {
  skip: whyNot(),
}, async (t) => {
  const users = await ThreeUsers.make(t, ["box-1"]);
  await users.recorder();
  const relay = await users.relay();
  const emitter = users.emitter(0, { from: 0, to: 3, everyMs: 0, limits: {} });
  await emitter.ended;
  assert.deepEqual(await users.spooled(), 0);
  const keys = [join(users.homeOf(RECORDER), "keys/receipts.pem"), users.at("ca/ca.key")];
  const tries = (uid: number, ...command: readonly string[]) => {
    const [program = "", ...args] = [...become(uid), ...command];
    return spawnSync(program, args, { encoding: "utf8" }).stderr;
  };
  for (const path of keys) {
    assert.ok(existsSync(path), path);
    for (const uid of [RELAY, SANDBOX]) assert.match(tries(uid, "cat", path), /Permission denied/, `${uid} ${path}`);
  }
  const dial = `require("net").connect(${JSON.stringify(users.at("run/recorder.sock"))}).on("error", (e) => console.error(e.code))`;
  assert.match(tries(SANDBOX, process.execPath, "-e", dial), /EACCES/);
  const held = spawnSync("find", [`/proc/${relay.child.pid}/fd`, "-lname", "*.pem", "-o", "-lname", "*.key"], {
    encoding: "utf8",
  });
  assert.equal(held.stdout, "", "no key's file is open");
  const own = spawnSync("find", [users.at(`${RELAY}`), "-type", "f", "-size", "-64k"], { encoding: "utf8" })
    .stdout.trim()
    .split("\n");
  const withKeys = own.filter((path) => /PRIVATE KEY/.test(readFileSync(path, "latin1")));
  assert.deepEqual(withKeys, [join(users.at(`${RELAY}`), "relay.pem")], "its own certificate's, and no other");
});
