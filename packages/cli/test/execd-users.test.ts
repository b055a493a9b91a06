import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openCa } from "@countersign/execd";
import { BIN, type Ended, Running } from "./countersign.ts";
import { deepTest } from "./deep-test.ts";

const RECORDER = 54_331;
const RELAY = 54_332;
/** Each sandbox's proxy has a user of its own. */
const SANDBOX = 54_340;
const DAY_MS = 86_400_000;

/** What a proxy does with its frames, in a process that can be killed. */
const EMITTER = fileURLToPath(new URL("../../execd/test/emitter-child.ts", import.meta.url));

const become = (uid: number) => ["setpriv", "--reuid", `${uid}`, "--regid", `${uid}`, "--clear-groups", "--"];

function whyNot(): string | false {
  if (process.getuid?.() !== 0) return "only root can run a recorder, a relay and a proxy as three users";
  const [program = "", ...args] = [...become(RELAY), "test", "-r", BIN];
  return spawnSync(program, args).status === 0 ? false : "an ordinary user can't read the sources here";
}

/** A recorder, a relay and sandboxes, each of another user, none of whom can read another's files. */
class ThreeUsers {
  readonly root: string;
  readonly sandboxes: readonly string[];
  readonly #started: Running[] = [];
  #port = 0;
  #health = "";
  proxyPort = 0;

