import { join } from "node:path";

/** What a test gives to `node` to start one of the `*-child.ts` here: as `test/runner/setup.mjs` bundled it, or its source in a test that was started alone. */
export function childScript(name: "fault" | "recorder" | "serve"): string {
  const bundles = process.env.COUNTERSIGN_BUNDLED_PROGRAMS;
  return bundles ? join(bundles, `hub_test_programs_${name}-child.js`) : join(import.meta.dirname, `${name}-child.ts`);
}
