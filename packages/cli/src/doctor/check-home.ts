import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Home } from "@countersign/core/config";
import { lacksSpace } from "@countersign/hub";
import type { HubState } from "@countersign/protocol/hub";
import { visible } from "@countersign/protocol/text";
import { openStoreToRead } from "@countersign/store";
import { type Finding, not, ok } from "./finding.ts";

/** The store can be read, and what it says about time fits the clock. */
export async function checkStore(home: Home, nowMs: number): Promise<Finding[]> {
  if (!existsSync(home.database)) {
    const says = "this home was never served";
    return [not("warn", "store", { says, remedy: "countersign serve" })];
  }
  try {
    const reader = await openStoreToRead(home.database);
    if (reader === undefined) return [not("warn", "store", { says: "it is empty", remedy: "countersign serve" })];
    try {
      const { seq = 0 } = (await reader.ledgerHead()) ?? {};
      const last = (await reader.ledger({ afterSeq: Math.max(0, seq - 100), limit: 100 })).at(-1);
      return [ok("store", `${seq} receipts in ${visible(home.database)}`), clock(last?.atMs ?? 0, nowMs)];
    } finally {
      await reader.close();
    }
  } catch (cause) {
    const remedy = "put a copy back that `countersign backup` made";
    return [not("fail", "store", { says: visible((cause as Error).message), remedy })];
  }
}

/** Whether what is decided can be put on record: by the space that is left, and by the word of the hub that runs. */
export async function checkRoom(home: Home, state: HubState | undefined): Promise<Finding[]> {
  if (!existsSync(home.dir)) return [];
  if (await lacksSpace(home.dir)) {
    const says = `${visible(home.dir)} is on a full disk: nothing can be recorded, so everything new is denied`;
    return [not("fail", "record", { says, remedy: "free some space; the hub goes on by itself" })];
  }
  if (state?.problem !== undefined)
    return [
      not("fail", "record", { says: visible(state.problem), remedy: "do what it says; the hub goes on by itself" }),
    ];
  return [ok("record", "the disk has room for it")];
}

/** Further ahead than two clocks of one machine can be. */
const SLACK_MS = 60_000;

function clock(newestMs: number, nowMs: number): Finding {
  if (newestMs <= nowMs + SLACK_MS) return ok("clock", "not behind the record");
  const says = `it is ${Math.round((newestMs - nowMs) / 1000)} s behind the newest record`;
  return not("fail", "clock", { says, remedy: "set the clock (timedatectl set-ntp true)" });
}

const KEYS = ["receipts.pem", "hub.key", "token"];

/** With a recorder of its own the key that signs is elsewhere. */
export function checkKeys(home: Home, { recorder }: { readonly recorder: string | undefined }): Finding[] {
  if (!existsSync(home.database)) return [];
  const wanted = recorder === undefined ? KEYS : KEYS.slice(1);
  const missing = wanted.filter((name) => !existsSync(join(home.keys, name)));
  if (missing.length === 0) return [ok("keys", visible(home.keys))];
  const remedy = "put them back from your copy; a token and the hub's key are made anew by countersign serve";
  return [not("fail", "keys", { says: `missing: ${missing.join(", ")}`, remedy })];
}

export function checkRecorder(socket: string | undefined): Finding {
  if (socket === undefined) return ok("recorder", "inside the hub");
  if (lstatSync(socket, { throwIfNoEntry: false })?.isSocket())
    return ok("recorder", `a process of its own, at ${visible(socket)}`);
  const says = `nothing waits at ${visible(socket)}: everything is denied`;
  return not("fail", "recorder", { says, remedy: "countersign recorder" });
}

/** Nobody else may read the keys, or speak for the hub. */
export function checkPermissions(home: Home): Finding[] {
  if (!existsSync(home.dir)) return [];
  const files = [home.keys, home.run, home.profiles, join(home.dir, "hook")].flatMap((dir) =>
    existsSync(dir) ? [dir, ...readdirSync(dir).map((name) => join(dir, name))] : [],
  );
  const uid = process.getuid?.();
  const wrong = [home.dir, home.database, home.config, ...files].filter((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isSymbolicLink()) return false;
    return (found.mode & 0o077) !== 0 || (uid !== undefined && uid !== 0 && found.uid !== uid);
  });
  const [first] = wrong;
  if (first === undefined) return [ok("permissions", `${visible(home.dir)} is for its owner alone`)];
  const says = `${wrong.length} of the home's files are open to others or not yours, such as ${visible(first)}`;
  return [not("fail", "permissions", { says, remedy: `chmod -R go= ${visible(home.dir)}` })];
}

/** A command that an agent names is looked up there. */
export function checkPath(path: string | undefined): Finding {
  const entries = (path ?? "").split(delimiter);
  const relative = entries.filter((entry) => !entry.startsWith("/"));
  if (relative.length > 0) {
    const says = `PATH has ${relative.map((entry) => JSON.stringify(entry)).join(", ")}: whoever writes there chooses what runs`;
    return not("warn", "PATH", { says, remedy: "name only absolute directories in PATH" });
  }
  const open = entries.filter((entry) => isOpenToAll(entry));
  if (open.length === 0) return ok("PATH", `${entries.length} directories, none that anybody can write to`);
  return not("warn", "PATH", {
    says: `anybody can write to ${open.map(visible).join(", ")}`,
    remedy: "chmod o-w those directories",
  });
}

function isOpenToAll(path: string): boolean {
  try {
    const found = statSync(path);
    return (found.mode & 0o002) !== 0 && (found.mode & 0o1000) === 0;
  } catch {
    // Absent, or in a directory that this user can't enter, such as root's in a PATH that `su` kept: nothing is run from there.
    return false;
  }
}
