import { changedLines } from "@countersign/core/redaction";
import { MAX_COMMAND_LENGTH } from "@countersign/policy";
import { MAX_COMMAND_BYTES } from "@countersign/protocol/proposals";
import { quoteWord } from "@countersign/protocol/text";
import { ToolError } from "../tools/index.ts";

/** EX_DATAERR of sysexits.h. */
const CHANGED_MEANWHILE = 65;
const REFUSE = `{ echo 'It changed after it was read; nothing was written' >&2; exit ${CHANGED_MEANWHILE}; }`;
/**
 * Shorter content is written in whole, which is easy to read. For longer content a person would have to read all of it
 * to approve one line.
 */
const SHORT = 2_000;

/** Creates a new file, and its directory if that is missing. */
export function createCommand(path: string, content: string, parent?: string): string {
  const file = quoteWord(path);
  const make = parent === undefined ? "" : `mkdir -p -- ${quoteWord(parent)} && `;
  return bounded(`[ ! -e ${file} ] || ${REFUSE}\n${make}${write(quoteWord(content), file)}`, path);
}

export interface Replacement {
  readonly path: string;
  readonly content: string;
  /** SHA-256 (hex) of the bytes that the diff was made from. */
  readonly oldHash: string;
  /** Those bytes. Undefined if they aren't text or weren't shown. */
  readonly oldText: string | undefined;
}

/**
 * Writes exactly these bytes if the file hasn't changed since the diff was made. The check is part of the command, so
 * that the approved diff is what is applied, however late.
 */
export function replaceCommand({ path, content, oldHash, oldText }: Replacement): string {
  const file = quoteWord(path);
  const whole = write(quoteWord(content), file);
  const lines = oldText === undefined || content.length <= SHORT ? whole : writeLines(oldText, content, file);
  const change = lines.length < whole.length ? lines : whole;
  return bounded(`[ "$(sha256sum < ${file})" = '${oldHash}  -' ] || ${REFUSE}\n${change}`, path);
}

function write(word: string, file: string): string {
  return `printf '%s' ${word} > ${file}`;
}

/**
 * Writes the changed lines and takes the others from the file. Counts in bytes, which no locale changes. bash drops
 * newlines at the end of `$(…)`, so a dot keeps them. bash expands all words before it opens the file.
 */
function writeLines(oldText: string, content: string, file: string): string {
  const { head, lines, tail } = changedLines(oldText, content);
  const headBytes = Buffer.byteLength(head);
  const tailFrom = Buffer.byteLength(oldText) - Buffer.byteLength(tail) + 1;
  return [
    `head=$(head -c ${headBytes} -- ${file} && printf .) && tail=$(tail -c +${tailFrom} -- ${file} && printf .) &&`,
    write(`"\${head%.}"${quoteWord(lines)}"\${tail%.}"`, file),
  ].join("\n");
}

function bounded(command: string, path: string): string {
  if (command.length <= MAX_COMMAND_LENGTH && Buffer.byteLength(command) <= MAX_COMMAND_BYTES) return command;
  throw new ToolError("TOO_LARGE", `${path}: the change is too long to be read and approved as one command`);
}
