import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";

const ENTRY = "virtual:entry";

/** Bundles what a page imports and returns its size in bytes, minified and compressed. */
async function sizeOf(script: string): Promise<number> {
  const built = await build({
    ...{ configFile: false, logLevel: "warn", publicDir: false },
    root: fileURLToPath(new URL("..", import.meta.url)),
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === ENTRY ? id : undefined),
        load: (id) => (id === ENTRY ? script : undefined),
      },
    ],
    build: {
      ...{ write: false, target: "es2022", minify: true, modulePreload: false },
      rolldownOptions: { input: ENTRY, preserveEntrySignatures: "strict" },
    },
  });
  const outputs = [built].flat() as Rolldown.RolldownOutput[];
  const code = outputs.flatMap(({ output }) => output.map((file) => (file.type === "chunk" ? file.code : "")));
  return gzipSync(code.join("")).length;
}

test("a page with GatewayClient alone loads at most 45 kB", async () => {
  const size = await sizeOf('export { GatewayClient } from "@countersign/sdk";');
  assert.ok(size > 10_000 && size <= 45_000, `${size} bytes`);
});
