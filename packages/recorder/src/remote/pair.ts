import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "@countersign/core/base";
import { type Home, prepareHome, readConfig } from "@countersign/core/config";
import { StartError } from "@countersign/core/errors";
import { didOfKey, keyOfDid, parseJson, publicKeyToPem } from "@countersign/receipts";
import { lockHome, openSqliteStore, openStoreToRead, type Store } from "@countersign/store";
import { refuseLongPath } from "../frames/index.ts";
import { type HubPairing, type Invitation, newSecret, type RecorderPairing } from "./pairing.ts";
import { asRecorderStartError } from "./start-recorder.ts";

export interface PairOptions {
  readonly homeDir: string;
  /** The user that the hub runs as. */
  readonly hubUid: number;
  /** Where it connects. Default: in the recorder's home, which only the same user can reach. */
  readonly socket?: string | undefined;
}

/** The recorder's side: from now on it takes this hub and no other. What comes back is the hub's, and holds the secret. */
export async function pairHub({ homeDir, hubUid, socket }: PairOptions): Promise<Invitation> {
  return await inHome(homeDir, async (home) => {
    if (readConfig(home.config).receipts.recorder !== undefined)
      throw new StartError("CONFIG_INVALID", `${home.dir} is a hub's home. Give the recorder one of its own: --home.`);
    if (socket === undefined && hubUid !== process.getuid?.()) {
      const why = `User ${hubUid} can't reach a socket in ${home.dir}, which is this user's alone`;
      throw new StartError("CONFIG_INVALID", `${why}. Name one outside of it: --hub-socket /run/countersign/hub.sock.`);
    }
    const pairing: HubPairing = { uid: hubUid, secret: newSecret(), socket: socket ?? home.socket };
    refuseLongPath(pairing.socket);
    const store = await openSqliteStore(home.database);
    try {
      const ledger = didOfKey((await store.ledgerKeys()).at(-1) as Uint8Array);
      await writeFileAtomically(home.hubPairing, `${JSON.stringify(pairing)}\n`);
      return { socket: pairing.socket, secret: pairing.secret, ledger };
    } finally {
      await store.close();
    }
  });
}

/** The hub's side: from its next start on, the recorder writes its ledger. Returns a signing key that still lies there, if one does. */
export async function joinRecorder(homeDir: string, invitation: Invitation): Promise<{ leftKey: string | undefined }> {
  return await inHome(homeDir, async (home) => {
    const { socket, secret, ledger } = invitation;
    await refuseOtherLedger(home, ledger);
    const config = withRecorder(home.config, socket);
    const pairing: RecorderPairing = { secret, ledger };
    await writeFileAtomically(home.recorderPairing, `${JSON.stringify(pairing)}\n`);
    await writeFileAtomically(join(home.keys, "receipts.pub.pem"), publicKeyToPem(keyOfDid(ledger) as Uint8Array));
    await writeFileAtomically(home.config, config);
    const key = join(home.keys, "receipts.pem");
    return { leftKey: existsSync(key) ? key : undefined };
  });
}

/** The rest of the file stays as it is. */
function withRecorder(path: string, socket: string): string {
  readConfig(path);
  const config = existsSync(path) ? (parseJson(readFileSync(path, "utf8")) as { receipts?: object }) : {};
  return `${JSON.stringify({ ...config, receipts: { ...config.receipts, recorder: socket } }, null, 2)}\n`;
}

async function refuseOtherLedger(home: Home, ledger: string): Promise<void> {
  const store = await openStoreToRead(home.database);
  try {
    const own = store && (await issuerOf(store));
    if (own === undefined || own === ledger) return;
    const remedy =
      "Copy its database and move its keys/receipts* to the recorder's home before that starts for the first time, or give the hub a new home";
    throw new StartError("STORE_UNUSABLE", `${home.dir} has a ledger of its own, which goes on there. ${remedy}.`);
  } finally {
    await store?.close();
  }
}

/** Who began the ledger; undefined: nobody yet. */
async function issuerOf(store: Pick<Store, "receiptBy">): Promise<string | undefined> {
  const first = await store.receiptBy({ seq: 1 });
  return first ? (JSON.parse(first.raw) as { issuer: { id: string } }).issuer.id : undefined;
}

async function inHome<T>(homeDir: string, work: (home: Home) => Promise<T>): Promise<T> {
  try {
    const home = prepareHome(homeDir);
    const lock = lockHome(home.run);
    try {
      return await work(home);
    } finally {
      lock.release();
    }
  } catch (cause) {
    throw asRecorderStartError(cause);
  }
}
