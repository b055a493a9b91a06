import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { failsWith } from "../../test/suite/samples.ts";
import { tempDirectory } from "../../test/temp-store.ts";
import { LOCK_FILE, lockHome } from "./lock-home.ts";

/** Prints "held" and stays, or the error's code and goes. */
const HOLDER = `
  const { lockHome } = await import(process.argv[1]);
  try {
    globalThis.lock = lockHome(process.argv[2]);
    console.log("held");
    if (process.argv[3] === "stay") setInterval(() => {}, 1000);
  } catch (error) {
    console.log(error.code);
  }
`;

function holderArguments(home: string, manner: "stay" | "go"): string[] {
  return ["--input-type=module", "-e", HOLDER, new URL("./lock-home.ts", import.meta.url).href, home, manner];
}

async function startHolder(home: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, holderArguments(home, "stay"), { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = await once(child.stdout, "data");
  assert.equal(String(said), "held\n");
  return child;
}

function tryFromAnotherProcess(home: string): string {
  return spawnSync(process.execPath, holderArguments(home, "go"), { encoding: "utf8" }).stdout.trim();
}

test("a second process is told LOCKED until the first is killed", async (t) => {
  const home = tempDirectory(t);
  const holder = await startHolder(home);
  assert.throws(() => lockHome(home), failsWith("LOCKED"));
  const exited = once(holder, "exit");
  holder.kill("SIGKILL");
  await exited;
  lockHome(home).release();
});

test("the lock holds against this process too, and trying doesn't loosen it", (t) => {
  const home = tempDirectory(t);
  const lock = lockHome(home);
  assert.throws(() => lockHome(home), failsWith("LOCKED"));
  assert.equal(tryFromAnotherProcess(home), "LOCKED");
  assert.equal(statSync(join(home, LOCK_FILE)).mode & 0o777, 0o600);
  lock.release();
  lock.release();
  assert.equal(tryFromAnotherProcess(home), "held");
});

test("a home that isn't there can't be locked", (t) => {
  assert.throws(() => lockHome(join(tempDirectory(t), "none")), failsWith("UNWRITABLE"));
});
