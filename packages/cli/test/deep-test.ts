import { type TestContext, test } from "node:test";

/**
 * A test that only `npm run test:deep` runs, beside those of its file: it starts many processes, and what it looks at is looked at below the
 * command line, too. The file's name ends in `.deep.test.ts`.
 */
export function deepTest(name: string, body: (t: TestContext) => Promise<void>): void {
  if (process.env.COUNTERSIGN_DEEP) test(name, body);
}

/** The same for a step of a test. */
export async function deepSubtest(t: TestContext, name: string, body: () => Promise<void>): Promise<void> {
  if (process.env.COUNTERSIGN_DEEP) await t.test(name, body);
}
