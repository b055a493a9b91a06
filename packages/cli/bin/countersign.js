#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=40
// Plain JavaScript that an old Node can parse: where the Node on PATH is too old, the one pinned in the lockfile takes over.
// The hub lives for weeks next to other work: a small young generation keeps its memory small (100 MB less under load)
// for a few per cent of time.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const WANTED = 24;

if (Number(process.versions.node.split(".")[0]) >= WANTED) {
  // A command that this one starts may find an old Node on its PATH again.
  delete process.env.COUNTERSIGN_PINNED_NODE;
  await import("../src/main.ts");
} else {
  takeOver();
}

function takeOver() {
  const pinned = findPinned();
  // Taken over once and still too old: the pin is wrong, and going on would start us for ever.
  if (!pinned || process.env.COUNTERSIGN_PINNED_NODE) {
    process.stderr.write(
      `countersign needs Node ${WANTED} or newer and found ${process.version}. Install Node ${WANTED}, or install Countersign again: npm brings the Node that it needs.\n`,
    );
    process.exit(1);
  }
  const args = [
    "--max-semi-space-size=8",
    "--heap-growing-percent=40",
    fileURLToPath(import.meta.url),
    ...process.argv.slice(2),
  ];
  const env = { ...process.env, COUNTERSIGN_PINNED_NODE: "1" };
  const child = spawn(pinned, args, { stdio: "inherit", env });
  // A terminal's Ctrl-C reaches both processes, so the child sees it twice; `on-signals.ts` takes those two as one.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.once("error", (cause) => {
    process.stderr.write(`countersign could not start ${pinned}: ${cause.message}. Install Countersign again.\n`);
    process.exit(1);
  });
  child.once("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}

/** Returns the path of the Node that npm installed for this package; undefined if its optional dependencies were left out. */
function findPinned() {
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return undefined;
  }
}
