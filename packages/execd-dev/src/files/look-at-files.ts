import type { Stats } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { ExecdError } from "../http/index.ts";
import { goErrno, type Place } from "../places/index.ts";
import { fileInfo } from "./file-info.ts";
import { matchName } from "./match-name.ts";
import { fileError, type WorkspaceFiles } from "./workspace-files.ts";

type Held = Pick<Place, "shown" | "path">;

export async function infoOf(workspace: WorkspaceFiles, asked: readonly string[]): Promise<Record<string, object>> {
  const infos: [string, object][] = [];
  for (const file of asked) {
    try {
      const info = await workspace.use(file, { follow: false }, async ({ shown, path }) =>
        fileInfo(shown, await lstat(path, { bigint: true })),
      );
      infos.push([file, info]);
    } catch (cause) {
      throw fileError(cause);
    }
  }
  return Object.fromEntries(infos);
}

/** Files whose own name fits, anywhere below; links aren't followed. */
export async function searchFiles(
  workspace: WorkspaceFiles,
  { path: asked, pattern }: { path: string; pattern: string },
  maxEntries: number,
): Promise<object[]> {
  try {
    await workspace.use(asked, { follow: true }, ({ path }) => stat(path));
  } catch (cause) {
    throw fileError(cause);
  }
  const found: object[] = [];
  const visit = async ({ shown, path }: Held): Promise<void> => {
    const stats = await lstat(path, { bigint: true });
    if (stats.isDirectory()) {
      await workspace.inside({ shown, path }, async (directory) => {
        for (const child of await entriesOf(directory)) await unlessGone(visit(child));
      });
    } else if (matchName(pattern, basename(shown))) add(found, fileInfo(shown, stats), maxEntries);
  };
  try {
    await unlessGone(workspace.use(asked, { follow: false }, visit));
  } catch (cause) {
    if (cause instanceof ExecdError) throw cause;
    const words = `error searching files. error accessing path ${(cause as NodeJS.ErrnoException).path}: ${goErrno(cause)}`;
    throw new ExecdError(500, "RUNTIME_ERROR", words, { cause });
  }
  return found;
}

/** What is in it, so many levels deep, each directory's entries by name, before what is below them. */
export async function listDirectory(
  workspace: WorkspaceFiles,
  { path: asked, depth }: { path: string; depth: number },
  maxEntries: number,
): Promise<object[]> {
  const entries: object[] = [];
  const visit = async (directory: Held, level: number): Promise<void> => {
    for (const child of await entriesOf(directory)) {
      const stats = await lstat(child.path, { bigint: true });
      add(entries, fileInfo(child.shown, stats), maxEntries);
      if (stats.isDirectory() && level + 1 < depth) await workspace.inside(child, (inner) => visit(inner, level + 1));
    }
  };
  return await workspace
    .use(asked, { follow: false }, async (place) => {
      refuseOthers(place, await lstat(place.path));
      try {
        if (depth > 0) await workspace.inside(place, (directory) => visit(directory, 0));
      } catch (cause) {
        if (cause instanceof ExecdError) throw cause;
        throw new ExecdError(500, "RUNTIME_ERROR", `error listing directory ${place.shown}. ${goErrno(cause)}`, {
          cause,
        });
      }
      return entries;
    })
    .catch((cause) => {
      throw fileError(cause);
    });
}

function refuseOthers({ shown }: Held, stats: Stats): void {
  if (stats.isSymbolicLink()) throw refused(`path is a symbolic link, refusing to traverse: ${shown}`);
  if (!stats.isDirectory()) throw refused(`path is not a directory: ${shown}`);
}

function refused(message: string): ExecdError {
  return new ExecdError(400, "INVALID_REQUEST_BODY", message);
}

async function entriesOf({ shown, path }: Held): Promise<Held[]> {
  const names = (await readdir(path)).sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  return names.map((name) => ({ shown: join(shown, name), path: `${path}/${name}` }));
}

function add(list: object[], entry: object, maxEntries: number): void {
  if (list.length >= maxEntries)
    throw new ExecdError(500, "TOO_MANY_RESULTS", `there are more than ${maxEntries} entries`);
  list.push(entry);
}

/** What was removed meanwhile isn't there. */
async function unlessGone(visit: Promise<void>): Promise<void> {
  await visit.catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
  });
}
