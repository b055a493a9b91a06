import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { readBundle } from "../ca/index.ts";
import type { Log } from "../errors/index.ts";
import { Forwarder } from "./forward.ts";
import { healthServer, type RelayState } from "./health-door.ts";
import { Ingest } from "./ingest.ts";
import { RELAY_LIMITS, type RelayLimits } from "./limits.ts";
import { Rates } from "./rate.ts";
import { RecorderClient } from "./recorder-client.ts";
import { SandboxDoor } from "./sandbox-door.ts";
import { Spool } from "./spool.ts";
import { RevocationWatch } from "./watch-revocations.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface RelayOptions {
  readonly listen: Address;
  readonly health: Address;
  /** The relay's own key and certificate, and the CA's: files. */
  readonly bundle: string;
  readonly crl: string;
  /** The recorder's socket. */
  readonly recorder: string;
  readonly spool: string;
  readonly log: Log;
  readonly limits?: Partial<RelayLimits>;
}

export interface Relay {
  readonly address: Address;
  readonly health: Address;
  /** Takes nothing more; answers what came; what is on disk stays there for the next one. */
  close(): Promise<void>;
}

/** How long requests that are being dealt with may take when it ends. */
const FINISH_MS = 5_000;

/** Throws CaError, and what listening or the disk throw. It holds the key of its own certificate, and none that signs anything. */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { log } = options;
  const limits = { ...RELAY_LIMITS, ...options.limits };
  const counts = new Map<string, number>();
  const count = (result: string) => void counts.set(result, (counts.get(result) ?? 0) + 1);
  const bundle = readBundle(options.bundle);
  const spool = Spool.open(options.spool, limits, log);
  for (let n = 0; n < spool.lost; n += 1) count("lost");
  const watched = { path: options.crl, newest: join(options.spool, "newest-crl.pem"), ca: bundle.ca };
  const onChange = () => door.closeRevoked();
  const revocations = await orClose(
    spool,
    () => new RevocationWatch({ ...watched, everyMs: limits.crlEveryMs, log, onChange }),
  );
  const recorder = new RecorderClient({ path: options.recorder, log, limits, onUp: () => forwarder.drain() });
  const forwarder = new Forwarder(recorder, { spool, log, count });
  const ingest = new Ingest({ forwarder, rates: new Rates(limits), limits, count });
  const door = new SandboxDoor({ bundle, ingest, limits, log, revocations, count });
  const stateOf = (): RelayState => ({
    recorder: !recorder.isUp ? "down" : forwarder.refusal === undefined ? "up" : "refuses",
    refusal: forwarder.refusal,
    ...{
      spooledFrames: spool.count,
      spooledBytes: spool.bytes,
      spoolIsFull: spool.isFull,
      spoolProblem: spool.problem,
    },
    ...{ connections: door.connections, revoked: revocations.count, revocationsProblem: revocations.problem, counts },
  });
  const health = healthServer(stateOf);
  const close = async () => {
    await Promise.all([door.server, health].map(closeServer));
    revocations.close();
    recorder.close();
    await forwarder.close();
    await spool.close();
  };
  try {
    return {
      address: await listen(door.server, options.listen),
      health: await listen(health, options.health),
      close,
    };
  } catch (cause) {
    await close();
    throw cause;
  }
}

async function orClose<T>(spool: Spool, make: () => T): Promise<T> {
  try {
    return make();
  } catch (cause) {
    await spool.close();
    throw cause;
  }
}

async function listen(server: Server, { host, port }: Address): Promise<Address> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { address, port: chosen } = server.address() as AddressInfo;
  return { host: address, port: chosen };
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), FINISH_MS);
  await closed;
  clearTimeout(late);
}
