import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openCa } from "@countersign/sandbox";
import { BIN, type Ended, Running } from "./countersign.ts";

export const RECORDER = 54_331;
export const RELAY = 54_332;
/** Each sandbox's proxy has a user of its own. */
export const SANDBOX = 54_340;
const DAY_MS = 86_400_000;

/** What a proxy does with its frames, in a process that can be killed. */
const EMITTER = fileURLToPath(new URL("../../sandbox/test/emitter-child.ts", import.meta.url));

export const become = (uid: number) => ["setpriv", "--reuid", `${uid}`, "--regid", `${uid}`, "--clear-groups", "--"];

export function whyNot(): string | false {
  if (process.getuid?.() !== 0) return "only root can run a recorder, a relay and a proxy as three users";
  const [program = "", ...args] = [...become(RELAY), "test", "-r", BIN];
  return spawnSync(program, args).status === 0 ? false : "an ordinary user can't read the sources here";
}

/** A recorder, a relay and sandboxes, each of another user, none of whom can read another's files. */
export class ThreeUsers {
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

export async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3_000; tries += 1) {
    if (await holds()) return;
    await sleep(20);
  }
  assert.fail("waited for too long");
}
