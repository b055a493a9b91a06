import { type Clock, DEFAULT_LIMITS, type Limits, type Log, systemClock, Undo } from "@countersign/core/base";
import { type Config, type Home, prepareHome, readConfig } from "@countersign/core/config";
import { StartError } from "@countersign/core/errors";
import { canonicalize, didOfKey, type Json } from "@countersign/receipts";
import {
  Checkpoints,
  type LedgerDraft,
  lockHome,
  openSqliteStore,
  recordConfigChanges,
  type Store,
  StoreError,
  WitnessFile,
} from "@countersign/store";
import { Backpressure, openRecorder } from "../frames/index.ts";
import { listenForHub } from "./hub-server.ts";
import { readHubPairing } from "./pairing.ts";

export interface StartRecorderOptions {
  readonly homeDir: string;
  readonly log: Log;
  /** Where emitters send their frames, instead of where config says. */
  readonly socket?: string | undefined;
  readonly clock?: Clock;
  readonly limits?: Limits;
}

export interface StartedRecorder {
  readonly home: Home;
  /** did:key of the key that signs. */
  readonly key: string;
  /** Where the paired hub connects; undefined: none is paired. */
  readonly hubSocket: string | undefined;
  /** What its witness remembers and the ledger doesn't have. */
  readonly setback: string | undefined;
  /** Signs a last checkpoint, and leaves nothing behind. */
  close(): Promise<void>;
}

/** Starts a recorder in a process of its own, or throws StartError and leaves nothing running. */
export async function startRecorder(options: StartRecorderOptions): Promise<StartedRecorder> {
  const undo = new Undo();
  try {
    return await start(options, undo);
  } catch (cause) {
    await undo
      .all()
      .catch((error) => options.log.error({ err: error }, "the failed start could not be undone cleanly"));
    throw asRecorderStartError(cause);
  }
}

async function start(options: StartRecorderOptions, undo: Undo): Promise<StartedRecorder> {
  const { log, clock = systemClock, limits = DEFAULT_LIMITS } = options;
  if (process.platform !== "linux")
    throw new StartError("CONFIG_INVALID", "A recorder of its own needs Linux: only there is known who connects.");
  const home = prepareHome(options.homeDir);
  const lock = lockHome(home.run);
  undo.push(() => lock.release());
  const config = readConfig(home.config);
  if (config.receipts.recorder !== undefined)
    throw new StartError(
      "CONFIG_INVALID",
      `${home.config} has receipts.recorder: this is a hub's home, not a recorder's.`,
    );
  const pairing = readHubPairing(home.hubPairing);
  const store = await openSqliteStore(home.database);
  undo.push(() => store.close());
  const witness = new WitnessFile(config.receipts.witness ?? home.witness);
  const checkpoints = await (await Checkpoints.open({ store, clock, log, witness })).begin();
  store.onAppend(() => checkpoints.follow());
  const rotate = async (body: LedgerDraft["body"]) => {
    const { seq } = await store.rotateKey({ atMs: clock.wallMs(), body });
    await checkpoints.sign();
    return seq;
  };
  const backpressure = new Backpressure(limits);
  const hubServer = pairing && (await listenForHub({ store, clock, limits, log, pairing, rotate, backpressure }));
  // The hub gets the last checkpoint too, which covers all that it told.
  undo.push(() => hubServer?.close());
  undo.push(() => checkpoints.close());
  undo.push(() => hubServer?.stopTaking());
  const { emitters } = config.receipts;
  await recordEmitters(emitters, { store, clock });
  await recordConfigChanges(config, { store, clock, file: "the recorder's config.json" });
  const frames = await openRecorder(options.socket, {
    ...{ store, clock, limits, log, home, config, backpressure },
    emitters: () => emitters,
  });
  undo.push(() => frames.close());
  return {
    home,
    key: didOfKey((await store.ledgerKeys())[0] as Uint8Array),
    hubSocket: pairing?.socket,
    setback: checkpoints.setback,
    close: () => undo.all(),
  };
}

/** Whatever keeps a recorder from starting, as a sentence with what to do. */
export function asRecorderStartError(cause: unknown): unknown {
  if (cause instanceof Error && "syscall" in cause) {
    const remedy = "Check that its home and the directories of its sockets are its user's, and that there is space.";
    return new StartError("HOME_UNWRITABLE", `The recorder can't use its files (${cause.message}). ${remedy}`, {
      cause,
    });
  }
  if (!(cause instanceof StoreError)) return cause;
  if (cause.code !== "LOCKED") return new StartError("STORE_UNUSABLE", cause.message, { cause });
  const why =
    "A recorder, or a hub, uses this home already: a ledger has one writer. Stop that one, or name another --home.";
  return new StartError("ALREADY_RUNNING", why, { cause });
}

const ENROLLED = "recorder.emitters";

/**
 * In a process of its own nobody can be asked: its config is its own user's, whom it trusts with the key. So who may write
 * sandboxes' chains is on record before anyone does.
 */
async function recordEmitters(
  emitters: Config["receipts"]["emitters"],
  { store, clock }: { readonly store: Pick<Store, "setting" | "commit">; readonly clock: Clock },
): Promise<void> {
  const value = emitters.map(({ uid, role }) => ({ uid, role })) satisfies Json;
  if (canonicalize((await store.setting(ENROLLED)) ?? []) === canonicalize(value)) return;
  const body = { file: "config.json", by: "recorder", emitters: value.map(({ uid, role }) => `${role}:${uid}`) };
  const draft = { type: "policy-changed", sessionId: null, proposalKey: null, atMs: clock.wallMs(), body } as const;
  await store.commit([
    { op: "put-setting", key: ENROLLED, value },
    { op: "append", draft },
  ]);
}
