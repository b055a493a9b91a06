import { randomUUID } from "node:crypto";
import {
  chownSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { visible } from "@countersign/protocol/text";
import { CliError } from "../base/index.ts";
import { sha256Of } from "./sha256-of.ts";

/** Somebody else's file that we change a few lines of. */
export interface SettingsFile {
  /** As its agent names it. */
  readonly path: string;
  /** Where it is: behind the links, which stay. */
  readonly real: string;
  /** Undefined: there is none yet. */
  readonly text: string | undefined;
}

const MAX_BYTES = 16 * 1024 * 1024;

/** Throws CliError where it is no file that can be changed. A file of a project must not lead out of it: a repository could aim us at any file. */
export function readSettings(path: string, { within }: { readonly within?: string | undefined } = {}): SettingsFile {
  const real = behindLinks(path);
  if (within !== undefined && relative(realpathSync(within), real).startsWith(".."))
    throw refused(path, `it leads out of the project, to ${visible(real)}`);
  if (!existsSync(real)) return { path, real, text: undefined };
  const found = statSync(real);
  if (!found.isFile()) throw refused(path, "it isn't a file");
  if (found.size > MAX_BYTES) throw refused(path, `it is larger than ${MAX_BYTES} bytes`);
  return { path, real, text: decode(path, readFileSync(real)) };
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refused(path, "it isn't UTF-8");
  }
}

/** Where it would come to be where it isn't there yet: folders that are may be links. A link to nothing is refused: what would be made there is anybody's guess. */
function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw refused(path, (cause as Error).message);
  }
  if (isThere(path)) throw refused(path, "it is a link that leads nowhere");
  const folder = dirname(path);
  return folder === path ? path : join(behindLinks(folder), basename(path));
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function refused(path: string, why: string): CliError {
  return new CliError("FAILED", `${visible(path)} can't be changed: ${why}.`);
}

/** Whole or not at all, with the mode and the owner that it had. Refuses where somebody has changed it since it was read. */
export function writeSettings(file: SettingsFile, text: string): void {
  const { path, real } = file;
  makeFolder(dirname(real));
  const before = statSync(real, { throwIfNoEntry: false });
  if ((before && readFileSync(real, "utf8")) !== file.text)
    throw refused(path, "it has just been changed by somebody else; try again");
  const folder = statSync(dirname(real));
  const beside = join(dirname(real), `.${randomUUID()}.tmp`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const made = openSync(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeFileSync(made, text);
    if (process.getuid?.() === 0) fchownSync(made, before?.uid ?? folder.uid, before?.gid ?? folder.gid);
    fchmodSync(made, before === undefined ? 0o644 & ~process.umask() : before.mode & 0o7777);
    fsyncSync(made);
    renameSync(beside, real);
  } catch (cause) {
    rmSync(beside, { force: true });
    throw cause;
  } finally {
    closeSync(made);
  }
}

/** Those that are missing belong to whom the one above belongs. */
function makeFolder(dir: string): void {
  const made = mkdirSync(dir, { recursive: true });
  if (made === undefined || process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(made));
  for (let at = dir; at.length >= made.length; at = dirname(at)) chownSync(at, uid, gid);
}

/** As it was before we first changed it; later changes don't replace that. Undefined where what is there now isn't what is kept. */
export function backUp(file: SettingsFile, dir: string): string | undefined {
  if (file.text === undefined) return undefined;
  const path = join(dir, `${sha256Of(file.real).slice(0, 12)}-${basename(file.real)}`);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (existsSync(path)) return readFileSync(path, "utf8") === file.text ? path : undefined;
  // Half a copy, of somebody who was killed here, would pass for the whole for ever.
  const beside = join(dir, `.${randomUUID()}.tmp`);
  writeFileSync(beside, file.text, { mode: 0o600, flag: "wx" });
  renameSync(beside, path);
  return path;
}

export function removeSettings({ real }: SettingsFile): void {
  rmSync(real, { force: true });
}
