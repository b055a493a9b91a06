import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The hook's own file runs on any Node from here on. */
const OLDEST = 18;

/**
 * The Node that an agent's settings name. Ours, unless it came with a package and goes away with it: then one on PATH.
 */
export function stableNode(env: Readonly<Record<string, string | undefined>>, ours = process.execPath): string {
  if (!cameWithPackage(ours)) return ours;
  const others = (env.PATH ?? "").split(delimiter).filter((dir) => dir.startsWith("/"));
  const found = others.map((dir) => join(dir, "node")).find((path) => !cameWithPackage(path) && isNewEnough(path));
  return found ?? ours;
}

export function cameWithPackage(path: string): boolean {
  return path.includes("/node_modules/");
}

function isNewEnough(path: string): boolean {
  if (!existsSync(path)) return false;
  const { stdout, status } = spawnSync(path, ["--version"], { encoding: "utf8", timeout: 5_000, env: {} });
  return status === 0 && Number(/^v(\d+)\./.exec(stdout)?.[1]) >= OLDEST;
}
