import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { sha256Hex } from "@countersign/core/base";
import { MAX_COMPARED_BYTES } from "../../../agent/files/index.ts";

/** The current content of a path. `unread`: something that can't be compared. */
export type CurrentFile =
  | { readonly kind: "absent" }
  | { readonly kind: "text"; readonly text: string; readonly hash: string }
  | { readonly kind: "unread" };

/** Reads without following a link, and without waiting for a fifo's writer. */
export function readCurrentFile(real: string): CurrentFile {
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
