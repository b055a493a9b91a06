import assert from "node:assert/strict";
import { existsSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import {
  type Clock,
  DEFAULT_LIMITS,
  type Limits,
  type Log,
  systemClock,
  Undo,
  writeFileAtomically,
} from "@countersign/core/base";
import { findShell, type Home, prepareHome, readConfig } from "@countersign/core/config";
import { StartError } from "@countersign/core/errors";
import { probeEngine } from "@countersign/jail";
import { type Addresses, MIN_RELAY_TOKEN } from "@countersign/protocol/access";
import { linkRecorder, openHubStore, openRecorder, refuseLongPath } from "@countersign/recorder";
import { lockHome, StoreError } from "@countersign/store";
import { Chats } from "./agent/index.ts";
import { openModel } from "./agent/providers/index.ts";
import { Adapters, type LocalAgents } from "./api/index.ts";
import { McpHttpSessions } from "./api/mcp/index.ts";
import { createHttpApp, listenOnSocket } from "./api/serve/index.ts";
import { serveWebSockets } from "./api/ws/index.ts";
import { HubRelay, RelaySecrets } from "./gateway/index.ts";
import { type Hub, openHub } from "./hub/index.ts";
import {
  bootstrapToken,
  FailedLogins,
  LastSeen,
  openHubKey,
  Pairing,
  type PairingApprover,
  pairingApprover,
  readGatewayUrl,
  Tokens,
} from "./identity/index.ts";
import { type ClosableServer, createWebServers, planned, Reach, type ReachOptions } from "./listen/index.ts";
import { Notifications } from "./notifications/index.ts";

export const DEFAULT_PORT = 18_789;
/** Directory of the built page. A path instead of an import, because this package must not depend on `web`. */
const PAGE_DIR = fileURLToPath(new URL("../../web/dist", import.meta.url));

export interface ServeOptions extends ReachOptions {
  readonly homeDir: string;
  readonly cwd: string;
  readonly log: Log;
  /** 0 picks a free port. */
  readonly port?: number;
  readonly token?: string | undefined;
  /** Address of a gateway to connect to as well: `wss://…`, or `ws://` on this machine. */
  readonly gateway?: string | undefined;
  /** Socket for emitters' frames, in place of the configured one. */
  readonly recorderSocket?: string | undefined;
  /** Directory of the built page, if it isn't next to this package. */
  readonly pageDir?: string;
  /** Rings in the hub's terminal, if the configuration turns that on. */
  readonly bell?: (() => void) | undefined;
  /** Finds and connects the agents of this machine. */
  readonly agents?: LocalAgents;
  readonly clock?: Clock;
  readonly limits?: Limits;
}

export interface Served {
  readonly hub: Hub;
  readonly home: Home;
  readonly url: string;
  /** All addresses under which it can be reached. */
  readonly addresses: Addresses;
  /** Pairs a new device in the name of the user who started the hub. */
  readonly pairing: PairingApprover;
  /** Whether the hub has never run with this data directory before. */
  readonly firstStart: boolean;
  /** Why commands run without a jail. Undefined if they have one. */
  readonly noJail: string | undefined;
  /** Limits that the jail doesn't enforce in full on this machine, each with the reason. */
  readonly jailGaps: readonly string[];
  /** Why all new commands are denied: the separate recorder is out of reach. */
  readonly noRecorder: string | undefined;
  /** The hub's public key, by which gateways and hooks verify it. */
  readonly hubKey: string;
  close(): Promise<void>;
  /** For a process that must exit now: signals running commands, and leaves the rest to the next start. */
  abandon(): void;
}

/** Starts the hub. Throws StartError if that fails, and leaves nothing running then. */
export async function serve(options: ServeOptions): Promise<Served> {
  const undo = new Undo();
  const unwind = () => undo.all();
  try {
    return await start(options, undo, unwind);
  } catch (cause) {
    await unwind().catch((error) => options.log.error({ err: error }, "the failed start could not be undone cleanly"));
    throw asStartError(cause);
  }
}

async function start(options: ServeOptions, undo: Undo, unwind: () => Promise<void>): Promise<Served> {
  const { log, limits = DEFAULT_LIMITS, port = DEFAULT_PORT, clock = systemClock } = options;
  planned(options);
  const gateway = options.gateway === undefined ? undefined : readGatewayUrl(options.gateway);
  const home = prepareHome(options.homeDir);
  refuseLongPath(home.recorderSocket);
  const lock = lockHome(home.run);
  undo.push(() => lock.release());
  const config = readConfig(home.config);
  const firstStart = !existsSync(home.database);
  const reach = new Reach(options, { config, home, clock });
  const token = await bootstrapToken(home, options.token);
  if (gateway !== undefined && token.length < MIN_RELAY_TOKEN) {
    const why = "a gateway could guess at a shorter one";
    throw new StartError("TOKEN_INVALID", `With --gateway the token must have ${MIN_RELAY_TOKEN} characters: ${why}.`);
  }
  const { store, remote } = await openHubStore({ home, config, clock, limits });
  undo.push(() => store.close());
  if (remote && options.recorderSocket !== undefined) {
    const why =
      "emitters send their frames to the recorder, which has a process of its own (`countersign recorder --socket`)";
    throw new StartError("CONFIG_INVALID", `--recorder-socket can't be had here: ${why}.`);
  }
  const link = remote && (await linkRecorder(remote, { home, clock, limits, log }));
  undo.push(() => link?.close());
  const tokens = await Tokens.load(store, clock, token);
  const lastSeen = await LastSeen.load(store, clock, log);
  undo.push(() => lastSeen.close());
  const serveCwd = realpathSync(options.cwd);
  const shell = findShell();
  const roots = [serveCwd, ...config.roots];
  const { sandboxUser, tools } = config;
  const jail = await probeEngine({ home, shell, roots, sandboxUser, limits: tools.limits, clock, log });
  undo.push(() => jail.engine?.close());
  const hub = await openHub({
    home,
    store,
    config,
    log,
    limits,
    serveCwd,
    clock,
    shell,
    jail,
  });
  const modelOptions = { clock, limits, keysDir: home.keys, env: process.env, providers: () => hub.config.providers };
  const chats = new Chats({ hub, store, clock, limits, openModel: (name) => openModel(name, modelOptions) });
  tokens.onRevoked((id) => {
    chats.abortOwnedBy(id);
    hub.proposals.openProposals.withdrawOwnedBy(id, "The token was revoked");
  });
  const { bell } = options;
  const { env } = process;
  const notifications = await Notifications.open({ hub, store, tokens, home, clock, limits, env, bell });
  undo.push(() => notifications.close());
  const listeners: ClosableServer[] = [];
  // Between refusing new connections and ending the old ones, because closing the hub answers pending requests.
  undo.push(async () => {
    const closed = listeners.map((listener) => listener.stopListening());
    try {
      await chats.close();
      await hub.close();
    } finally {
      // Also if the hub couldn't record its end: no command may go on running.
      await hub.proposals.close();
      for (const listener of listeners) listener.endConnections();
      await Promise.all(closed);
    }
  });
  const hubKey = await openHubKey(home);
  const failedLogins = new FailedLogins(clock, (address) => hub.authFailed(address));
  listeners.push(await listenOnSocket(home.socket, { hub, tokens, failedLogins, limits, clock, hubKey }));
  const frames = remote
    ? undefined
    : await openRecorder(options.recorderSocket, {
        ...{ store, clock, limits, log, home, config },
        emitters: () => hub.emitters,
      });
  // Before the hub's last checkpoint, which must cover all frames.
  undo.push(() => frames?.close());
  const first = tokens.identify(token);
  assert(first, "the first token is one of ours");
  const pairing = new Pairing(tokens, hub.devices, clock);
  const mcp = new McpHttpSessions(hub, clock, limits);
  tokens.onRevoked((id) => mcp.endOwnedBy(id));
  const app = createHttpApp({
    ...{ hub, tokens, pairing, limits, clock, failedLogins, reach, mcp, lastSeen, notifications },
    adapters: new Adapters({ here: options.agents, hub, store, clock }),
    frames: frames?.counts ?? new Map(),
    pageDir: options.pageDir ?? PAGE_DIR,
  });
  const web = await createWebServers({ fetch: app.fetch, reach, limits, log });
  const { origins } = reach;
  const webSockets = serveWebSockets(web.servers, {
    hub,
    chats,
    tokens,
    limits,
    clock,
    failedLogins,
    lastSeen,
    origins,
  });
  listeners.push({
    stopListening: async () => void (await Promise.all(web.listeners.map((listener) => listener.stopListening()))),
    endConnections() {
      mcp.close();
      webSockets.sayGoodbye();
      for (const listener of web.listeners) listener.endConnections();
    },
  });
  const [url = ""] = await web.open(port);
  if (gateway !== undefined) {
    const { deviceId } = hub;
    const { serveEnvelopes } = webSockets;
    const secrets = new RelaySecrets(store, token);
    listeners.push(
      new HubRelay({ url: gateway, deviceId, hubKey, secrets, failedLogins, clock, limits, log, serveEnvelopes }),
    );
  }
  await writeFileAtomically(home.address, `${JSON.stringify({ url, pid: process.pid })}\n`);
  undo.push(() => rm(home.address, { force: true }));
  return {
    hub,
    home,
    url,
    addresses: reach.view(),
    pairing: pairingApprover(pairing, first),
    firstStart,
    noJail: jail.problem,
    jailGaps: jail.engine?.unheldLimits ?? [],
    noRecorder: store.unrecordable()?.message,
    hubKey: hubKey.publicKey,
    close: unwind,
    abandon: () => {
      hub.previews.withdrawAll("Countersign failed");
      hub.proposals.openProposals.withdrawAll("Countersign failed");
    },
  };
}

function asStartError(cause: unknown): unknown {
  if (cause instanceof Error && "syscall" in cause) {
    const remedy = "Check that the home and what is in it are yours, and that there is space.";
    return new StartError("HOME_UNWRITABLE", `Countersign can't use its files (${cause.message}). ${remedy}`, {
      cause,
    });
  }
  if (!(cause instanceof StoreError)) return cause;
  if (cause.code === "LOCKED") {
    return new StartError("ALREADY_RUNNING", "Another hub uses this home already. `countersign` tells its state.", {
      cause,
    });
  }
  return new StartError("STORE_UNUSABLE", cause.message, { cause });
}
