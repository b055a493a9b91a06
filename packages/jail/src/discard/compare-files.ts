import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { isAbsence } from "@countersign/core/host/fs";
import { fileDiff } from "@countersign/core/redaction";
import type { FileChange } from "@countersign/protocol/proposals";

/** Of each file; larger ones aren't for reading on a card. */
const MOST_TEXT = 256 * 1024;
/** Past it two files of the same size count as different. */
const MOST_COMPARED = 64 * 1024 * 1024;
const CHUNK = 256 * 1024;

type At = string | Buffer;
export type Compared = Pick<FileChange, "diff" | "undiffed">;

/** Whether two files of the same size hold the same. */
export async function sameContents(one: At, other: At, size: number): Promise<boolean> {
  if (size > MOST_COMPARED) return false;
  try {
    await using first = await openFile(one);
    await using second = await openFile(other);
    for (let at = 0; at < size; at += CHUNK) {
      const [a, b] = [await chunkAt(first, at), await chunkAt(second, at)];
      if (!a.equals(b)) return false;
    }
    return true;
  } catch (cause) {
    if (isAbsence(cause)) return false;
    throw cause;
  }
}

/** The diff of two texts; undefined stands for a file that isn't there. */
export async function compareFiles(before: At | undefined, after: At | undefined): Promise<Compared> {
  try {
    const [from, to] = [await textAt(before), await textAt(after)];
    if (from === "too-large" || to === "too-large") return { undiffed: "too-large" };
    if (!from || !to) return { undiffed: "binary" };
    return { diff: fileDiff(from.text, to.text) };
  } catch (cause) {
    if (isAbsence(cause)) return { undiffed: "unreadable" };
    throw cause;
  }
}

/** Undefined: it isn't text. */
async function textAt(at: At | undefined): Promise<{ text: string } | "too-large" | undefined> {
  if (at === undefined) return { text: "" };
  await using file = await openFile(at);
  const { size } = await file.stat();
  if (size > MOST_TEXT) return "too-large";
  const bytes = await chunkAt(file, 0);
  return isUtf8(bytes) && !bytes.includes(0) ? { text: bytes.toString("utf8") } : undefined;
}

/** Whatever has taken the file's place since must neither be followed nor make us wait. */
async function openFile(at: At): Promise<FileHandle> {
  const file = await open(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw Object.assign(new Error("it isn't a file any more"), { code: "ENOENT" });
}

async function chunkAt(file: FileHandle, position: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  const { bytesRead } = await file.read(buffer, 0, CHUNK, position);
  return buffer.subarray(0, bytesRead);
}
