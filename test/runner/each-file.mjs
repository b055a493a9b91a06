// Loaded into every process that runs test files.
import { after } from "node:test";
import fc from "fast-check";

// Property tests try the same cases in every run, so that a failure is due to a change and not to the draw.
const seed = Number(process.env.COUNTERSIGN_PROOF_SEED ?? "20251");
if (!Number.isSafeInteger(seed) || seed <= 0) throw new Error("COUNTERSIGN_PROOF_SEED must be a positive integer.");
fc.configureGlobal({ seed });

/** Enough for every cleanup. */
const AFTER_LAST_TEST_MS = 60_000;

// Fails a file that leaves a handle open, where the runner would wait for ever.
if (process.env.NODE_TEST_CONTEXT !== undefined || process.execArgv.includes("--test-isolation=none")) {
  after(() => {
    setTimeout(() => {
      console.error("This test file still has open handles a minute after its last test.");
      process.exit(1);
    }, AFTER_LAST_TEST_MS).unref();
  });
}
