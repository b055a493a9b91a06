import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { stampOf } from "@countersign/core/host";
import { HeldRuns } from "./held-runs.ts";
import type { HeldName } from "./hold-order.ts";

const NOTHING = { points: [], further: [], code: [] };
const skip = process.platform === "linux" ? false : "inotify is Linux's";
const MOST_EVENTS = skip ? 0 : Number(readFileSync("/proc/sys/fs/inotify/max_queued_events", "utf8"));

function directory(t: TestContext, ...names: string[]): string[] {
  const dir = mkdtempSync(join(tmpdir(), "cs-held-"));
  t.after(() => rmSync(dir, { recursive: true }));
  return names.map((name) => {
    mkdirSync(join(dir, name));
    return join(dir, name);
  });
}

/** Stands for the first process of a jail. */
function sleeper(t: TestContext): { readonly pid: number; readonly ended: Promise<unknown> } {
  const child = spawn("sleep", ["1000"], { stdio: "ignore", detached: true });
  t.after(() => child.kill("SIGKILL"));
  return { pid: child.pid ?? assert.fail("sleep didn't start"), ended: once(child, "exit") };
}

/** More than the kernel keeps: the same event twice in a row would be one. */
function flood(directory: string): void {
  const files = ["a", "b"].map((name) => openSync(join(directory, name), "w"));
  for (let count = 0; count < MOST_EVENTS; count += 1) for (const file of files) writeSync(file, "x", 0);
  files.forEach(closeSync);
}

/** A name, and what happens right before it is watched. */
function nameAfter(path: string, happens: () => void): HeldName {
  return {
    get path() {
      happens();
      return path;
    },
    as: "place",
  };
}

test("files that are written in a held directory neither keep a run from starting nor end others", { skip }, (t) => {
  const [dir = "", other = ""] = directory(t, "dir", "other");
  const held = new HeldRuns();
  const [first, second] = [sleeper(t), sleeper(t)];
  const before = { ...NOTHING, names: [{ path: other, as: "place" as const }] };
  assert.deepEqual(held.answer({ do: "hold", id: 1, pid: first.pid, facts: before }), {});
  const names = [{ path: dir, as: "place" as const }, nameAfter(other, () => flood(dir))];
  assert.deepEqual(held.answer({ do: "hold", id: 2, pid: second.pid, facts: { ...NOTHING, names } }), {});
  for (const id of [1, 2]) assert.deepEqual(held.answer({ do: "release", id }), {});
});

test("a file that is written to again and again ends the run that holds it, and no other", { skip }, async (t) => {
  const [dir = "", other = ""] = directory(t, "dir", "other");
  const held = new HeldRuns();
  const [first, second] = [sleeper(t), sleeper(t)];
  const path = join(dir, "code");
  const file = openSync(path, "w");
  t.after(() => closeSync(file));
  const code = [{ name: path, path, stamp: stampOf(path), way: waysTo(path) }];
  const facts = { ...NOTHING, names: [{ path, as: "code" as const }], code };
  assert.deepEqual(held.answer({ do: "hold", id: 1, pid: first.pid, facts }), {});
  const names = [{ path: other, as: "place" as const }];
  assert.deepEqual(held.answer({ do: "hold", id: 2, pid: second.pid, facts: { ...NOTHING, names } }), {});
  writeSync(file, "x");
  held.look(new Set(held.polled.map(({ fd }) => fd)));
  for (let count = 0; count < MOST_EVENTS; count += 1) {
    writeSync(file, "x", 0);
    chmodSync(path, 0o600);
  }
  await first.ended;
  assert.deepEqual(held.answer({ do: "release", id: 1 }), { lost: path });
  assert.deepEqual(held.answer({ do: "release", id: 2 }), {});
});

function waysTo(path: string): string[] {
  return path.split("/").flatMap((_, at, parts) => (at === 0 ? [] : [parts.slice(0, at + 1).join("/")]));
}
