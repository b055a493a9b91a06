import { MAX_COMMAND_LENGTH } from "@countersign/policy";
import { MAX_COMMAND_BYTES, quoteWord } from "@countersign/sdk";
import { ToolError } from "../tool-error.ts";

export interface LineRange {
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
}

export function readCommand(path: string, { startLine, endLine }: LineRange = {}): string {
  if (startLine === undefined && endLine === undefined) return `cat -- ${quoteWord(path)}`;
  const script = `${startLine ?? 1},${endLine ?? "$"}p${endLine === undefined ? "" : `;${endLine}q`}`;
  return `sed -n ${quoteWord(script)} -- ${quoteWord(path)}`;
}

export function listCommand(path: string): string {
  return `ls -la -- ${quoteWord(path)}`;
}

/** The hash of the bytes on its first line; then, if wanted, the bytes. */
export function hashCommand(path: string, then: "and content" | "alone"): string {
  const hash = `sha256sum < ${quoteWord(path)}`;
  return then === "alone" ? hash : `${hash} && ${readCommand(path)}`;
}

/** EX_DATAERR of sysexits.h. */
const CHANGED_MEANWHILE = 65;
const REFUSE = `{ echo 'It changed after it was read; nothing was written' >&2; exit ${CHANGED_MEANWHILE}; }`;

export interface FileWrite {
  readonly path: string;
  readonly content: string;
  /** SHA-256 (hex) of what the person was shown as the old content; undefined where there was no file. */
  readonly oldHash: string | undefined;
  /** A directory to make first. */
  readonly parent?: string | undefined;
}

/**
 * Writes exactly these bytes, if the file still is what the diff was made from: the check is part of the command, so that
 * what was shown is what is applied, however long the approval took.
 */
export function writeCommand({ path, content, oldHash, parent }: FileWrite): string {
  const file = quoteWord(path);
  const unchanged = oldHash === undefined ? `[ ! -e ${file} ]` : `[ "$(sha256sum < ${file})" = '${oldHash}  -' ]`;
  const make = parent === undefined ? "" : `mkdir -p -- ${quoteWord(parent)} && `;
  const command = `${unchanged} || ${REFUSE}\n${make}printf '%s' ${quoteWord(content)} > ${file}`;
  if (command.length > MAX_COMMAND_LENGTH || Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
    throw new ToolError("TOO_LARGE", `${path}: the new content is too long to be read and approved as one command`);
  }
  return command;
}
