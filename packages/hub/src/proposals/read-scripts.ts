import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { WITHOUT_WAITING } from "@countersign/core/host";
import type { Effect, NamedScript, ScriptText, ShownScript, ShowScript } from "@countersign/policy";
import { type Json, JsonError, readJson } from "@countersign/receipts";
import type { ScriptOmission } from "@countersign/vocabulary";
import type { CodeHashes } from "./code-files.ts";

/** All that is read of package.json files for one command: reading JSON strictly takes its time, and a proposer chooses what is in them. */
export const MAX_PACKAGE_BYTES = 256 * 1024;
/** A script that is longer isn't shown. */
export const MAX_SCRIPT_LENGTH = 4_096;
/** Different scripts that one command runs and that are shown. */
export const MAX_SCRIPTS = 8;

/**
 * The texts of the scripts that these effects run. They are of the very bytes that `code` has the hash of, which is what a permit binds: a
 * file that is another by now has no text here, and one that changes later isn't run.
 */
export async function readScripts(effects: readonly Effect[], code: CodeHashes): Promise<ShowScript> {
  const scripts = new Map(effects.flatMap(({ script }) => (script === undefined ? [] : [[keyOf(script), script]])));
  const packages = new Packages(code);
  const found = new Map<string, ShownScript>();
  for (const [key, { name, file }] of scripts) {
    const scriptsThere = found.size < MAX_SCRIPTS ? await packages.scriptsOf(file) : "TOO_MANY";
    const read = typeof scriptsThere === "string" ? scriptsThere : textsOf(name, scriptsThere);
    found.set(key, { file, ...(typeof read === "string" ? { silence: read } : { runs: read }) });
  }
  return (script) => found.get(keyOf(script));
}

function keyOf({ name, file }: NamedScript): string {
  return `${name} ${file}`;
}

type Scripts = Readonly<Record<string, Json>>;

/** The scripts of each file, looked up once. */
class Packages {
  readonly #code: CodeHashes;
  readonly #known = new Map<string, Scripts | ScriptOmission>();
  #bytesLeft = MAX_PACKAGE_BYTES;

  constructor(code: CodeHashes) {
    this.#code = code;
  }

  async scriptsOf(file: string): Promise<Scripts | ScriptOmission> {
    const scripts = this.#known.get(file) ?? (await this.#read(file));
    this.#known.set(file, scripts);
    return scripts;
  }

  async #read(file: string): Promise<Scripts | ScriptOmission> {
    const bound = this.#code.get(file) ?? null;
    if (bound === null) return "NOT_HERE";
    const bytes = await readUpTo(this.#bytesLeft, file);
    if (typeof bytes === "string") return bytes;
    this.#bytesLeft -= bytes.length;
    if (createHash("sha256").update(bytes).digest("hex") !== bound) return "CHANGED";
    return scriptsIn(bytes) ?? "UNREADABLE";
  }
}

/** What its run goes through: managers of packages run what stands around it, too. */
function textsOf(name: string, scripts: Scripts): readonly ScriptText[] | ScriptOmission {
  const textOf = (one: string) => (Object.hasOwn(scripts, one) ? scripts[one] : undefined);
  if (typeof textOf(name) !== "string") return "NOT_NAMED";
  const runs = [`pre${name}`, name, `post${name}`].flatMap((one) => {
    const text = textOf(one);
    return typeof text === "string" ? [{ name: one, text }] : [];
  });
  return runs.some(({ text }) => text.length > MAX_SCRIPT_LENGTH) ? "TOO_LARGE" : runs;
}

async function readUpTo(mostBytes: number, file: string): Promise<Buffer | ScriptOmission> {
  try {
    await using opened = await open(file, WITHOUT_WAITING);
    const stat = await opened.stat();
    if (!stat.isFile()) return "UNREADABLE";
    if (stat.size > mostBytes) return "TOO_LARGE";
    const bytes = Buffer.alloc(stat.size);
    // Of one that grows meanwhile the hash tells.
    const { bytesRead } = await opened.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } catch {
    // Gone, or not ours to read; whatever it is, nothing of it is shown.
    return "UNREADABLE";
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined for what one reader may take otherwise than another: a name that is there twice, bytes that aren't text. */
function scriptsIn(bytes: Buffer): Scripts | undefined {
  try {
    const value = readJson(utf8.decode(bytes));
    if (!isObject(value)) return undefined;
    const { scripts = {} } = value;
    return isObject(scripts) ? scripts : undefined;
  } catch (cause) {
    if (cause instanceof JsonError || cause instanceof TypeError) return undefined;
    throw cause;
  }
}

function isObject(value: Json): value is { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
