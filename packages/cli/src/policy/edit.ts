import { realpathSync } from "node:fs";
import { editRepository, repositoryFor } from "@countersign/hub";
import { ceilingSchema, type Entry, isOpenToCode, lintEntries, wantedEntrySchema } from "@countersign/policy";
import { ceilingWords } from "@countersign/protocol/describe";
import type { PolicyChange } from "@countersign/protocol/policy";
import { visible } from "@countersign/protocol/text";
import { parseJson } from "@countersign/receipts";
import { CliError, EXIT, type GlobalOptions, ourName } from "../base/index.ts";
import { asCliError } from "../hub-errors/index.ts";
import { revokeGrant, sendEdit } from "../offline/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { entriesLike } from "./entries-like.ts";
import { pickEntry } from "./pick-entry.ts";
import { OPEN_CODE } from "./policy.ts";

export interface EditOptions extends GlobalOptions {
  readonly profile: string;
  readonly why?: string;
  /** A time. */
  readonly expires?: number;
  readonly in?: string;
  readonly repository?: boolean;
  readonly like?: string;
  readonly ceiling?: string;
}

interface Wish {
  readonly action: "allow" | "deny";
  readonly pattern: string | undefined;
}

export async function editPolicy({ action, pattern }: Wish, options: EditOptions): Promise<number> {
  const entries = await entriesOf(pattern, options);
  for (const warning of warningsOf(action, entries)) process.stderr.write(`countersign: ${visible(warning)}\n`);
  const change: PolicyChange = { action, entries };
  if (options.repository)
    return await editHere(
      { [action]: entries },
      entries.map(({ pattern: p }) => p),
      options,
    );
  const { added } = await sendEdit({ profile: options.profile, change }, options);
  if (options.json) printJson({ action, profile: options.profile, added });
  else {
    const word = action === "allow" ? "Allowed" : "Denied";
    printLines(
      added.map((entry, index) => `${word}: ${visible(entry.pattern)}${reach(entries[index])}  [${entry.id}]`),
    );
  }
  return EXIT.ok;
}

export async function removeEntry(name: string, options: EditOptions): Promise<number> {
  if (options.repository) return await editHere({ remove: name }, [name], options);
  const { entry, temporary } = await pickEntry(name, options);
  if (temporary !== undefined) return await removeTemporary({ id: entry, pattern: temporary }, options);
  const { removed } = await sendEdit({ profile: options.profile, change: { action: "remove", entry } }, options);
  if (options.json) printJson({ action: "remove", profile: options.profile, removed });
  else printLines(removed.map(({ pattern }) => `Removed: ${visible(pattern)}`));
  return EXIT.ok;
}

async function removeTemporary(entry: { readonly id: string; readonly pattern: string }, options: EditOptions) {
  await revokeGrant(entry.id, options);
  if (options.json) printJson({ action: "remove", profile: options.profile, removed: [entry] });
  else printLines([`No longer allowed: ${visible(entry.pattern)}`]);
  return EXIT.ok;
}

/** In the repository's own file, which needs no hub: what it denies applies at once, what it allows needs trust. */
async function editHere(
  edit: Parameters<typeof editRepository>[1],
  patterns: readonly string[],
  options: EditOptions,
): Promise<number> {
  const directory = repositoryFor(realpathSync("."));
  const file = await editRepository(directory, edit).catch((cause: unknown) => {
    throw asCliError(cause);
  });
  if (options.json) printJson({ file, patterns });
  else {
    const trust = `What it allows applies after: ${ourName()} policy trust`;
    printLines([`${visible(file)}: ${patterns.map(visible).join(", ")}`, ...(edit.deny ? [] : [trust])]);
  }
  return EXIT.ok;
}

async function entriesOf(pattern: string | undefined, options: EditOptions): Promise<Entry[]> {
  if ((pattern === undefined) === (options.like === undefined))
    throw usage("Give a pattern, or --like with a command.");
  const { like } = options;
  if (like !== undefined && options.ceiling !== undefined)
    throw usage("--like makes its own ceiling: leave --ceiling out.");
  const stated = statedIn(options);
  if (like !== undefined) {
    return (await entriesLike(like, stated.directory, options)).map((entry) => ({ ...entry, ...stated }));
  }
  const reading = wantedEntrySchema.safeParse({ pattern, ...stated });
  if (reading.success) return [reading.data];
  throw usage(reading.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}

/** What the options say of an entry. */
export function statedIn({ why, expires, ceiling, ...options }: EditOptions): Partial<Entry> {
  return {
    ...(ceiling === undefined ? {} : { ceiling: readCeiling(ceiling) }),
    ...(why === undefined ? {} : { why }),
    ...(expires === undefined ? {} : { expiresAtMs: expires }),
    ...(options.in === undefined ? {} : { directory: realDirectory(options.in) }),
  };
}

function readCeiling(text: string): Entry["ceiling"] {
  try {
    const reading = ceilingSchema.strict().safeParse(parseJson(text));
    if (reading.success) return reading.data;
    throw usage(
      `--ceiling: ${reading.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ")}`,
    );
  } catch (cause) {
    if (cause instanceof SyntaxError) throw usage(`--ceiling isn't JSON (${cause.message}).`);
    throw cause;
  }
}

function realDirectory(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new CliError("FAILED", `${path} doesn't exist (${(cause as Error).message}).`, { cause });
  }
}

function warningsOf(action: Wish["action"], entries: readonly Entry[]): string[] {
  const open = action === "allow" ? entries.filter(isOpenToCode) : [];
  const lists = { allowlist: action === "allow" ? entries : [], denylist: action === "deny" ? entries : [] };
  return [
    ...lintEntries(lists, Date.now()).map(({ pattern, warning }) => `${pattern}: ${warning}.`),
    ...open.map(({ pattern }) => `${pattern}: It ${OPEN_CODE}; --like makes an entry that does.`),
  ];
}

function reach(entry: Entry | undefined): string {
  return entry?.ceiling === undefined ? "" : ` (${ceilingWords(entry.ceiling)})`;
}

function usage(message: string): CliError {
  return new CliError("INVALID_PARAMS", message, { exitCode: EXIT.usage });
}
