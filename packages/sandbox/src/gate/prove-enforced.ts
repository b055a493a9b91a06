import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { hidesProcesses } from "./hides-processes.ts";

export interface Standing {
  readonly enforcement: "enforced" | "advisory";
  /** Why it isn't more; of what is enforced, nothing. */
  readonly why: string;
}

export interface ToProve {
  readonly execd: URL;
  /** Where execd's token stands; undefined: agents have the same one. */
  readonly tokenFile: string | undefined;
}

/**
 * Whether execd can be reached through this proxy alone. Tried out, not asked for: the listener's user must be another one and not root, its token
 * must be this user's to read, execd must turn away who has none, and no process but the proxy may get a connection: not what execd starts (it has
 * execd's user, and execd's token in its environment), not nobody's, not root's, nor of any user who has a process here. Where others could come by a network, execd must listen on the loopback interface alone. Whatever can't be tried is
 * `advisory`. It is true of the moment at which it is tried.
 */
export async function proveEnforced({ execd, tokenFile }: ToProve): Promise<Standing> {
  const uid = process.getuid?.();
  if (process.platform !== "linux" || uid === undefined) return advisory("only Linux tells who listens");
  if (tokenFile === undefined) return advisory("agents have execd's own token (--execd-token-file)");
  const { uid: owner, mode } = statSync(tokenFile);
  if (owner !== uid || (mode & 0o077) !== 0) return advisory("the token's file isn't this user's alone");
  const mounts = readFileSync("/proc/self/mountinfo", "utf8");
  if (hidesProcesses(mounts, ownerOf(FIRST) !== undefined)) return advisory("/proc may hide whose processes are here");
  const port = Number(execd.port || 80);
  const listeners = listenersOn(port);
  const user = listeners[0]?.uid;
  if (user === undefined) return advisory("nobody listens on execd's port yet");
  if (listeners.some(({ uid: one }) => one !== user)) return advisory("several users listen on execd's port");
  if (user === uid || user === 0) return advisory("execd has the proxy's user, or is root");
  if ((await statusWithoutToken(execd)) !== 401) return advisory("execd answers without a token");
  if (listeners.some(({ isLoopback }) => !isLoopback) && hasNetwork())
    return advisory("execd listens on a network too, from where nothing can be tried");
  const hosts = [execd.hostname.replace(/^\[|\]$/g, ""), ...ownAddresses()];
  const running = usersHere();
  if (running.alsoOwn) return advisory("other processes have the proxy's user");
  const others = [...new Set([user, NOBODY, ROOT, ...running.users])].filter((one) => one !== uid || one === ROOT);
  if (others.length > MOST_USERS) return advisory("more users have processes here than can be tried");
  const to = { hosts: [...new Set(hosts)], port };
  for (let at = 0; at < others.length; at += AT_ONCE) {
    const some = others.slice(at, at + AT_ONCE);
    const found = await Promise.all(some.map((other) => connectAs(other, to)));
    const reached = some.find((_, index) => found[index] === "connected");
    if (reached !== undefined) return advisory(reachedBy(reached, { execd: user, own: uid }));
    const untried = some.find((_, index) => found[index] === "untried");
    if (untried !== undefined)
      return advisory(`it can't be tried whether user ${untried} reaches execd: that takes the right to become them`);
  }
  return { enforcement: "enforced", why: "" };
}

function reachedBy(uid: number, { execd, own }: { readonly execd: number; readonly own: number }): string {
  if (uid === execd) return "what execd starts can connect to execd, and has its token";
  const whose = uid === ROOT ? "root" : uid === NOBODY ? "nobody" : `user ${uid}`;
  const remedy = uid === own ? ": give the proxy a user of its own" : "";
  return `a process of ${whose} can connect to execd${remedy}`;
}

