import assert from "node:assert/strict";
import type { SurfaceStep } from "./surface.ts";

export const HEALTH: readonly SurfaceStep[] = [
  {
    name: "health: ping",
    run: async ({ sdk }) => assert.equal(await sdk.health.ping(), true),
  },
  {
    name: "metrics",
    async run({ sdk }) {
      const metrics = await sdk.metrics.getMetrics();
      assert.ok(metrics.cpuCount >= 1);
      assert.ok(metrics.cpuUsedPercentage >= 0 && metrics.cpuUsedPercentage <= 100);
      assert.ok(metrics.memoryTotalMiB > metrics.memoryUsedMiB && metrics.memoryUsedMiB > 0);
      assert.ok(metrics.timestamp > 1_600_000_000_000);
    },
  },
  {
    name: "metrics: watched",
    async run({ target, headers }) {
      const leave = new AbortController();
      const { body } = await fetch(`${target.url}/metrics/watch`, { headers, signal: leave.signal });
      let said = "";
      for await (const chunk of (body ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
        said += chunk;
        if (said.includes("\n")) break;
      }
      leave.abort();
      const names = ["cpu_count", "cpu_used_pct", "mem_total_mib", "mem_used_mib", "timestamp"];
      assert.deepEqual(Object.keys(JSON.parse(said.split("\n")[0] ?? "")), names);
    },
  },
];
