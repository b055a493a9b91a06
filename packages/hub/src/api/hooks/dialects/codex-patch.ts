import { HubError } from "@countersign/core/errors";
import type { FileChange } from "../calls/index.ts";

const HEAD = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;
const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const MAX_FILES = 256;

interface Section {
  readonly verb: string;
  readonly path: string;
  readonly lines: string[];
}

/**
 * Parses Codex's patch format. Which files it touches must be certain, so an unknown line throws. Hunks of an update
 * are shown as they came, because only Codex knows how it applies them.
 */
export function readPatch(text: string): FileChange[] {
  const lines = text.trim().split(/\r?\n/);
  if (lines[0]?.trim() !== BEGIN || lines.at(-1)?.trim() !== END) throw unreadable("it doesn't begin or end as one");
  const sections: Section[] = [];
  for (const line of lines.slice(1, -1)) {
    const [, verb, path] = HEAD.exec(line) ?? [];
    if (verb !== undefined && path !== undefined) sections.push({ verb, path, lines: [] });
    else if (sections.length === 0) throw unreadable("it has lines before its first file");
    else sections.at(-1)?.lines.push(line);
  }
  if (sections.length === 0) throw unreadable("it has no files");
  if (sections.length > MAX_FILES) throw new HubError("LIMIT", `The patch has more than ${MAX_FILES} files`);
  return sections.map(changeOf);
}

function changeOf({ verb, path, lines }: Section): FileChange {
  if (verb === "Delete") {
    if (lines.some((line) => line.trim() !== "")) throw unreadable(`${path}: what is deleted has no content`);
    return { kind: "remove", path };
  }
  if (verb === "Add") {
    if (lines.some((line) => !line.startsWith("+"))) throw unreadable(`${path}: a new file has only lines with +`);
    return { kind: "write", path, content: lines.map((line) => `${line.slice(1)}\n`).join("") };
  }
  const [first = "", ...rest] = lines;
  const [, to] = MOVE.exec(first) ?? [];
  const hunks = to === undefined ? lines : rest;
  const strange = hunks.find((line) => line.startsWith("*** ") && line !== "*** End of File");
  if (strange !== undefined) throw unreadable(`${path}: ${strange.slice(0, 64)} isn't known`);
  const text = hunks.join("\n");
  return to === undefined ? { kind: "change", path, text } : { kind: "move", path, to, text };
}

function unreadable(why: string): HubError {
  return new HubError("INVALID_PARAMS", `The patch can't be read: ${why}`);
}
