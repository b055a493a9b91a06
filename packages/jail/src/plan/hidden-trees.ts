import { lstatSync } from "node:fs";
import { tmpdir } from "node:os";
import { homeDirectory } from "@countersign/core/host";
import { isInside, realPath } from "@countersign/core/host/fs";

/** Homes, and where services and agents have their sockets. */
const TREES = ["/home", "/root", "/run", "/var/run", "/media"];
export const TEMPORARY = ["/tmp", "/var/tmp"];

/**
 * Trees of the host that no jail shows, but for what it is told to: homes, temporary files, runtime directories, and our own
 * home. Only directories that exist, none inside another.
 */
export function hiddenTrees(ownHome?: string, env: NodeJS.ProcessEnv = process.env): string[] {
  const runtime = env.XDG_RUNTIME_DIR?.startsWith("/") ? [env.XDG_RUNTIME_DIR] : [];
  // Where it is a link, what it leads to would else be seen by its own name.
  const real = [...TREES, tmpdir(), homeDirectory(), ...runtime].flatMap((path) => realPath(path) ?? []);
  return outermost(
    [...TEMPORARY, ...real.filter((path) => path !== "/"), ...(ownHome === undefined ? [] : [ownHome])].filter(
      isDirectory,
    ),
  );
}

export function outermost(paths: readonly string[]): string[] {
  const all = [...new Set(paths)];
  return all.filter((path) => !all.some((other) => other !== path && isInside(path, other)));
}

/** Not a link to one: what it leads to is hidden by its own name. */
function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
