import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateSigningKey } from "@countersign/receipts/node";
import { type KeysInForce, keysFrom } from "../src/ledger/ledger-keys.ts";
import { openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";
import type { Opened } from "./suite.ts";

/** For tests: a directory of its own, removed at the end of the test. */
export function tempDirectory(t: { after(fn: () => void): void }): string {
  const directory = mkdtempSync(join(tmpdir(), "countersign-store-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** For tests: keys that nothing else is signed with. */
export function testKeys(): KeysInForce {
  const rest = { nextFingerprint: `sha256:${"0".repeat(64)}`, chainPart: "" } as const;
  return { current: keysFrom(generateSigningKey().privatePem, rest) };
}

/** For tests: takes from a database what the migration `PAGES` gave it. */
export const WITHOUT_PAGES = `
  DROP TABLE receipt_span;
  DROP INDEX receipt_of_type; DROP INDEX receipt_of_session;
  DROP INDEX proposal_by_outcome; DROP INDEX proposal_named; DROP INDEX proposal_ended;
  CREATE INDEX proposal_ended ON proposal (ended_at_ms) WHERE state = 'ended';
  DROP INDEX session_by_age; DROP INDEX device_by_age; DROP INDEX device_that_signs; DROP INDEX answer_count_by_age;
  DROP INDEX chat_by_use; DROP INDEX chat_of_owner;
  ALTER TABLE chat DROP COLUMN owner_id; ALTER TABLE chat DROP COLUMN last_at_ms;
`;

/** For the suite: an empty store in a directory of its own. */
export async function openTempStore(): Promise<Opened> {
  const directory = mkdtempSync(join(tmpdir(), "countersign-store-"));
  const path = join(directory, "countersign.db");
  let current = await openSqliteStore(path);
  return {
    store: current,
    async reopen() {
      await current.close();
      current = await openSqliteStore(path);
      return current;
    },
    backupPath: () => join(directory, "backup.db"),
    async cleanup() {
      await current.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
