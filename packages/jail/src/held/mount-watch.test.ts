import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";
import { test } from "node:test";
import { MountWatch } from "./mount-watch.ts";

const skip = process.platform === "linux" ? false : "inotify is Linux's";

function queues(): number {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes("inotify");
    } catch {
      return false;
    }
  }).length;
}

test("a watch that is closed gives the kernel's queue back", { skip }, async () => {
  const before = queues();
  for (let count = 0; count < 3; count += 1) {
    const watch = new MountWatch();
    // Ended with the watch: nobody looks after it any more.
    const { pid } = spawn("sleep", ["1000"], { stdio: "ignore", detached: true });
    await watch.hold(pid ?? assert.fail("sleep didn't start"), { points: [], further: [], names: [], code: [] });
    assert.equal(queues(), before + 1);
    await watch.close();
    assert.equal(queues(), before);
  }
});
