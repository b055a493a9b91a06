import { readFileSync, statSync } from "node:fs";
import { type Memory, memoriesOf, readCheckpoint } from "@countersign/receipts";
import { unreadable } from "../sources/index.ts";

const MAX_WITNESS_BYTES = 256 * 1024 * 1024;

/** A witness's file: a note as it is, or one a line, each as a JSON string. What a crash left of a last line is passed over. */
export function readWitness(path: string): Memory[] {
  const text = readText(path);
  const whole = readCheckpoint(text);
  if (whole !== null) return [{ note: text, claim: whole }];
  const lines = text.split("\n");
  const torn = lines.pop() ?? "";
  const memories = memoriesOf(lines.filter((line) => line !== "").map(noteIn));
  if (memories === null) throw unreadable(`${path} has a line that is no checkpoint, so it is no witness.`);
  if (memories.length === 0 && torn !== "") throw unreadable(`${path} holds no checkpoint.`);
  return memories;
}

function readText(path: string): string {
  try {
    if (statSync(path).size > MAX_WITNESS_BYTES) throw unreadable(`${path} is larger than ${MAX_WITNESS_BYTES} bytes.`);
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    throw unreadable(`The witness ${path} can't be read (${cause.message}).`, cause);
  }
}

function noteIn(line: string): string {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? value : "";
  } catch (cause) {
    if (cause instanceof SyntaxError) return "";
    throw cause;
  }
}
