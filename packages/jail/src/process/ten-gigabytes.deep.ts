import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "@countersign/core/base";
import { followOutput } from "../../../hub/src/runs/follow-output.ts";
import { launchers } from "../../test/support/launchers.ts";
import { RunOutput } from "./run-output.ts";
import { startProcess } from "./start-process.ts";
import { Withdrawal } from "./withdrawal.ts";

const BYTES = 10_000_000_000;
const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 900_000;
const { all } = launchers();

test("10 GB of output cost what 1 MiB does, every byte is told or counted, and a slow reader delays nothing", async (t) => {
  const launcher = all.findLast(({ why }) => why() === undefined);
  assert(launcher);
  const command = `echo first; yes 0123456789abcde | head -c ${BYTES}; echo last; echo done >&2`;
  const { launch, finish } = await launcher.make({ command });
  const output = new RunOutput(MAX_BYTES);
  const plan = { launch, timeoutMs: TIMEOUT_MS, killGraceMs: 2_000, maxOutputBytes: MAX_BYTES, output };
  let most = 0;
  const before = process.memoryUsage().rss;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before);
  }, 50);
  const reader = followOutput(output, { signal: new AbortController().signal });
  const startedAtMs = performance.now();
  const running = startProcess(plan, systemClock, new Withdrawal()).finally(finish);
  const first = await reader.next();
  const { end, stderr, truncated } = await running;
  clearInterval(watch);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  t.diagnostic(
    `${launcher.name}: ${Math.round(BYTES / 1e6 / seconds)} MB/s, at most ${Math.round(most / 1e6)} MB more`,
  );
  assert.deepEqual([end, stderr, truncated], [{ kind: "exited", exitCode: 0 }, "done\n", true]);
  // Of 10,000: how far the collector lags behind a fast machine is its own affair.
  assert.ok(most < 600_000_000, `${most} bytes more`);
  output.finish(undefined);
  let told = 0;
  const count = (event: { text: string; omitted?: number | undefined; stream: string }) => {
    if (event.stream === "stdout") told += Buffer.byteLength(event.text) + (event.omitted ?? 0);
  };
  assert(!first.done);
  count(first.value);
  for await (const event of reader) count(event);
  assert.equal(told, BYTES + "first\nlast\n".length);
});
