import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const run = promisify(execFile);

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Packed {
  readonly manifest: Manifest;
  readonly tarball: string;
  readonly files: readonly string[];
}

export function readManifest(dir: string): Manifest {
  return JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as Manifest;
}

/** Packs these directories as `npm publish` would. */
export async function pack(dirs: readonly string[], into: string): Promise<Packed[]> {
  mkdirSync(into, { recursive: true });
  // The packages must work without install scripts.
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", into, ...dirs];
  const env = { ...process.env, npm_config_loglevel: "error", npm_config_cache: join(into, "cache") };
  const { stdout } = await run("npm", args, { cwd: into, env, maxBuffer: 64 * 1024 * 1024 });
  const packed = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  return packed.map(({ filename, files }, index) => ({
    manifest: readManifest(dirs[index] ?? ""),
    tarball: join(into, filename),
    files: files.map(({ path }) => path).sort(),
  }));
}

/** Returns the installed directories of a package's dependencies, theirs included, without the workspaces. */
export function dependenciesOf(dir: string, found = new Set<string>()): Set<string> {
  const { dependencies, optionalDependencies } = readManifest(dir);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const at = join(root, "node_modules", name);
    if (name.startsWith("@countersign/") || found.has(at) || !existsSync(at)) continue;
    found.add(at);
    dependenciesOf(at, found);
  }
  return found;
}
