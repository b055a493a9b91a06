#!/usr/bin/env node
// Plain JavaScript that an old Node can parse: where the Node on PATH is too old, the one pinned in the lockfile takes over.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const WANTED = 24;

if (Number(process.versions.node.split(".")[0]) >= WANTED) {
  await import("../src/main.ts");
} else {
  const pinned = fileURLToPath(
    new URL(`../../../node_modules/node-${process.platform}-${process.arch}/bin/node`, import.meta.url),
  );
  if (!existsSync(pinned)) {
    process.stderr.write(
      `countersign needs Node ${WANTED} or newer and found ${process.version}. Install Node ${WANTED}, or run "npm install" in the clone, which brings its own.\n`,
    );
    process.exit(2);
  }
  const child = spawnSync(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  process.exit(child.status ?? 1);
}
