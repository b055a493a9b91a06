import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../packages/cli/bin/countersign.js", import.meta.url));
const CHILD = fileURLToPath(new URL("execd-child.ts", import.meta.url));
/** A kernel counts a process's time in these. */
const TICKS_PER_SECOND = 100;
const SANDBOX = "box";

export interface Part {
  readonly child: ChildProcess;
  readonly url: string;
}

export interface OnRecord {
  readonly receipts: number;
  readonly dropped: number;
}

/** All that a sandbox's record goes through, each a process of its own as it is in use: proxy, relay, recorder. */
export class ExecdRoom implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  readonly #env = { PATH: process.env.PATH ?? "", HOME: this.dir, COUNTERSIGN_HOME: join(this.dir, "home") };
  readonly #started: ChildProcess[] = [];
  #relayPort = 0;

  constructor() {
    mkdirSync(this.#env.COUNTERSIGN_HOME, { mode: 0o700 });
    const emitters = [{ uid: process.getuid?.() ?? 0, role: "relay" }];
    writeFileSync(join(this.#env.COUNTERSIGN_HOME, "config.json"), JSON.stringify({ receipts: { emitters } }), {
      mode: 0o600,
    });
    this.run("execd", "ca", "init");
    this.run("execd", "ca", "issue", "--relay", "--host", "localhost");
    this.run("execd", "ca", "issue", SANDBOX, "--out", join(this.dir, "box.pem"));
  }

  async recorder(): Promise<ChildProcess> {
    return (await this.#start("recorder", "--json")).child;
  }

  /** On the same port as before, once it has had one. */
  async relay(): Promise<Part> {
    const listen = ["--listen", `127.0.0.1:${this.#relayPort}`, "--health", "127.0.0.1:0"];
    const { child, told } = await this.#start("execd", "relay", "--json", ...listen);
    this.#relayPort = Number(new URL(told.url).port);
    return { child, url: told.url };
  }

  async proxy(execd: string): Promise<Part> {
    const where = ["--execd", execd, "--relay", `https://localhost:${this.#relayPort}`, "--listen", "127.0.0.1:0"];
    const who = ["--sandbox-id", SANDBOX, "--bundle", join(this.dir, "box.pem"), "--state", join(this.dir, "state")];
    const { child, told } = await this.#start("execd", "proxy", "--json", ...where, ...who);
    return { child, url: told.url };
  }

  /** One of `execd-child.ts`. */
  async child(role: "execd" | "pass", target = ""): Promise<Part> {
    const child = fork(CHILD, [role, target], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#started.push(child);
    const [{ port }] = (await once(child, "message")) as [{ port: number }];
    return { child, url: `http://127.0.0.1:${port}` };
  }

  async stop(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const ended = once(child, "close");
    child.kill(signal);
    await ended;
  }

  onRecord(): OnRecord {
    const { emitters } = JSON.parse(this.run("report", "--from", "1h", "--json")).figures as {
      emitters: readonly { readonly frames: number; readonly dropped: number }[];
    };
    return { receipts: emitters[0]?.frames ?? 0, dropped: emitters[0]?.dropped ?? 0 };
  }

  /** When so many are on record, as receipts or as drops; or what is after a minute. */
  async haveOnRecord(count: number): Promise<OnRecord> {
    for (const untilMs = performance.now() + 60_000; ; await sleep(200)) {
      const now = this.onRecord();
      if (now.receipts + now.dropped >= count || performance.now() > untilMs) return now;
    }
  }

  run(...args: readonly string[]): string {
    const options = { env: this.#env, encoding: "utf8", cwd: this.dir } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], options);
    if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}${stdout}`);
    return stdout;
  }

  [Symbol.dispose](): void {
    for (const child of this.#started) child.kill("SIGKILL");
    rmSync(this.dir, { recursive: true, force: true });
  }

  async #start(...args: readonly string[]) {
    // What a relay that is down makes a proxy say is no figure.
    const stdio = ["ignore", "pipe", "ignore"] as const;
    const child = spawn(process.execPath, [BIN, ...args], { env: this.#env, cwd: this.dir, stdio: [...stdio] });
    this.#started.push(child);
    const started = once(createInterface(child.stdout as NodeJS.ReadableStream), "line") as Promise<[string]>;
    const ended = once(child, "close").then(() => {
      throw new Error(`${args.join(" ")} has ended`);
    });
    ended.catch(() => undefined);
    const [line] = await Promise.race([started, ended]);
    return { child, told: JSON.parse(line) as { readonly url: string } };
  }
}

/** User and system time are the 14th and 15th field, counted behind the name in brackets. */
export function cpuMs({ child }: Part): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** The most that it has had since `forgetPeak`, in MiB. */
export function peakMib({ child }: Part): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
}

export function forgetPeak({ child }: Part): void {
  writeFileSync(`/proc/${child.pid}/clear_refs`, "5");
}
