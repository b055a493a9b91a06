import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Limits, Log } from "@countersign/core/base";
import type { Config, Home } from "@countersign/core/config";
import { StartError } from "@countersign/core/errors";
import { keyOfDid } from "@countersign/receipts";
import { type Mirror, openMirroredStore, openSqliteStore, type Store } from "@countersign/store";
import { type RecorderPairing, readRecorderPairing } from "./pairing.ts";
import { RecorderLink } from "./recorder-link.ts";

interface HubStore {
  readonly store: Store;
  /** Where another process writes the ledger. */
  readonly remote?: { readonly mirror: Mirror; readonly pairing: RecorderPairing; readonly path: string };
}

/** The store of a hub's home: with the ledger in it, or with the mirror of one that a recorder writes. */
export async function openHubStore({
  home,
  config,
  clock,
  limits,
}: {
  readonly home: Home;
  readonly config: Config;
  readonly clock: Clock;
  readonly limits: Limits;
}): Promise<HubStore> {
  const path = config.receipts.recorder;
  if (path === undefined) return { store: await openSqliteStore(home.database) };
  const pairing = readRecorderPairing(home.recorderPairing);
  if (pairing === undefined) {
    const remedy = "Run `countersign recorder pair` on the recorder's side, and `countersign recorder join` here";
    throw new StartError("CONFIG_INVALID", `receipts.recorder is set, and this home isn't paired with one. ${remedy}.`);
  }
  const firstKey = keyOfDid(pairing.ledger) as Uint8Array;
  const { store, mirror } = await openMirroredStore(home.database, { firstKey, clock, limits });
  return { store, remote: { mirror, pairing, path } };
}

/** Resolves when the recorder is there and the mirror has all of it, or that has failed or takes too long. */
export async function linkRecorder(
  remote: NonNullable<HubStore["remote"]>,
  {
    clock,
    limits,
    home,
    log,
  }: { readonly clock: Clock; readonly limits: Limits; readonly home: Home; readonly log: Log },
): Promise<RecorderLink> {
  const key = join(home.keys, "receipts.pem");
  if (existsSync(key))
    log.warn({ key }, "a signing key lies in the hub's home: move it to the recorder's, or remove it");
  const link = new RecorderLink({ ...remote, clock, limits, log });
  await new Promise<void>((resolve) => {
    const timer = clock.after(limits.loginMs, resolve);
    void link.tried().then(() => {
      timer.cancel();
      resolve();
    });
  });
  return link;
}
