import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { isAbsence, isInside } from "@countersign/core/host/fs";
import { FILE_TYPES } from "@countersign/vocabulary";
import * as z from "zod";
import type { Stamp } from "./entry-stamp.ts";

const stampSchema = z.object({
  kind: z.enum(FILE_TYPES),
  mode: z.number(),
  identity: z.string(),
  inode: z.string().optional(),
  links: z.number().optional(),
  content: z.string().optional(),
  top: z.literal(true).optional(),
  partial: z.literal(true).optional(),
});

const lookSchema = z.object({
  root: z.string(),
  isGit: z.boolean().optional(),
  writes: z.array(z.string()),
  removes: z.array(z.string()),
  opensGit: z.boolean(),
  /** What no walk looked into before the run: its jail hid it. */
  hidden: z.array(z.string()),
  /** Whose run it is: the key of a proposal. */
  key: z.string().optional(),
  /** While it was open, another run could write in its workspace. */
  shared: z.boolean().optional(),
});

/** What must be known to look at a workspace after a run. */
export type LookFacts = Readonly<z.infer<typeof lookSchema>>;

const takenSchema = z.object({ runId: z.string(), paths: z.array(z.string()) });

/** Null where there is none any more. */
const changesSchema = z.array(z.tuple([z.string(), stampSchema.nullable()]));

const lineSchema = z.union([
  z.object({ open: z.string(), facts: lookSchema, stamps: changesSchema }),
  z.strictObject({ stamps: changesSchema }),
  z.object({ take: z.string(), taken: takenSchema }),
  z.object({ looked: z.string() }),
  z.object({ close: z.string() }),
]);

/**
 * `stamps`: those that changed. `open`: a run may write. `take`: what its look found is about to be taken away. `looked`: it was, and
 * perhaps the end of the run isn't on record yet. `close`: the look found nothing.
 */
export type JournalLine = z.infer<typeof lineSchema>;

/** A look that an earlier process opened, and didn't close. */
export interface LeftLook {
  readonly id: string;
  readonly facts: LookFacts;
  readonly taken: readonly Readonly<z.infer<typeof takenSchema>>[];
  /** Nothing is left to be looked at; what was taken away may not have been told. */
  readonly looked: boolean;
}

const flush = promisify(fdatasync);

/** Looks that must be finished, on disk before a run starts. A file of lines, each of them JSON. */
export class LookJournal {
  readonly #path: string;
  #fd: number | undefined;
  #bytes = 0;

  constructor(directory: string) {
    this.#path = join(directory, "looks.jsonl");
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What an earlier process left. Half a line at the end is a power cut's: nothing was started before it was whole. */
  read(): { readonly stamps: Map<string, Stamp>; readonly left: LeftLook[]; readonly unread: number } {
    const stamps = new Map<string, Stamp>();
    const left = new Map<string, LeftLook>();
    const { lines, unread } = linesOf(this.#path);
    for (const line of lines) {
      if ("stamps" in line) setAll(stamps, line.stamps);
      if ("open" in line) open(left, { id: line.open, facts: line.facts, taken: [], looked: false });
      if ("close" in line) left.delete(line.close);
      if ("take" in line) change(left, line.take, ({ taken }) => ({ taken: [...taken, line.taken] }));
      if ("looked" in line) change(left, line.looked, () => ({ looked: true }));
    }
    return { stamps, left: [...left.values()], unread };
  }

  /** In the file when it returns; on the disk after `flush`. */
  append(lines: readonly JournalLine[]): void {
    this.#fd ??= openSync(this.#path, "a", 0o600);
    this.#bytes += write(this.#fd, lines);
  }

  async flush(): Promise<void> {
    if (this.#fd !== undefined) await flush(this.#fd);
  }

  /** Replaces all of it. */
  rewrite(lines: readonly JournalLine[]): void {
    const beside = `${this.#path}.new`;
    rmSync(beside, { force: true });
    const fd = openSync(beside, "ax", 0o600);
    try {
      this.#bytes = write(fd, lines);
      fdatasyncSync(fd);
      renameSync(beside, this.#path);
    } catch (cause) {
      closeSync(fd);
      throw cause;
    }
    this.close();
    this.#fd = fd;
  }

  /** Nothing is open. Needs no space. */
  clear(): void {
    if (this.#fd === undefined) rmSync(this.#path, { force: true });
    else ftruncateSync(this.#fd);
    this.#bytes = 0;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** The line before may be half one, where the disk was full. */
function write(fd: number, lines: readonly JournalLine[]): number {
  const bytes = Buffer.from(lines.map((line) => `\n${JSON.stringify(line)}\n`).join(""));
  const written = writeSync(fd, bytes);
  if (written < bytes.length) throw Object.assign(new Error("The disk is full"), { code: "ENOSPC" });
  return written;
}

function setAll(stamps: Map<string, Stamp>, changes: z.infer<typeof changesSchema>): void {
  for (const [path, stamp] of changes) {
    if (stamp) stamps.set(path, stamp);
    else stamps.delete(path);
  }
}

/** Of two runs that were open at once each shares its workspace with the other. */
function open(left: Map<string, LeftLook>, look: LeftLook): void {
  const others = [...left.values()].filter(({ looked, facts }) => !looked && overlap(facts, look.facts));
  for (const { id } of others) change(left, id, ({ facts }) => ({ facts: { ...facts, shared: true } }));
  left.set(look.id, others.length === 0 ? look : { ...look, facts: { ...look.facts, shared: true } });
}

export function overlap({ root }: LookFacts, { root: other }: LookFacts): boolean {
  return isInside(root, other) || isInside(other, root);
}

function change(left: Map<string, LeftLook>, id: string, how: (look: LeftLook) => Partial<LeftLook>): void {
  const look = left.get(id);
  if (look) left.set(id, { ...look, ...how(look) });
}

/** Far more than is ever written; a file that is larger isn't of our making. */
const MOST_READ_BYTES = 64 * 1024 * 1024;

const NEWLINE = 10;

/** `unread`: lines that aren't ours, and what is behind the part that is read. */
function linesOf(path: string): { readonly lines: JournalLine[]; readonly unread: number } {
  const { content, isWhole } = beginningOf(path);
  const lines: JournalLine[] = [];
  let unread = isWhole ? 0 : 1;
  for (let at = 0; at < content.length; ) {
    const end = content.indexOf(NEWLINE, at);
    const line = lineIn(content.toString("utf8", at, end === -1 ? content.length : end));
    if (line) lines.push(line);
    else if (end > at) unread += 1;
    at = end === -1 ? content.length : end + 1;
  }
  return { lines, unread };
}

function beginningOf(path: string): { readonly content: Buffer; readonly isWhole: boolean } {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (cause) {
    if (isAbsence(cause)) return { content: Buffer.alloc(0), isWhole: true };
    throw cause;
  }
  try {
    const { size } = fstatSync(fd);
    const content = Buffer.alloc(Math.min(size, MOST_READ_BYTES));
    let length = 0;
    for (let read = -1; read !== 0; length += read) read = readSync(fd, content, { offset: length });
    return { content: content.subarray(0, length), isWhole: size <= MOST_READ_BYTES };
  } finally {
    closeSync(fd);
  }
}

function lineIn(line: string): JournalLine | undefined {
  if (line === "") return undefined;
  try {
    return lineSchema.safeParse(JSON.parse(line)).data;
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
