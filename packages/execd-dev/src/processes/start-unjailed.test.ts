import assert from "node:assert/strict";
import { test } from "node:test";
import { unjailed } from "./start-unjailed.ts";

test("a terminal that is ended as soon as it is started ends", { timeout: 60_000 }, async () => {
  const env = { PATH: process.env.PATH ?? "" };
  const request = { command: "exec sleep 600", cwd: "/", env, terminal: { columns: 80, rows: 24 } };
  for (let count = 0; count < 10; count++) {
    const started = await unjailed.start(request);
    started.stdout.resume();
    started.signal("SIGKILL");
    assert.deepEqual(await started.ended, { signal: "SIGKILL" });
  }
});