  private constructor(t: TestContext, sandboxes: readonly string[]) {
    this.root = mkdtempSync(join(tmpdir(), "cs-three-"));
    this.sandboxes = sandboxes;
    t.after(async () => {
      await Promise.all(this.#started.map((running) => running.stop("SIGKILL")));
      rmSync(this.root, { recursive: true, force: true });
    });
  }

  static async make(t: TestContext, sandboxes: readonly string[]): Promise<ThreeUsers> {
    const users = new ThreeUsers(t, sandboxes);
    chmodSync(users.root, 0o711);
    const own = (path: string, uid: number, mode: number) => {
      mkdirSync(path, { mode });
      chownSync(path, uid, uid);
    };
    own(users.at("run"), RECORDER, 0o755);
    for (const uid of [RECORDER, RELAY, ...sandboxes.map((_, n) => SANDBOX + n)]) own(users.at(`${uid}`), uid, 0o700);
    const emitters = [{ uid: RELAY, role: "relay" }];
    const receipts = { socket: users.at("run/recorder.sock"), group: RELAY, emitters };
    own(users.homeOf(RECORDER), RECORDER, 0o700);
    users.#give(join(users.homeOf(RECORDER), "config.json"), JSON.stringify({ receipts }), RECORDER);
    await users.#issue();
    return users;
  }

  at(name: string): string {
    return join(this.root, name);
  }

  homeOf(uid: number): string {
    return join(this.root, `${uid}`, "countersign");
  }

  start(uid: number, ...args: readonly string[]): Running {
    const HOME = this.at(`${uid}`);
    const env = { PATH: process.env.PATH ?? "", HOME, COUNTERSIGN_HOME: this.homeOf(uid) };
    const [program = "", ...rest] = [...become(uid), process.execPath, BIN, ...args];
    const running = new Running(spawn(program, rest, { cwd: HOME, env }));
    this.#started.push(running);
    return running;
  }

  run(uid: number, ...args: readonly string[]): Promise<Ended> {
    return this.start(uid, ...args).ended;
  }

  /** The recorder's group is the relay's, so that it may be given the socket. */
  async recorder(): Promise<Running> {
    const HOME = this.at(`${RECORDER}`);
    const env = { PATH: process.env.PATH ?? "", HOME, COUNTERSIGN_HOME: this.homeOf(RECORDER) };
    const as = ["--reuid", `${RECORDER}`, "--regid", `${RECORDER}`, "--groups", `${RELAY}`, "--"];
    const args = [...as, process.execPath, BIN, "recorder", "--json"];
    const running = new Running(spawn("setpriv", args, { cwd: HOME, env }));
    this.#started.push(running);
    await running.firstLine();
    return running;
  }

  async relay(): Promise<Running> {
    const own = this.at(`${RELAY}`);
    const running = this.start(
      ...([
        RELAY,
        "execd",
        "relay",
        "--json",
        "--listen",
        `127.0.0.1:${this.#port}`,
        "--health",
        "127.0.0.1:0",
      ] as const),
      ...["--bundle", join(own, "relay.pem"), "--crl", this.at("crl.pem"), "--recorder", this.at("run/recorder.sock")],
    );
    const { url, health } = JSON.parse(await running.firstLine()) as { url: string; health: string };
    this.#port = Number(new URL(url).port);
    this.#health = health;
    return running;
  }

  async spooled(): Promise<number> {
    return ((await (await fetch(`${this.#health}/healthz`)).json()) as { spooledFrames: number }).spooledFrames;
  }

  /** The real one. On the same port as before, once it has had one. */
  async proxy(n: number, execd: string): Promise<Running> {
    const own = this.at(`${SANDBOX + n}`);
    const running = this.start(
      ...([SANDBOX + n, "execd", "proxy", "--json", "--listen", `127.0.0.1:${this.proxyPort}`] as const),
      ...["--execd", execd, "--relay", `https://localhost:${this.#port}`, "--bundle", join(own, "bundle.pem")],
      ...["--sandbox-id", this.sandboxes[n] ?? "", "--state", join(own, "state")],
    );
    this.proxyPort = Number(new URL(JSON.parse(await running.firstLine()).url).port);
    return running;
  }

  emitter(n: number, order: { from: number; to: number; everyMs: number; limits: object }): Running {
    const own = this.at(`${SANDBOX + n}`);
    const where = {
      relay: `https://localhost:${this.#port}`,
      bundle: join(own, "bundle.pem"),
      state: join(own, "state"),
    };
    const told = JSON.stringify({ ...where, sandboxId: this.sandboxes[n], drainMs: 120_000, ...order });
    const [program = "", ...args] = [...become(SANDBOX + n), process.execPath, EMITTER, told];
    const running = new Running(spawn(program, args, { cwd: own, env: { PATH: process.env.PATH ?? "", HOME: own } }));
    this.#started.push(running);
    return running;
  }

  /** What is on record of each sandbox: receipts of frames, and how many those before them say were dropped. */
  async onRecord(): Promise<Map<string, { live: number; dropped: number; distinct: number }>> {
    const file = join(this.at(`${RECORDER}`), "all.jsonl");
    const { code, stderr } = await this.run(RECORDER, "receipts", "export", "--jsonl", file);
    assert.equal(code, 0, stderr);
    const subjects = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).credentialSubject);
    const ofSandbox = (sandboxId: string) => {
      const actions = subjects
        .filter(({ principal }) => principal.id === `sandbox:${sandboxId}`)
        .map(({ action }) => action);
      const live = actions.filter(({ type }) => type === "system.command.execute");
      const dropped = actions
        .filter(({ type }) => type === "agent_receipts.events_dropped")
        .reduce((sum: number, { emitter_metadata }) => sum + emitter_metadata.drop_count, 0);
      return { live: live.length, dropped, distinct: new Set(live.map(({ idempotency_key }) => idempotency_key)).size };
    };
    return new Map(this.sandboxes.map((sandboxId) => [sandboxId, ofSandbox(sandboxId)]));
  }

  /** The CA is root's: neither the relay nor a sandbox can read its key. */
  async #issue(): Promise<void> {
    const dir = this.at("ca");
    const ca = ["--ca", dir, "--json"];
    const ran = (args: readonly string[]) => {
      const { status, stderr } = spawnSync(process.execPath, [BIN, "execd", "ca", ...args, ...ca], {
        encoding: "utf8",
      });
      assert.equal(status, 0, stderr);
    };
    ran(["init", "--crl", this.at("crl.pem")]);
    ran(["issue", "--relay", "--host", "localhost", "--out", this.at("relay.pem")]);
    this.#give(join(this.at(`${RELAY}`), "relay.pem"), readFileSync(this.at("relay.pem"), "utf8"), RELAY);
    const authority = await openCa(dir);
    for (const [n, sandboxId] of this.sandboxes.entries()) {
      const out = this.at(`${sandboxId}.pem`);
      await authority.issueForSandbox(sandboxId, { out, validMs: DAY_MS, renew: false }, Date.now());
      this.#give(join(this.at(`${SANDBOX + n}`), "bundle.pem"), readFileSync(out, "utf8"), SANDBOX + n);
    }
  }

  #give(path: string, content: string, uid: number): void {
    writeFileSync(path, content, { mode: 0o600 });
    chownSync(path, uid, uid);
  }
}

