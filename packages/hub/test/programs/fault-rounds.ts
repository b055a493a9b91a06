import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { checkLedger, type LedgerEntry, readLedger, readReceipts } from "@countersign/store";
import { childScript } from "./child-script.ts";

const STRACE = "/usr/bin/strace";
export const whyNoFaults = existsSync(STRACE)
  ? false
  : "needs strace, which breaks system calls: apt-get install strace";

/** What happens at the nth time that the hub writes to its database, or waits for the disk. */
export type Fault = "killed" | "no-space" | "disk-error";
const INJECTED: Readonly<Record<Fault, (nth: number) => string>> = {
  killed: (nth) => `pwrite64:signal=KILL:when=${nth}`,
  "no-space": (nth) => `pwrite64:error=ENOSPC:when=${nth}`,
  "disk-error": (nth) => `fsync:error=EIO:when=${nth}`,
};

interface Ran {
  readonly isKilled: boolean;
  /** It didn't come to its end, or something of it failed. */
  readonly isBroken: boolean;
  readonly said: string;
}

/** A home on which scripted runs follow each other, each broken somewhere. */
export class FaultRounds {
  readonly #home: string;
  readonly #workspace: string;
  readonly #trace: string;
  readonly #acknowledged = new Map<string, string>();
  #round = 0;

  constructor(t: TestContext) {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), "cs-faults-")));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    [this.#home, this.#workspace, this.#trace] = [join(dir, "home"), join(dir, "workspace"), join(dir, "trace")];
    mkdirSync(this.#workspace);
  }

  /** Whether the fault was reached: the script ended before where it wasn't, as if there were none. */
  async run(fault: { readonly kind: Fault; readonly nth: number }): Promise<boolean> {
    const { isKilled, isBroken, said } = await this.#script(fault);
    // By strace's own word: the script may go on after a write that failed, and say nothing of it.
    const isReached = isKilled || readFileSync(this.#trace, "utf8").includes("(INJECTED)");
    assert.ok(isReached || !isBroken, `${JSON.stringify(fault)} wasn't reached, but something failed: ${said}`);
    return isReached;
  }

  /** After a run with no fault: whatever was started has one end. */
  async settle(): Promise<void> {
    const { isBroken, said } = await this.#script();
    assert.equal(isBroken, false, said);
    const entries = await collect(readLedger(join(this.#home, "countersign.db")));
    const started = entries.filter(({ type }) => type === "started").map(({ proposalKey }) => proposalKey);
    const ended = entries.filter(({ type }) => type === "ended").map(({ proposalKey }) => proposalKey);
    assert.equal(new Set(ended).size, ended.length, "something ended twice");
    assert.deepEqual(
      started.filter((key) => !ended.includes(key)),
      [],
    );
  }

  async #script(fault?: { readonly kind: Fault; readonly nth: number }): Promise<Ran> {
    this.#round += 1;
    const child = childScript("fault");
    const script = [process.execPath, child, this.#home, this.#workspace, `r${this.#round}`];
    const files = ["", "-wal"].flatMap((suffix) => ["-P", join(this.#home, `countersign.db${suffix}`)]);
    const traced = ["-f", "-qq", "-s", "0", "-o", this.#trace, ...files, "-e", "trace=pwrite64,fsync"];
    const injected = fault ? ["-e", `inject=${INJECTED[fault.kind](fault.nth)}`] : [];
    const { stdout, stderr, signal } = await finished([STRACE, ...traced, ...injected, "--", ...script]);
    const lines = stdout.split("\n");
    for (const line of lines) {
      const [said, proposalId = "", kind = "", receipt = ""] = line.split(" ");
      if (said === "ack") this.#acknowledged.set(`${proposalId} ${kind}`, receipt);
    }
    await this.#check(`round ${this.#round}: ${JSON.stringify(fault)}`);
    const isBroken = signal !== null || !lines.includes("done") || stdout.includes("failed");
    return { isKilled: signal !== null, isBroken, said: `${stdout}${stderr}` };
  }

  async #check(when: string): Promise<void> {
    const database = join(this.#home, "countersign.db");
    if (!existsSync(database)) return;
    const check = await checkLedger(readReceipts(database));
    assert.ok(check.whole, `${when}: ${JSON.stringify(check)}`);
    const entries = await collect(readLedger(database));
    const hashes = entries.map(({ hash }) => hash);
    assert.equal(new Set(hashes).size, hashes.length, when);
    for (const [what, receipt] of this.#acknowledged) assert.ok(hashes.includes(receipt), `${when}: ${what} is lost`);
    this.#checkRuns(entries, when);
  }

  #checkRuns(entries: readonly LedgerEntry[], when: string): void {
    const db = new DatabaseSync(join(this.#home, "countersign.db"), { readOnly: true });
    for (const made of readdirSync(this.#workspace)) {
      const key = db.prepare("SELECT key FROM proposal WHERE proposal_id = ?").get(made)?.key;
      const of = (type: string) => entries.find((entry) => entry.type === type && entry.proposalKey === key);
      const [decided, started] = [of("decided"), of("started")];
      assert.equal(decided?.body.verdict, "allow", `${when}: ${made} was made without a decision`);
      assert.ok(started && started.seq > decided.seq, `${when}: ${made} was made without a start on record`);
    }
    db.close();
  }
}

async function finished(words: readonly string[]): Promise<{ stdout: string; stderr: string; signal: string | null }> {
  const [file = "", ...args] = words;
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, signal] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<string | null>((resolve) => child.once("exit", (_, by) => resolve(by))),
  ]);
  return { stdout, stderr, signal };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
