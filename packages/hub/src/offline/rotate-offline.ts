import { silentLog, systemClock } from "@countersign/core/base";
import { readConfig } from "@countersign/core/config";
import { HubError } from "@countersign/core/errors";
import type { KeyRotated } from "@countersign/protocol/records";
import { Checkpoints, rotateKey, type Store, WitnessFile } from "@countersign/store";
import { inHome, owner } from "./offline-home.ts";

/** Changes the key that signs the ledger where no hub runs: the home is held meanwhile. */
export async function rotateOffline(homeDir: string): Promise<KeyRotated> {
  return await inHome(homeDir, async (home, store) => {
    if (!store) throw new HubError("CONFLICT", `${home.dir} was never served, so it has no ledger yet`);
    refuseMirror(store);
    const witness = new WitnessFile(readConfig(home.config).receipts.witness ?? home.witness);
    const opened = await Checkpoints.open({ store, clock: systemClock, log: silentLog, witness });
    const checkpoints = await opened.begin();
    try {
      return await rotateKey({ store, clock: systemClock, checkpoints }, owner());
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
