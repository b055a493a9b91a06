import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { type Clock, DEFAULT_LIMITS, type Limits, type Log, silentLog, systemClock } from "@countersign/core/base";
import { prepareHome, readConfig } from "@countersign/core/config";
import { LedgerVerifier, ownDidKey, type Receipt } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { openRecorder } from "@countersign/recorder";
import { openSqliteStore, readReceipts } from "@countersign/store";
import { eventually, scratch } from "./serve-fixture.ts";

/** A frame as the peer's emitters send it. */
export function frame(set: object = {}): Record<string, unknown> {
  return {
    v: "1",
    ts_emit: "2026-01-02T03:04:05.678901Z",
    session_id: "s-1",
    channel: "mcp",
    tool: { name: "list_repos", server: "github" },
    decision: "allowed",
    ...set,
  };
}

export function framed(content: string | Buffer | object): Buffer {
  const bytes = Buffer.isBuffer(content)
    ? content
    : Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
  const header = Buffer.alloc(4);
  header.writeUInt32BE(bytes.length);
  return Buffer.concat([header, bytes]);
}

export interface Emitter {
  readonly socket: Socket;
  send(...frames: readonly object[]): void;
  /** The first so many answers. */
  answers(count: number): Promise<Answered[]>;
  /** When the other side has closed. */
  closed(): Promise<void>;
}

interface Answered {
  readonly seq?: number;
  readonly receipt_hash?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

export async function openEmitter(t: TestContext, path: string): Promise<Emitter> {
  const socket = connect(path);
  t.after(() => socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  let received = Buffer.alloc(0);
  let isClosed = false;
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
  });
  socket.on("close", () => {
    isClosed = true;
  });
  return {
    socket,
    send: (...frames) => void socket.write(Buffer.concat(frames.map(framed))),
    answers: (count) =>
      eventually(() => {
        const found = unframe(received);
        return found.length >= count && found;
      }),
    closed: async () => void (await eventually(() => isClosed)),
  };
}

function unframe(bytes: Buffer): Answered[] {
  const found: Answered[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    found.push(JSON.parse(bytes.subarray(at + 4, end).toString()));
    at = end;
  }
  return found;
}

interface Ledger {
  readonly database: string;
}

/** All receipts, after checking that they are whole. */
export async function verifiedReceipts({ database }: Ledger): Promise<Receipt[]> {
  const verifier = new LedgerVerifier({ crypto: nodeCrypto(), keys: ownDidKey, bytes: "canonical" });
  const receipts: Receipt[] = [];
  for await (const { raw } of readReceipts(database)) {
    await verifier.feed(Buffer.from(raw));
    receipts.push(JSON.parse(raw));
  }
  const { fault } = await verifier.finish();
  if (fault) throw new Error(`${fault.code} at ${fault.index}: ${fault.detail}`);
  return receipts;
}

/** Those that came in frames. */
export async function emitted(ledger: Ledger): Promise<Receipt[]> {
  const all = await verifiedReceipts(ledger);
  return all.filter(({ credentialSubject: { chain } }) => /:(?:uid|sandbox):/.test(chain.chain_id));
}

export interface Recording extends Ledger {
  readonly path: string;
  readonly homeDir: string;
  counted(result: string): number;
  close(): Promise<void>;
}

interface RecordingOptions {
  readonly homeDir?: string;
  readonly receipts?: object;
  readonly limits?: Partial<Limits>;
  readonly log?: Log;
  readonly clock?: Clock;
}

/** The recorder by itself, without a hub around it. */
export async function startRecording(t: TestContext, options: RecordingOptions = {}): Promise<Recording> {
  const { homeDir = scratch(t).homeDir, receipts = {}, log = silentLog, clock = systemClock } = options;
  const home = prepareHome(homeDir);
  writeFileSync(home.config, JSON.stringify({ receipts }));
  const store = await openSqliteStore(home.database);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const config = readConfig(home.config);
  const { emitters } = config.receipts;
  const rooms = { store, clock, limits, log, home, config, emitters: () => emitters };
  const recorder = await openRecorder(undefined, rooms);
  const close = async () => {
    await recorder.close();
    await store.close();
  };
  t.after(close);
  return {
    ...{ homeDir, close, database: home.database, path: home.recorderSocket },
    counted: (result) => recorder.counts.get(result as never) ?? 0,
  };
}
