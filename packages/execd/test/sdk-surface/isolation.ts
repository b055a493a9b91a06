import assert from "node:assert/strict";
import type { SurfaceStep } from "./surface.ts";

export const ISOLATION: readonly SurfaceStep[] = [
  {
    name: "isolation: what an execd without an isolator says",
    async run({ sdk: { isolation }, target }) {
      assert.ok(isolation);
      const { available, commit_supported, diff_supported } = await isolation.capabilities();
      assert.deepEqual(
        { available, commit_supported, diff_supported },
        { available: false, commit_supported: false, diff_supported: false },
      );
      assert.deepEqual(await isolation.list(), []);
      // It says what of the machine its commands can reach: nobody is asked about that yet.
      const refused = target.isGated ? /403.*GATE_UNKNOWN_ROUTE/ : /501.*NOT_SUPPORTED/;
      await assert.rejects(isolation.create({ workspace: { path: target.directory } }), refused);
      await assert.rejects(isolation.attach("nobody"), /404.*CONTEXT_NOT_FOUND/);
    },
  },
];
