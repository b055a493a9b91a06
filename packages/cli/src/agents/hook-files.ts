import { randomUUID } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CliError } from "../base/index.ts";

/** Where they come with this package. */
const SHIPPED = fileURLToPath(new URL("../../hook/", import.meta.url));

export const HOOK_FILE = "countersign-hook.cjs";
export const OPENCODE_PLUGIN = "opencode-plugin.js";

/** Copied, so that an agent's settings name a place that outlives this package's: an npx cache is emptied, a clone moves. */
export function copyHookFiles(dir: string, { forEveryone }: { readonly forEveryone: boolean }): boolean {
  const [folderMode, fileMode] = forEveryone ? [0o755, 0o644] : [0o700, 0o600];
  mkdirSync(dir, { recursive: true, mode: folderMode });
  chmodSync(dir, folderMode);
  const stale = shippedFiles().filter((name) => !isSame(join(SHIPPED, name), join(dir, name)));
  for (const name of stale) {
    const beside = join(dir, `.${randomUUID()}.tmp`);
    try {
      copyFileSync(join(SHIPPED, name), beside);
      chmodSync(beside, fileMode);
      renameSync(beside, join(dir, name));
    } catch (cause) {
      rmSync(beside, { force: true });
      throw cause;
    }
  }
  return stale.length > 0;
}

/** At a hub's start: the hook that agents call is of the same version as the hub that it asks. */
export function renewHookFiles(home: string): void {
  const dir = join(home, "hook");
  if (existsSync(dir)) copyHookFiles(dir, { forEveryone: false });
}

export function readShipped(name: string): string {
  if (!existsSync(join(SHIPPED, name)))
    throw new CliError("FAILED", `${name} is missing from this installation. Reinstall Countersign.`);
  return readFileSync(join(SHIPPED, name), "utf8");
}

function shippedFiles(): string[] {
  return readdirSync(SHIPPED).filter((name) => /\.c?js$/.test(name));
}

function isSame(one: string, other: string): boolean {
  return existsSync(other) && readFileSync(one).equals(readFileSync(other));
}

/** Whether a file is this version's own. */
export function isShippedAs(path: string): boolean {
  return isSame(join(SHIPPED, basename(path)), path);
}
