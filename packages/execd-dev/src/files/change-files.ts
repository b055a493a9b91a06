import { constants } from "node:fs";
import { chmod, chown, lstat, mkdir, open, readdir, rename, rmdir, stat, unlink } from "node:fs/promises";
import { goInt, goString, goStruct } from "@countersign/sandbox";
import { ExecdError } from "../http/index.ts";
import { goErrno, type Place } from "../places/index.ts";
import { idOf } from "./file-info.ts";
import { fileError, saidAs, type WorkspaceFiles } from "./workspace-files.ts";

type Held = Pick<Place, "shown" | "path" | "isRoot" | "owner">;

/** `mode` in octal, written as a decimal number: 755. */
export const permission = goStruct({ owner: goString, group: goString, mode: goInt });
export type Permission = ReturnType<typeof permission.zero>;
export const renaming = goStruct({ src: goString, dest: goString });
export const replacing = goStruct({ old: goString, new: goString });

/** Where neither an owner nor a group is known, it becomes this user's, or whose all is there. */
export async function setPermission(
  workspace: WorkspaceFiles,
  place: Held,
  { owner, group, mode }: Permission,
): Promise<void> {
  const uid = owner === "" ? undefined : idOf("/etc/passwd", owner);
  const gid = group === "" ? undefined : idOf("/etc/group", group);
  const isNobody = uid === undefined && gid === undefined;
  const own = place.owner ?? { uid: ownUid(), gid: ownGid() };
  await workspace.pinned(place, async ({ path }) => {
    if (mode !== 0) await chmod(path, readMode(mode));
    try {
      await chown(path, uid ?? (isNobody ? own.uid : KEEP), gid ?? (isNobody ? own.gid : KEEP));
    } catch (cause) {
      throw new Error(`failed to set owner/group for ${place.shown}: ${goErrno(cause)}`, { cause });
    }
  });
}

/** chown's word for what isn't changed. */
const KEEP = 0xffff_ffff;

function readMode(mode: number): number {
  const text = `${mode}`;
  if (!/^[0-7]{1,10}$/.test(text))
    throw new Error(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number.parseInt(text, 8) & 0o777;
}

function ownUid(): number {
  return process.getuid?.() ?? KEEP;
}

function ownGid(): number {
  return process.getgid?.() ?? KEEP;
}

export async function changePermissions(
  workspace: WorkspaceFiles,
  asked: ReadonlyMap<string, Permission>,
): Promise<void> {
  for (const [file, wanted] of asked) {
    await workspace
      .use(file, { follow: true }, (place) => setPermission(workspace, place, wanted))
      .catch((cause) => {
        throw saidAs(`error changing permissions for ${file}.`, cause);
      });
  }
}

/** One that isn't there counts as deleted. Of a link, the link. */
export async function deleteFiles(workspace: WorkspaceFiles, asked: readonly string[]): Promise<void> {
  for (const file of asked) {
    try {
      await unlessGone(
        workspace.use(file, { follow: false }, async ({ path }) => {
          if ((await lstat(path)).isDirectory()) throw new Error(`path is a directory: ${file}`);
          await unlink(path);
        }),
      );
    } catch (cause) {
      throw saidAs(`error removing file ${file}.`, cause);
    }
  }
}

export async function moveFiles(
  workspace: WorkspaceFiles,
  asked: readonly { src: string; dest: string }[],
): Promise<void> {
  for (const { src, dest } of asked) {
    try {
      await workspace.use(src, { follow: false }, async (from) => {
        await lstat(from.path);
        await workspace.use(dest, { follow: false, make: true }, async (to) => {
          if (await isThere(to)) throw new Error(`destination path already exists: ${dest}`);
          await rename(from.path, to.path);
        });
      });
    } catch (cause) {
      throw fileError(cause);
    }
  }
}

/** Every occurrence. The counts, by the names that were asked for. */
export async function replaceInFiles(
  workspace: WorkspaceFiles,
  asked: ReadonlyMap<string, { old: string; new: string }>,
  maxBytes: number,
): Promise<Record<string, { replacedCount: number }>> {
  const counts: [string, { replacedCount: number }][] = [];
  for (const [file, words] of asked) {
    try {
      const replacedCount = await workspace.use(file, { follow: true }, ({ path }) =>
        replaceAt(path, { file, flags: workspace.openFlags, maxBytes, ...words }),
      );
      counts.push([file, { replacedCount }]);
    } catch (cause) {
      throw fileError(cause);
    }
  }
  return Object.fromEntries(counts);
}

interface Replacement {
  readonly file: string;
  readonly flags: number;
  readonly maxBytes: number;
  readonly old: string;
  readonly new: string;
}

async function replaceAt(path: string, { file, flags, maxBytes, old, new: by }: Replacement): Promise<number> {
  const handle = await open(path, constants.O_RDWR | flags);
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) {
      throw new ExecdError(
        413,
        "FILE_TOO_LARGE",
        `${file} is larger than the ${maxBytes} bytes in which text is replaced`,
      );
    }
    const bytes = await handle.readFile();
    if (old === "") throw new ExecdError(400, "INVALID_REQUEST_BODY", "old content must not be empty");
    const pieces = splitBytes(bytes, Buffer.from(old));
    await handle.truncate(0);
    const written = joinBytes(pieces, Buffer.from(by));
    for (let at = 0; at < written.length; ) at += (await handle.write(written, at, undefined, at)).bytesWritten;
    return pieces.length - 1;
  } finally {
    await handle.close();
  }
}

