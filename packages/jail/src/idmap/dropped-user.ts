import { readFileSync, statSync } from "node:fs";

/** The unprivileged user as whom a root hub runs commands. */
export interface DroppedUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

export interface DroppedUserFacts {
  /** What the operator chose (`sandboxUser`). No other is taken in its place. */
  readonly configured?: string | undefined;
  /** Workspaces, and whatever else must not belong to this user. */
  readonly roots: readonly string[];
  /** Only users of this file are found: one of a directory service may be absent when the service is. */
  readonly passwdFile?: string;
}

/** In this order: a user of its own shares nothing with anyone, `nobody` may be some daemon's too. */
const USUAL_NAMES = ["countersign", "nobody"];

/** Undefined when there's nobody to drop to: then nothing that must be jailed may run. */
export function findDroppedUser(facts: DroppedUserFacts): DroppedUser | undefined {
  const users = readUsers(facts.passwdFile ?? "/etc/passwd");
  const owners = new Set(facts.roots.map(ownerOf));
  for (const name of facts.configured === undefined ? USUAL_NAMES : [facts.configured]) {
    // The first line of a name is the one that the system takes, too.
    const user = users.find((candidate) => candidate.name === name);
    if (user && user.uid !== 0 && user.gid !== 0 && !owners.has(user.uid)) return user;
  }
  return undefined;
}

function readUsers(passwdFile: string): readonly DroppedUser[] {
  let text: string;
  try {
    text = readFileSync(passwdFile, "utf8");
  } catch {
    // No user database (usual in the smallest containers) is one without users.
    return [];
  }
  return text.split("\n").flatMap((line) => userIn(line) ?? []);
}

/** passwd(5): name:password:uid:gid:comment:home:shell */
function userIn(line: string): DroppedUser | undefined {
  const [name, , uid, gid, ...rest] = line.split(":");
  if (!name || /^[+#-]/.test(name) || rest.length !== 3) return undefined;
  const ids = { uid: idIn(uid), gid: idIn(gid) };
  return ids.uid === undefined || ids.gid === undefined ? undefined : { name, uid: ids.uid, gid: ids.gid };
}

/** -1 means "leave as it is" to the kernel, in 16 bits and in 32. */
const NO_IDS = [0xffff, 0xffff_ffff];

function idIn(text: string | undefined): number | undefined {
  const id = /^\d{1,10}$/.test(text ?? "") ? Number(text) : Number.NaN;
  return id <= 0xffff_ffff && !NO_IDS.includes(id) ? id : undefined;
}

/** A root that can't be looked at belongs to no user that we know; a mount namespace refuses it. */
function ownerOf(root: string): number | undefined {
  try {
    return statSync(root, { throwIfNoEntry: false })?.uid;
  } catch {
    return undefined;
  }
}
