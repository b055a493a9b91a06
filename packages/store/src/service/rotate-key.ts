import type { Clock, Identity } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { KeyRotated } from "@countersign/protocol/records";
import { didOfKey } from "@countersign/receipts";
import type { Store } from "../contract/index.ts";
import { StoreError } from "../ledger/index.ts";
import type { Checkpoints } from "./checkpoints.ts";

/** Changes the key that signs the ledger, on record as somebody's wish. */
export async function rotateKey(
  {
    store,
    clock,
    checkpoints,
  }: {
    readonly store: Store;
    readonly clock: Clock /** The new key signs the tree at once, so that all that the old one wrote is under it. */;
    readonly checkpoints: Pick<Checkpoints, "sign"> | undefined;
  },
  by: Identity,
): Promise<KeyRotated> {
  const { seq, hash } = await store.rotateKey({ atMs: clock.wallMs(), body: { person: by.name } }).catch(asHubError);
  await checkpoints?.sign();
  const [key, replaced] = (await store.ledgerKeys()).map(didOfKey);
  return { seq, hash, key: key ?? "", replaced: replaced ?? "" };
}

function asHubError(cause: unknown): never {
  if (cause instanceof StoreError && cause.code === "NO_NEXT_KEY")
    throw new HubError("CONFLICT", cause.message, { cause });
  if (cause instanceof StoreError && cause.code === "BUSY") throw new HubError("LIMIT", cause.message, { cause });
  throw cause;
}