/** Whose processes are here; `alsoOwn`: some are the proxy's user's that aren't the proxy, nor what started it. */
function usersHere(): { readonly users: readonly number[]; readonly alsoOwn: boolean } {
  const own = process.getuid?.();
  const known = ancestors();
  const users = new Set<number>();
  let alsoOwn = false;
  for (const name of readdirSync("/proc")) {
    const uid = /^\d+$/.test(name) ? ownerOf(Number(name)) : undefined;
    if (uid === undefined) continue;
    users.add(uid);
    // Of root there is always one, and that is tried.
    if (uid === own && uid !== ROOT && !known.has(Number(name))) alsoOwn = true;
  }
  return { users: [...users], alsoOwn };
}

/** undefined: it has ended meanwhile. */
function ownerOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}

/** This process and those that it was started by. */
function ancestors(): ReadonlySet<number> {
  const found = new Set<number>();
  for (let pid = process.pid; pid > 0 && !found.has(pid); pid = parentOf(pid)) found.add(pid);
  return found;
}

/** `pid (name) state ppid …`, where a name may have anything in it. */
function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
  } catch {
    // Not ours to see: whoever that is counts as another.
    return 0;
  }
}

/** What comes in from it isn't asked for its user by any rule, and can't be tried from here. */
function hasNetwork(): boolean {
  return Object.values(networkInterfaces()).some((each) => each?.some(({ internal }) => !internal));
}

/** Whoever listens on all has all of them. */
function ownAddresses(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return ["127.0.0.1", "::1", ...addresses.map(({ address }) => address)];
}

function advisory(why: string): Standing {
  return { enforcement: "advisory", why };
}

interface Listener {
  readonly uid: number;
  readonly isLoopback: boolean;
}

/** 127.0.0.0/8, ::1, and the first as the second writes it; each four bytes as the machine has them. Any other way to write it is a network. */
const LOOPBACK = /^(?:0{16}FFFF0{4})?[0-9A-F]{6}7F$|^0{24}01000000$/;

/** `sl local_address rem_address st … uid`, in hexadecimal but for the user; 0A: listens. */
function listenersOn(port: number): Listener[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) => {
    const rows = readFileSync(file, "utf8").split("\n").slice(1);
    return rows.flatMap((row) => {
      const [, local = "", , state, , , , uid] = row.trim().split(/\s+/);
      const [address = "", at] = local.split(":");
      return state === "0A" && at === wanted ? [{ uid: Number(uid), isLoopback: LOOPBACK.test(address) }] : [];
    });
  });
}

const TRY_MS = 3_000;
/** What a process may take on a machine that has much to do. */
const START_MS = 20_000;
const ROOT = 0;
const FIRST = 1;
const NOBODY = 65_534;
const MOST_USERS = 32;
/** Where packets are dropped, each takes its whole time. */
const AT_ONCE = 8;

function statusWithoutToken(execd: URL): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const call = request(new URL("/metrics", execd), { signal: AbortSignal.timeout(START_MS) });
  call.on("response", (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  });
  call.on("error", () => resolve(undefined));
  call.end();
  return promise;
}

/** 4: one of them answered. 3: none did. */
const CONNECT = `const [port, ...hosts] = process.argv.slice(1);
let left = hosts.length;
const none = () => --left === 0 && process.exit(3);
for (const host of hosts) {
  const s = require("node:net").connect(+port, host);
  s.setTimeout(${TRY_MS}, () => s.destroy());
  s.on("connect", () => process.exit(4));
  s.on("error", () => undefined);
  s.on("close", none);
}`;

interface To {
  readonly hosts: readonly string[];
  readonly port: number;
}

/** Another process, of that user: where it ends with anything but what it was told to end with, nothing was tried. */
async function connectAs(uid: number, { hosts, port }: To): Promise<"refused" | "connected" | "untried"> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  try {
    const child = spawn(process.execPath, ["-e", CONNECT, `${port}`, ...hosts], {
      ...{ uid, gid: uid, env: {}, cwd: "/", stdio: "ignore" as const, timeout: START_MS + TRY_MS },
    });
    child.on("error", () => resolve(null));
    child.on("close", resolve);
  } catch {
    return "untried";
  }
  const code = await promise;
  return code === 3 ? "refused" : code === 4 ? "connected" : "untried";
}
