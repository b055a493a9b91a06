import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { sha256Hex } from "@countersign/core/base";
import { isInside } from "@countersign/core/host/fs";
import { fileDiff } from "@countersign/core/redaction";
import { quoteWord, visible } from "@countersign/protocol/text";
import { createCommand, MAX_COMPARED_BYTES, replaceCommand } from "../../../agent/files/index.ts";
import { ToolError } from "../../../agent/tools/index.ts";
import type { FileChange, TextEdit } from "../calls/index.ts";
import { agentName, agentPath, operandOf } from "./agent-path.ts";

export interface FileCommand {
  readonly command: string;
  /** Diff for the card. */
  readonly diff: string;
}

interface Where {
  /** Real path in which the command would run. */
  readonly cwd: string;
  /** Only files inside these are read and compared. For others the card shows the new content alone. */
  readonly shown: readonly string[];
}

/**
 * Returns a command that does what an agent's tool is about to do to files, and the diff. It is judged, and never run.
 */
export function fileCommand(changes: readonly FileChange[], where: Where): FileCommand {
  const parts = changes.map((change) => commandFor(change, where));
  return { command: parts.map(({ command }) => command).join("\n"), diff: bounded(parts.map(({ diff }) => diff)) };
}

function commandFor(change: FileChange, where: Where): FileCommand {
  const goes = change.kind === "remove" || change.kind === "move";
  const real = goes ? agentName(change.path, where.cwd) : agentPath(change.path, where.cwd);
  const path = operandOf(real, where.cwd);
  switch (change.kind) {
    case "remove":
      return { command: `rm -- ${quoteWord(path)}`, diff: headed("Delete", path, []) };
    case "move": {
      const to = operandOf(agentPath(change.to, where.cwd), where.cwd);
      const command = `mv -- ${quoteWord(path)} ${quoteWord(to)}\n${unseen(to, change.text)}`;
      return { command, diff: headed("Move", `${path} to ${to}`, [quoted(change.text)]) };
    }
    case "change":
      return { command: unseen(path, change.text), diff: headed("Change", path, [quoted(change.text)]) };
    case "write":
      return written({ real, path, content: change.content }, currentAt(real, where));
    case "edit":
      return edited({ real, path, edits: change.edits }, currentAt(real, where));
  }
}

function currentAt(real: string, { shown }: Where): CurrentFile {
  if (!shown.some((root) => isInside(real, root))) return { kind: existsSync(real) ? "unread" : "absent" };
  return readCurrentFile(real);
}

interface NewContent {
  readonly real: string;
  readonly path: string;
  readonly content: string;
}

function written({ real, path, content }: NewContent, current: CurrentFile): FileCommand {
  if (current.kind === "unread") {
    const remark = "\\ What it holds now isn't shown; all of it is replaced";
    return { command: unseen(path, content), diff: headed("Write", path, [remark, fileDiff("", content)]) };
  }
  const before = current.kind === "text" ? current.text : "";
  const diff = headed(current.kind === "text" ? "Write" : "Create", path, [fileDiff(before, content)]);
  return { command: orUnseen(() => plainWrite({ real, path, content }, current), path, content), diff };
}

function plainWrite({ real, path, content }: NewContent, current: Exclude<CurrentFile, { kind: "unread" }>): string {
  if (content.includes("\0") || !content.isWellFormed()) throw new ToolError("INVALID_INPUT", "isn't text");
  if (current.kind === "text") {
    return replaceCommand({ path, content, oldHash: current.hash, oldText: current.text });
  }
  const parent = dirname(real);
  return createCommand(path, content, existsSync(parent) ? undefined : dirname(path));
}

/** Shows an edit as it came if its old text isn't found exactly: how the agent would apply it isn't known. */
function edited(
  { real, path, edits }: { readonly real: string; readonly path: string; readonly edits: readonly TextEdit[] },
  current: CurrentFile,
): FileCommand {
  const content = current.kind === "unread" ? undefined : applied(current.kind === "text" ? current.text : "", edits);
  if (content !== undefined) return written({ real, path, content }, current);
  const diff = edits.map(({ oldText, newText }) => fileDiff(oldText, newText));
  const all = edits.map(({ oldText, newText }) => `${oldText}\0${newText}`).join("\0");
  return { command: unseen(path, all), diff: headed("Edit", path, diff) };
}

function applied(text: string, edits: readonly TextEdit[]): string | undefined {
  let content = text;
  for (const { oldText, newText, all } of edits) {
    if (oldText === "") {
      if (content !== "") return undefined;
      content = newText;
      continue;
    }
    const parts = content.split(oldText);
    if (parts.length < 2 || (parts.length > 2 && !all)) return undefined;
    content = parts.join(newText);
  }
  return content;
}

function orUnseen(write: () => string, path: string, content: string): string {
  try {
    return write();
  } catch (cause) {
    if (!(cause instanceof ToolError)) throw cause;
    return unseen(path, content);
  }
}

/** Binds content by its hash if it is too long for a command line, or if the result can't be predicted. */
function unseen(path: string, content: string): string {
  return `cat > ${quoteWord(path)} # ${Buffer.byteLength(content)} bytes, sha256 ${sha256Hex(content)}`;
}

function quoted(text: string): string {
  return fileDiff("", text).replaceAll(/^\+/gm, "");
}

function headed(verb: string, path: string, parts: readonly string[]): string {
  return [`\\ ${verb} ${visible(path)}`, ...parts].join("\n");
}

const MAX_CHARACTERS = 65_536;

function bounded(parts: readonly string[]): string {
  let left = MAX_CHARACTERS;
  const fit = parts.filter((part) => {
    left -= part.length + 1;
    return left >= 0;
  });
  const dropped = parts.length - fit.length;
  return dropped === 0 ? fit.join("\n") : [...fit, `\\ ${dropped} more files, which aren't shown`].join("\n");
}

/** The current content of a path. `unread`: something that can't be compared. */
type CurrentFile =
  | { readonly kind: "absent" }
  | { readonly kind: "text"; readonly text: string; readonly hash: string }
  | { readonly kind: "unread" };

/** Reads without following a link, and without waiting for a fifo's writer. */
function readCurrentFile(real: string): CurrentFile {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: number;
  try {
    file = openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (cause) {
    return { kind: (cause as NodeJS.ErrnoException).code === "ENOENT" ? "absent" : "unread" };
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > MAX_COMPARED_BYTES) return { kind: "unread" };
    const bytes = Buffer.alloc(stat.size);
    const read = readSync(file, bytes, 0, bytes.length, 0);
    return decoded(bytes.subarray(0, read));
  } finally {
    closeSync(file);
  }
}

function decoded(bytes: Buffer): CurrentFile {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? { kind: "unread" } : { kind: "text", text, hash: sha256Hex(bytes) };
  } catch {
    // Not UTF-8, so it can't be shown.
    return { kind: "unread" };
  }
}
