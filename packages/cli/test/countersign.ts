import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findHub, type HttpHub } from "../src/connect/find-hub.ts";
import { readHubState } from "../src/hub-calls/hub-state.ts";

/** The command from its sources, as a clone has it. */
export const SOURCE_BIN = fileURLToPath(new URL("../bin/countersign.js", import.meta.url));
/** The same command, started in half the time where it is bundled. */
export const BIN = process.env.COUNTERSIGN_BUNDLED_PROGRAMS
  ? join(process.env.COUNTERSIGN_BUNDLED_PROGRAMS, "cli_src_main.js")
  : SOURCE_BIN;

type Cleaner = { after(fn: () => unknown): void };

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home and a workspace of a test's own. What was started there ends with the test. */
export class Place {
  readonly home: string;
  readonly workspace: string;
  readonly #root: string;
  readonly #started: Running[] = [];

  constructor(t: Cleaner) {
    this.#root = mkdtempSync(join(tmpdir(), "cs-cli-"));
    this.home = join(this.#root, "home");
    this.workspace = join(this.#root, "work");
    mkdirSync(this.workspace);
    t.after(async () => {
      await Promise.all(this.#started.map((running) => running.stop("SIGKILL")));
      rmSync(this.#root, { recursive: true, force: true });
    });
  }

  start(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    nodeOptions: readonly string[] = [],
  ): Running {
    const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
    const ours = { PATH, NODE_COMPILE_CACHE, HOME: this.#root, COUNTERSIGN_HOME: this.home };
    // What a Node is like is for the command's own first file to see, which no bundle has.
    const bin = nodeOptions.length === 0 ? BIN : SOURCE_BIN;
    const running = new Running(
      spawn(process.execPath, [...nodeOptions, bin, ...args], { cwd: this.workspace, env: { ...ours, ...env } }),
    );
    this.#started.push(running);
    return running;
  }

  run(...args: readonly string[]): Promise<Ended> {
    return this.start(args).ended;
  }

  /** A hub that listens. */
  async serve(): Promise<Running> {
    const hub = this.start(["serve", "--json", "--port", "0"]);
    await hub.firstLine();
    return hub;
  }

  hub(): Promise<HttpHub> {
    return findHub({ home: this.home });
  }

  /** Resolves once so many approvals wait. */
  async waiting(count: number): Promise<void> {
    await this.until(async () => (await readHubState(await this.hub())).pending === count);
  }

  /** Resolves once so many commands run. */
  async running(count: number): Promise<void> {
    await this.until(async () => (await readHubState(await this.hub())).running === count);
  }

  async until(holds: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 3_000; tries += 1) {
      if (await holds()) return;
      await sleep(20);
    }
    assert.fail("waited for too long");
  }
}

export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly #out = { stdout: "", stderr: "" };

  constructor(child: ChildProcess) {
    this.child = child;
    const out = this.#out;
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.setEncoding("utf8").on("data", (text: string) => {
        out[name] += text;
      });
    }
    this.ended = once(child, "close").then(([code]) => ({ code, ...out }));
  }

  /** What it has printed. */
  get printed(): string {
    return this.#out.stdout;
  }

  /** Also where it has been printed already. */
  async firstLine(): Promise<string> {
    const { stdout } = this.child;
    assert(stdout);
    const isThere = () => this.printed.includes("\n");
    const line = (async () => {
      while (!isThere()) await once(stdout, "data");
    })();
    // Its end is told in the same breath as its last words.
    await Promise.race([line, this.ended]);
    if (!isThere()) assert.fail(`ended before it was ready: ${(await this.ended).stderr}`);
    return this.printed.slice(0, this.printed.indexOf("\n"));
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Ended> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    return await this.ended;
  }
}