/** By bytes: a file need not be text. */
function splitBytes(bytes: Buffer, by: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(by); at !== -1; at = bytes.indexOf(by, from)) {
    pieces.push(bytes.subarray(from, at));
    from = at + by.length;
  }
  return [...pieces, bytes.subarray(from)];
}

function joinBytes(pieces: readonly Buffer[], by: Buffer): Buffer {
  return Buffer.concat(pieces.flatMap((piece, at) => (at === 0 ? [piece] : [by, piece])));
}

/** With those above them. One that is there already keeps its permissions. */
export async function makeDirectories(
  workspace: WorkspaceFiles,
  asked: ReadonlyMap<string, Permission>,
): Promise<void> {
  for (const [directory, wanted] of asked) {
    try {
      await workspace.use(directory, { follow: true, make: true }, async (place) => {
        if (await makeDirectory(place)) await setPermission(workspace, place, wanted);
      });
    } catch (cause) {
      throw fileError(cause);
    }
  }
}

/** False where it was there already. */
export async function makeDirectory({ path, shown }: Held): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o777 });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    if ((await stat(path)).isDirectory()) return false;
    throw Object.assign(new Error(), { code: "ENOTDIR", syscall: "mkdir", path: shown });
  }
}

export async function removeDirectories(workspace: WorkspaceFiles, asked: readonly string[]): Promise<void> {
  for (const directory of asked) {
    try {
      await unlessGone(workspace.use(directory, { follow: false }, (place) => removeAll(workspace, place)));
    } catch (cause) {
      throw saidAs(`error removing directory ${directory}.`, cause);
    }
  }
}

async function removeAll(workspace: WorkspaceFiles, { shown, path, isRoot }: Held): Promise<void> {
  // As of any mount, but before all that is in it is gone.
  if (isRoot) throw Object.assign(new Error(), { code: "EBUSY", syscall: "rmdir", path: shown });
  if (!(await lstat(path)).isDirectory()) return await unlink(path);
  await workspace.inside({ shown, path }, async (directory) => {
    for (const name of await readdir(directory.path)) {
      const child = { shown: `${shown}/${name}`, path: `${directory.path}/${name}` };
      await unlessGone(removeAll(workspace, child));
    }
  });
  await rmdir(path);
}

async function isThere({ path }: Held): Promise<boolean> {
  return (await unlessGone(lstat(path))) !== undefined;
}

/** Undefined where it isn't there, or isn't any more. */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  return await work.catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw cause;
  });
}
