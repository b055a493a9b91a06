import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { silentLog, systemClock } from "@countersign/core/base";
import type { Home } from "@countersign/core/config";
import { lockHome, openStoreToRead } from "../sqlite/index.ts";
import { Audit } from "./audit.ts";

/**
 * Writes `audit.jsonl` anew from the ledger, and puts it in the place of the one that is there. No hub may run: it would go on
 * writing to the old one. Returns how many lines it has; undefined where there's no ledger. Throws StoreError.
 */
export async function rebuildAudit(home: Pick<Home, "run" | "database" | "audit">): Promise<number | undefined> {
  if (!existsSync(home.database)) return undefined;
  const lock = lockHome(home.run);
  const beside = `${home.audit}.new`;
  try {
    const store = await openStoreToRead(home.database);
    if (store === undefined) return undefined;
    try {
      await rm(beside, { force: true });
      const audit = await Audit.open(beside, { store, log: silentLog, clock: systemClock });
      await audit.close();
      if (audit.problem !== undefined) throw new Error(audit.problem);
      await rename(beside, home.audit);
      return audit.written;
    } finally {
      await store.close();
    }
  } finally {
    await rm(beside, { force: true });
    lock.release();
  }
}
