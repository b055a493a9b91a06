// Loaded where tests run. A test that hangs is ended by its time limit, but what it waits for goes on in its process; so does what a test
// leaves open. Then that file has failed, rather than that the run never ends.
import { after } from "node:test";

/** Long enough for whatever is still being put away. */
const AFTER_LAST_MS = 60_000;

// Not where files are only handed on to processes of their own.
const runsTests = process.env.NODE_TEST_CONTEXT !== undefined || process.execArgv.includes("--test-isolation=none");
if (runsTests) {
  after(() => {
    setTimeout(() => {
      console.error("A minute after the last test something still goes on.");
      process.exit(1);
    }, AFTER_LAST_MS).unref();
  });
}
