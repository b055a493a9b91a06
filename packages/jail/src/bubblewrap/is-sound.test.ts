import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isSound } from "./is-sound.ts";

const skip = process.platform !== "linux" && "it needs /proc";

test("a jail in which a root isn't mounted is never sound", { skip }, async (t) => {
  const child = spawn("sleep", ["600"]);
  t.after(() => child.kill("SIGKILL"));
  await once(child, "spawn");
  const { pid = 0 } = child;
  const look = (root: string) => isSound({ roots: [root], shown: [], steps: [] }, [], pid);
  // It is looked at only once it sleeps.
  for (const until = Date.now() + 30_000; !look("/proc") && Date.now() < until; ) await sleep(5);
  assert.equal(look("/proc"), true);
  assert.equal(look("/proc/nowhere"), undefined);
});
