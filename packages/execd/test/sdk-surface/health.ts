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
];
