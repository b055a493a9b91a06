import { constants, existsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { homeAt } from "@countersign/core/config";
import { realPathAsFarAsItExists } from "@countersign/core/host/fs";
import { filterSecretsDeep } from "@countersign/core/redaction";
import type { AuditEvent } from "@countersign/store";
import { AUDIT_TYPES } from "@countersign/vocabulary";
import * as z from "zod";
import { readInput } from "./read-input.ts";
import { ToolError } from "./tool-error.ts";

const MAX_LINE_BYTES = 1024 * 1024;

const eventSchema = z.strictObject({
  ts: z.number(),
  type: z.enum(AUDIT_TYPES),
  sessionKey: z.string().optional(),
  details: z.record(z.string(), z.unknown()),
});

/**
 * Writes an application's own events in the form of seed 003. The hub's events are in its ledger and in its own
 * `audit.jsonl`, which follows the ledger by sequence numbers. A foreign line could make it skip entries, so a file in
 * a data directory is refused.
 */
export class AuditLogger {
  readonly #path: string;
  readonly #enabled: boolean;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(logPath: string, enabled: boolean) {
    this.#path = logPath;
    this.#enabled = enabled;
  }

  /** Appends one line, after those before it. Rejects if it can't be written. */
  async append(event: AuditEvent): Promise<void> {
    if (!this.#enabled) return;
    const line = lineOf(event);
    const written = this.#turn.then(() => appendLine(this.#path, line));
    this.#turn = written.catch(() => undefined);
    await written;
  }
}

function lineOf(event: AuditEvent): string {
  let json: unknown;
  try {
    // Converts first, so that values with a `toJSON` are redacted in their final form.
    json = JSON.parse(JSON.stringify(event));
  } catch (cause) {
    throw new ToolError("INVALID_INPUT", `The event can't be written as JSON: ${String(cause)}`, { cause });
  }
  const line = `${JSON.stringify(filterSecretsDeep(readInput(eventSchema, json)))}\n`;
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;
  throw new ToolError("TOO_LARGE", `The event takes more than ${MAX_LINE_BYTES} bytes`);
}

async function appendLine(path: string, line: string): Promise<void> {
  refuseOurHome(path);
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    await refuseOtherNames(file, path);
    await file.appendFile(line);
  } finally {
    await file.close();
  }
}

function refuseOurHome(path: string): void {
  const real = realPathAsFarAsItExists(path);
  if (real === undefined) throw new ToolError("NOT_FOUND", `${path} can't be resolved`);
  for (let dir = dirname(real); ; dir = dirname(dir)) {
    if (existsSync(homeAt(dir).database)) {
      throw new ToolError("OUR_FILE", `${path} lies in Countersign's home ${dir}, whose audit.jsonl it writes itself`);
    }
    if (dirname(dir) === dir) return;
  }
}

/** Refuses a file with several names: a hard link to the hub's own file has another path. */
async function refuseOtherNames(file: FileHandle, path: string): Promise<void> {
  const stat = await file.stat();
  if (!stat.isFile()) throw new ToolError("SPECIAL_FILE", `${path} isn't an ordinary file`);
  if (stat.nlink > 1) throw new ToolError("OUR_FILE", `${path} has another name, which could be that of our own file`);
}
