import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, startOf } from "./first-process.ts";

const EXIT = process.arch === "arm64" ? 93 : 60;

/** Ends the first thread alone: those of Node's pool go on. */
const LEAVE = `require("koffi").load(null).func("long syscall(long number, long code)")(${EXIT}, 0)`;

test("isRunning counts the threads that a process has besides its first", { skip: notLinux() }, async () => {
  const child = spawn(process.execPath, ["-e", LEAVE], { cwd: import.meta.dirname, stdio: "ignore" });
  const exit = once(child, "exit");
  const pid = child.pid as number;
  const start = startOf(pid);
  while (stateOf(pid) !== "Z") await sleep(1);
  assert.equal(isRunning(pid, start), true);
  child.kill("SIGKILL");
  await exit;
  assert.equal(isRunning(pid, start), false);
});

test("isRunning is false for a process that nobody has waited for yet", { skip: notLinux() }, async () => {
  const child = spawn("/bin/sh", ["-c", "sleep 0 & echo $!; exec sleep 1000"], { stdio: ["ignore", "pipe", "ignore"] });
  const exit = once(child, "exit");
  const pid = Number(String((await once(child.stdout, "data"))[0]));
  while (stateOf(pid) !== "Z") await sleep(1);
  assert.equal(isRunning(pid, startOf(pid)), false);
  child.kill("SIGKILL");
  await exit;
});

function stateOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat[stat.lastIndexOf(")") + 2] as string;
}

function notLinux(): string | false {
  return process.platform === "linux" ? false : "needs /proc of Linux";
}
