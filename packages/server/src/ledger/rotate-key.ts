import { didOfKey } from "@countersign/receipts";
import type { KeyRotated } from "@countersign/sdk";
import { type Clock, systemClock } from "../clock.ts";
import { readConfig } from "../config.ts";
import { HubError } from "../hub-error.ts";
import type { Identity } from "../identity.ts";
import { silentLog } from "../log.ts";
import { inHome, owner } from "../offline-home.ts";
import { type Store, StoreError } from "../store/store.ts";
import { Checkpoints } from "./checkpoints.ts";
import { WitnessFile } from "./witness-file.ts";

interface Rooms {
  readonly store: Store;
  readonly clock: Clock;
  /** The new key signs the tree at once, so that all that the old one wrote is under it. */
  readonly checkpoints: Pick<Checkpoints, "sign"> | undefined;
}

/** Changes the key that signs the ledger, on record as somebody's wish. */
export async function rotateKey({ store, clock, checkpoints }: Rooms, by: Identity): Promise<KeyRotated> {
  const { seq, hash } = await store.rotateKey({ atMs: clock.wallMs(), body: { person: by.name } }).catch(asHubError);
  await checkpoints?.sign();
  const [key, replaced] = (await store.ledgerKeys()).map(didOfKey);
  return { seq, hash, key: key ?? "", replaced: replaced ?? "" };
}

/** The same where no hub runs: the home is held meanwhile. */
export async function rotateOffline(homeDir: string): Promise<KeyRotated> {
  return await inHome(homeDir, async (home, store) => {
    if (!store) throw new HubError("CONFLICT", `${home.dir} was never served, so it has no ledger yet`);
    refuseMirror(store);
    const witness = new WitnessFile(readConfig(home.config).receipts.witness ?? home.witness);
    const rooms = { store, clock: systemClock, log: silentLog, witness };
    const checkpoints = await (await Checkpoints.open(rooms)).begin();
    try {
      return await rotateKey({ ...rooms, checkpoints }, owner());
    } finally {
      await checkpoints.close();
    }
  });
}

/** Without a hub, nobody is connected to the recorder. */
function refuseMirror({ isMirror }: Store): void {
  if (!isMirror) return;
  const how = "start the hub, and try again; or run this with the home of the recorder while that is stopped";
  throw new HubError("CONFLICT", `The recorder has the key, not this home: ${how}`);
}

function asHubError(cause: unknown): never {
  if (cause instanceof StoreError && cause.code === "NO_NEXT_KEY")
    throw new HubError("CONFLICT", cause.message, { cause });
  if (cause instanceof StoreError && cause.code === "BUSY") throw new HubError("LIMIT", cause.message, { cause });
  throw cause;
}
