import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type LedgerMemory, readCheckpoint } from "@countersign/receipts";
import { uuidv7 } from "uuidv7";
import { CliError, readIfThere } from "../base/index.ts";

/** Hubs that one home has seen; past it the oldest is forgotten. */
const MAX_LEDGERS = 100;

interface Kept extends LedgerMemory {
  /** Of whose hub: a token belongs to one. Its hash, so that the file holds no token. */
  readonly token: string;
}

export function memoryFile(homeDir: string): string {
  return join(homeDir, "keys", "ledgers.json");
}

/** What this device remembers of the ledger of a hub. */
export function recall(path: string, token: string): LedgerMemory | null {
  const found = readKept(path).find((kept) => kept.token === hashOf(token));
  return found ? { note: found.note, line: found.line } : null;
}

/** Unless somebody else on this device has seen a newer one meanwhile. */
export function remember(path: string, token: string, memory: LedgerMemory): void {
  const kept = readKept(path);
  const before = kept.find((each) => each.token === hashOf(token));
  if (before && sizeOf(before) > sizeOf(memory)) return;
  const others = kept.filter((each) => each !== before);
  write(path, [...others, { token: hashOf(token), note: memory.note, line: memory.line }]);
}

/** After somebody has looked into it, and accepts what the hub shows. */
export function forget(path: string, token: string): boolean {
  const kept = readKept(path);
  const others = kept.filter((each) => each.token !== hashOf(token));
  if (others.length === kept.length) return false;
  write(path, others);
  return true;
}

function sizeOf({ note }: LedgerMemory): number {
  return readCheckpoint(note)?.size ?? 0;
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex").slice(0, 16);
}

function write(path: string, ledgers: readonly Kept[]): void {
  const beside = join(dirname(path), `.${uuidv7()}.tmp`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(beside, `${JSON.stringify({ ledgers: ledgers.slice(-MAX_LEDGERS) })}\n`, { mode: 0o600, flush: true });
  renameSync(beside, path);
}

/** A memory that can't be read isn't taken for none: then anything would be believed. */
function readKept(path: string): readonly Kept[] {
  const text = readIfThere(path);
  if (text === undefined) return [];
  const ledgers = parse(text)?.ledgers;
  if (Array.isArray(ledgers) && ledgers.every(isKept)) return ledgers;
  throw new CliError(
    "FAILED",
    `${path} (this device's memory of ledgers) wasn't written by Countersign. Find out why. To start over, remove it.`,
  );
}

function parse(text: string): { ledgers?: unknown } | undefined {
  try {
    return Object(JSON.parse(text));
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

function isKept(value: unknown): value is Kept {
  const { token, note, line } = Object(value) as Partial<Record<keyof Kept, unknown>>;
  const isLine = Array.isArray(line) && line.every((raw) => typeof raw === "string");
  return typeof token === "string" && typeof note === "string" && isLine;
}
