import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, DEFAULT_LIMITS, type Limits, systemClock } from "@countersign/core/base";
import type { Store } from "../src/contract/store.ts";
import { openMirroredStore, openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";
import type { Mirror } from "../src/sqlite/verified-copy/mirror.ts";
import type { Opened } from "./suite.ts";

export interface Mirrored {
  /** The one that signs. */
  readonly recorder: Store;
  readonly hub: Store;
  readonly mirror: Mirror;
  readonly hubPath: string;
  /** Delivers what waits, and mirrors what is new; from then on, whenever something is put on record. */
  connect(): Promise<void>;
}

/** For tests: a store that signs and one that mirrors it, in two directories, without a wire between them. */
export async function openMirrored(
  directory: string,
  limits: Pick<Limits, "recorderWaitMs" | "outboxDrafts"> = DEFAULT_LIMITS,
  clock: Clock = systemClock,
): Promise<Mirrored> {
  for (const name of ["recorder", "hub"]) mkdirSync(join(directory, name), { recursive: true });
  const recorder = await openSqliteStore(join(directory, "recorder", "x.db"));
  const firstKey = (await recorder.ledgerKeys()).at(-1) as Uint8Array;
  const hubPath = join(directory, "hub", "x.db");
  const { store: hub, mirror } = await openMirroredStore(hubPath, { clock, limits, firstKey });
  let turn: Promise<void> = Promise.resolve();
  const pass = () => {
    turn = turn.then(() => deliver(recorder, mirror)).catch(unlessClosed);
    return turn;
  };
  const connect = () => {
    mirror.outbox.problem = undefined;
    mirror.outbox.onPut(() => void pass());
    return pass();
  };
  return { recorder, hub, mirror, hubPath, connect };
}

/** A test closes when it likes. */
function unlessClosed(cause: unknown): void {
  const code = (cause as { readonly code?: string }).code;
  if (code !== "ERR_INVALID_STATE" && code !== "CLOSED") throw cause;
}

async function deliver(recorder: Store, mirror: Mirror): Promise<void> {
  const drafts = mirror.outbox.oldest(1_000);
  if (drafts.length > 0) await recorder.commit(drafts.map(({ key, draft }) => ({ op: "append", draft, key })));
  for (;;) {
    const rows = await recorder.ledgerRows({ afterSeq: mirror.head()?.seq ?? 0, limit: 1_000 });
    if (rows.length === 0) return;
    await mirror.take(rows);
  }
}

/** For the suite: an empty store whose ledger another one signs. */
export async function openMirroredTempStore(): Promise<Opened> {
  const directory = mkdtempSync(join(tmpdir(), "countersign-mirror-"));
  let current = await openMirrored(directory);
  await current.connect();
  const close = async () => {
    await current.hub.close();
    await current.recorder.close();
  };
  return {
    store: current.hub,
    async reopen() {
      await close();
      current = await openMirrored(directory);
      await current.connect();
      return current.hub;
    },
    backupPath: () => join(directory, "backup.db"),
    async cleanup() {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
