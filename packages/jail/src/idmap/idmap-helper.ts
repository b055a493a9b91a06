// A process of its own, started in a mount namespace of its own: what it mounts exists nowhere else. It makes one namespace,
// says so, and waits for the hub to open its namespace.
import { type BigIntStats, fstatSync, mkdirSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import {
  attachTree,
  cloneTree,
  makeReadOnly,
  mapOwners,
  mountTmpfs,
  openWithoutLinks,
  SystemError,
} from "@countersign/native";
import { identityOf, JailError, type MappedPath } from "../base/index.ts";
import { attachMounts } from "./attach-mounts.ts";
import { type IdmapReply, type IdmapRequest, MOUNT_ROOT } from "./idmap-request.ts";
import { mountOverlays } from "./mount-overlays.ts";
import { openUserNamespace } from "./user-namespace.ts";

interface OpenPath extends Pick<MappedPath, "path" | "owner"> {
  readonly fd: number;
  readonly stat: BigIntStats;
}

interface PathOwner {
  readonly uid: number | bigint;
  readonly gid: number | bigint;
}

// The dropped user passes through what is made here.
process.umask(0o022);
const lines = createInterface({ input: process.stdin });
for await (const line of lines) {
  const reply = await makeMount(JSON.parse(line) as IdmapRequest).then((): IdmapReply => ({ ok: true }), refusal);
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}

async function makeMount({ user, directory, paths, over, mounts }: IdmapRequest): Promise<void> {
  // Opened before anything is covered, and from here on only used by descriptor: a name can change its meaning.
  const opened = paths.map(openPath);
  const userNamespace = user && perOwner(user);
  const trees: number[] = [];
  for (const path of opened) {
    trees.push(userNamespace ? mappedTree(path, await userNamespace(path.owner ?? path.stat)) : cloneTree(path.fd));
  }
  mountTmpfs(MOUNT_ROOT, "mode=0755,size=1m,nr_inodes=1024");
  mkdirSync(directory);
  opened.forEach(({ stat }, n) => {
    const at = `${directory}/${n}`;
    if (stat.isDirectory()) mkdirSync(at);
    else writeFileSync(at, "");
    if (mounts?.[n]?.readOnly) makeReadOnly(trees[n] as number);
    attachTree(trees[n] as number, at);
  });
  if (over) mountOverlays(directory, over, { asUser: user === undefined });
  const isMapped = user !== undefined;
  if (mounts) attachMounts(mounts, { directory, sources: opened, over: over?.paths ?? [], isMapped, user });
}

function openPath({ path, identity, owner }: MappedPath): OpenPath {
  const changed = (cause?: unknown) => new JailError("PATH_CHANGED", `${path} was replaced`, { cause });
  let fd: number;
  try {
    fd = openWithoutLinks(path);
  } catch (cause) {
    const { code } = cause as SystemError;
    throw ["ENOENT", "ENOTDIR", "ELOOP"].includes(code) ? changed(cause) : cause;
  }
  const stat = fstatSync(fd, { bigint: true });
  if (identityOf(stat) !== identity) throw changed();
  return { path, owner, fd, stat };
}

/** One user namespace for all paths of an owner. */
function perOwner(user: NonNullable<IdmapRequest["user"]>): (owner: PathOwner) => Promise<number> {
  const known = new Map<string, Promise<number>>();
  return ({ uid, gid }) => {
    const owner = `${uid}:${gid}`;
    const fd = known.get(owner) ?? openUserNamespace({ uid: [uid, user.uid], gid: [gid, user.gid] });
    known.set(owner, fd);
    return fd;
  };
}

function mappedTree({ path, fd }: OpenPath, userNamespace: number): number {
  try {
    const tree = cloneTree(fd);
    mapOwners(tree, userNamespace);
    return tree;
  } catch (cause) {
    // EINVAL: the filesystem can't. EPERM: it is mapped already. ENOSYS: the kernel can't.
    if (!(cause instanceof SystemError) || !["EINVAL", "EPERM", "ENOSYS"].includes(cause.code)) throw cause;
    const message = `The owners of ${path}, or of a mount inside of it, can't be mapped (${cause.message})`;
    throw new JailError("IDMAP_UNSUPPORTED", message, { cause });
  }
}

function refusal(cause: unknown): IdmapReply {
  if (cause instanceof JailError) return { ok: false, code: cause.code, message: cause.message };
  const tooOld = cause instanceof SystemError && cause.code === "ENOSYS";
  return { ok: false, code: tooOld ? "IDMAP_UNSUPPORTED" : "ROOM_FAILED", message: String(cause) };
}
