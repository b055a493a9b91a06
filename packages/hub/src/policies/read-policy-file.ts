import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { sha256Hex } from "@countersign/core/base";
import { parseJson } from "@countersign/receipts";

/** Far more than people write by hand; a repository's file is somebody else's. */
const MAX_BYTES = 1024 * 1024;

export type PolicyFile =
  | { readonly kind: "absent" }
  | { readonly kind: "read"; readonly text: string; readonly sha256: string; readonly value: unknown }
  /** There is something, and what it says can't be known. */
  | { readonly kind: "broken"; readonly problem: string };

/** A policy file of others, read whole from one descriptor, so that what was hashed is what is parsed. */
export function readPolicyFile(path: string): PolicyFile {
  const broken = (why: string): PolicyFile => ({ kind: "broken", problem: `${path} ${why}` });
  let bytes: Buffer | string;
  try {
    bytes = readWhole(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? { kind: "absent" } : broken(`can't be read (${message})`);
  }
  if (typeof bytes === "string") return broken(bytes);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: "read", text, sha256: sha256Hex(text), value: parseJson(text) };
  } catch (cause) {
    // Of the parser's message only where: it quotes the text, and a link of that name would tell an agent what another file says.
    const where = / at position \d+(?: \(line \d+ column \d+\))?/.exec((cause as Error).message)?.[0] ?? "";
    return broken(`isn't valid JSON in UTF-8${where}`);
  }
}

/** The bytes, or why there are none. Not blocking: a pipe of that name must not hold the hub. */
function readWhole(path: string): Buffer | string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    if (!fstatSync(file).isFile()) return "isn't a regular file";
    const room = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < room.length; length += read) {
      read = readSync(file, room, length, room.length - length, length);
    }
    return length > MAX_BYTES ? `is larger than ${MAX_BYTES} bytes` : Buffer.from(room.subarray(0, length));
  } finally {
    closeSync(file);
  }
}
