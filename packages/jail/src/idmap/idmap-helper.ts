// A process of its own, started in a mount namespace of its own: what it mounts exists nowhere else. It makes one namespace,
// says so, and waits for the hub to open its namespace.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import {
  type BigIntStats,
  chmodSync,
  chownSync,
  fstatSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import {
  attachTree,
  cloneTree,
  makeReadOnly,
  mapOwners,
  mountOverlay,
  mountScratch,
  mountTmpfs,
  openWithoutLinks,
  SystemError,
} from "@countersign/native";
import { endOf, identityOf, JailError, type MappedPath } from "../base/index.ts";
import { attachMounts } from "./attach-mounts.ts";
import { type IdmapReply, type IdmapRequest, MOUNT_ROOT, type OverlayRequest } from "./idmap-request.ts";
import { overlayPlaces, scratchOf } from "./mount-places.ts";
import { rootProgram } from "./root-program.ts";

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

/**
 * Lays something writable over the nth path of a namespace, for each that was asked for. What is written goes to one scratch of
 * bounded size, which is memory and gone with the namespace.
 */
export function mountOverlays(directory: string, over: OverlayRequest, who: { asUser: boolean }): void {
  try {
    const scratch = scratchOf(directory);
    mkdirSync(scratch);
    mountScratch(scratch, `mode=0755,size=${over.bytes},nr_inodes=${over.files}`);
    refuseHalfWay(join(scratch, "try"), who);
    for (const n of over.paths) lay(join(directory, `${n}`), overlayPlaces(directory, n), who);
  } catch (cause) {
    throw new JailError("OVERLAY_UNAVAILABLE", `Nothing can be laid over a directory here (${String(cause)})`, {
      cause,
    });
  }
}

function lay(lower: string, places: ReturnType<typeof overlayPlaces>, { asUser }: { asUser: boolean }): void {
  const { upper, work, merged } = places;
  for (const path of Object.values(places)) mkdirSync(path, { recursive: true });
  // What is laid over a directory stands for the directory itself: its owner and mode.
  const { uid, gid, mode } = statSync(lower);
  chownSync(upper, uid, gid);
  chmodSync(upper, mode & 0o7777);
  // Without redirects each change is where its name says; a renamed directory is EXDEV, and programs copy it instead.
  const plain = ["index=off", "metacopy=off", "xino=off", ...(asUser ? ["userxattr"] : ["redirect_dir=nofollow"])];
  mountOverlay(merged, [`lowerdir=${lower}`, `upperdir=${upper}`, `workdir=${work}`, ...plain].join(","));
}

/**
 * Some kernels mount it, and then fail where something must be marked in the upper directory: a directory that was removed
 * and made again.
 */
function refuseHalfWay(at: string, who: { asUser: boolean }): void {
  const [lower, places] = [join(at, "lower"), overlayPlaces(at, 0)];
  mkdirSync(join(lower, "directory"), { recursive: true });
  writeFileSync(join(lower, "directory/file"), "");
  lay(lower, places, who);
  rmSync(join(places.merged, "directory"), { recursive: true });
  mkdirSync(join(places.merged, "directory"));
}

/** On-disk owner → the owner that is seen. */
export interface OwnerMap {
  readonly uid: readonly [owner: number | bigint, seen: number];
  readonly gid: readonly [owner: number | bigint, seen: number];
}

/** A descriptor of a user namespace that knows these two ids and no others. No process stays in it. */
export async function openUserNamespace(map: OwnerMap): Promise<number> {
  const echo = spawn(rootProgram("/usr/bin/unshare"), ["--user", "--", rootProgram("/bin/cat")], {
    stdio: ["pipe", "pipe", "inherit"],
    env: {},
    cwd: "/",
  });
  const ended = endOf(echo);
  try {
    await answer(echo);
    writeFileSync(`/proc/${echo.pid}/uid_map`, `${map.uid.join(" ")} 1\n`);
    writeFileSync(`/proc/${echo.pid}/gid_map`, `${map.gid.join(" ")} 1\n`);
    return openSync(`/proc/${echo.pid}/ns/user`, "r");
  } finally {
    echo.kill("SIGKILL");
    await ended;
  }
}

/** What comes back proves that unshare has become cat, inside the namespace. */
async function answer(echo: ChildProcessByStdio<Writable, Readable, null>): Promise<void> {
  echo.stdin.on("error", () => {
    // EPIPE: it ended, which is told by the end of its output.
  });
  echo.stdin.write("\n");
  for await (const _ of echo.stdout) return;
  throw new JailError("ROOM_FAILED", "No user namespace could be made");
}