/** The highest number that an emitter told after this word; -1 where there's none. */
function lastOf({ printed }: Running, word: "before" | "after"): number {
  return Number(
    printed
      .match(new RegExp(`^${word} (\\d+)$`, "gm"))
      ?.at(-1)
      ?.split(" ")[1] ?? -1,
  );
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3_000; tries += 1) {
    if (await holds()) return;
    await sleep(20);
  }
  assert.fail("waited for too long");
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

/** An execd that counts what it is asked to run, and takes its time. */
class CountingExecd {
  seen = 0;
  readonly #server = createServer((call, answer) => {
    const event = (fields: object) => `${JSON.stringify({ ...fields, timestamp: Date.now() })}\n\n`;
    call.resume();
    if (call.url?.startsWith("/command/status/")) return void answer.end('{"running":false,"exit_code":0}');
    this.seen += 1;
    answer.writeHead(200, { "content-type": "text/event-stream" });
    answer.write(event({ type: "init", text: `${this.seen}` }));
    const end = () => answer.end(event({ type: "execution_complete" }));
    call.on("end", () => setTimeout(end, 20 + Math.random() * 60));
  });

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Sends commands, one after the other, until it is told to stop. A call that is cut was sent all the same. */
class CommandSender {
  sent = 0;
  answered = 0;
  isStopped = false;
  readonly #url: () => string;

  constructor(url: () => string) {
    this.#url = url;
  }

  async once(): Promise<boolean> {
    this.sent += 1;
    const body = JSON.stringify({ command: "true", background: this.sent % 5 === 0 });
    const answer = await fetch(`${this.#url()}/command`, { method: "POST", body })
      .then((got) => got.text())
      .catch(() => "");
    if (!answer.includes("execution_complete")) return false;
    this.answered += 1;
    return true;
  }

  async run(): Promise<void> {
    while (!this.isStopped) if (!(await this.once())) await sleep(20);
  }
}

deepTest("the real proxy, killed at random under load: every call is a receipt or counted", async (t) => {
  const why = whyNot();
  if (why) return t.skip(why);
  const users = await ThreeUsers.make(t, ["box-1"]);
  const recorder = await users.recorder();
  let relay = await users.relay();
  const execd = new CountingExecd();
  const url = await execd.listen();
  t.after(() => execd.close());
  let proxy = await users.proxy(0, url);
  const senders = Array.from({ length: 8 }, () => new CommandSender(() => `http://127.0.0.1:${users.proxyPort}`));
  const sending = Promise.all(senders.map((sender) => sender.run()));
  t.after(() => {
    for (const sender of senders) sender.isStopped = true;
  });
  for (let kill = 0; kill < 20; kill += 1) {
    const seenBefore = execd.seen;
    await until(async () => execd.seen >= seenBefore + 10);
    await sleep(Math.random() * 200);
    if (kill % 5 === 4) {
      await relay.stop("SIGKILL");
      relay = await users.relay();
    }
    await proxy.stop("SIGKILL");
    proxy = await users.proxy(0, url);
  }
  for (const sender of senders) sender.isStopped = true;
  await sending;
  const last = senders[0] as CommandSender;
  assert.equal(await last.once(), true, "it tells of what was counted last");
  assert.equal((await proxy.stop()).code, 0);
  await until(async () => (await users.spooled()) === 0);
  assert.equal((await relay.stop()).code, 0);
  assert.equal((await recorder.stop()).code, 0);

  const sent = senders.reduce((sum, sender) => sum + sender.sent, 0);
  const { live, dropped, distinct } = (await users.onRecord()).get("box-1") ?? assert.fail("nothing is on record");
  const told = `${live} live + ${dropped} dropped, of ${execd.seen} that execd saw and ${sent} that were sent`;
  t.diagnostic(told);
  assert.equal(distinct, live, "none is there twice");
  assert.ok(dropped > 0, told);
  assert.ok(live + dropped >= execd.seen && live + dropped <= sent, told);
  const verified = await users.run(RECORDER, "receipts", "verify");
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
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
