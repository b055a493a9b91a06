import type { Classification, Effect, Part } from "@countersign/policy";

/** What a command does with a path outside of its workspace, as far as a jail that opens single files cares. */
export type FileUse =
  /** Writes to the file in place; one that is missing it makes as a plain file. */
  | { readonly does: "writes" }
  /** Writes to the file in place if it is there. What it makes of a missing one isn't known. */
  | { readonly does: "changes"; readonly program: string }
  /** Removes, renames or replaces what has that name. */
  | { readonly does: "replaces"; readonly program: string }
  /** Was given the path. Nobody knows whether it writes there. */
  | { readonly does: "may-write"; readonly program: string };

/** The uses of each path that the effects name, and sentences on writes whose path isn't known. */
export function fileUses({ effects, parts }: Classification): {
  readonly uses: readonly { readonly path: string; readonly use: FileUse; readonly linked: boolean }[];
  readonly unnamed: readonly string[];
} {
  const owned = parts.flatMap((part) => part.effects.map((effect) => ({ effect, part })));
  const known = new Set(owned.map(({ effect }) => JSON.stringify(effect)));
  const loose = effects.filter((effect) => !known.has(JSON.stringify(effect)));
  const here = owned.filter(({ part }) => !part.elsewhere && !part.toolCall);
  const all: { readonly effect: Effect; readonly part?: Part }[] = [...here, ...loose.map((effect) => ({ effect }))];
  return {
    uses: all.flatMap(({ effect, part }) => {
      const { target: path, linked = false } = effect;
      const use = path?.startsWith("/") ? useOf(effect, part) : undefined;
      return path !== undefined && use ? [{ path, use, linked }] : [];
    }),
    unnamed: [...new Set(effects.filter(isUnnamed).map(({ sentence }) => sentence))],
  };
}

/** A glob, or a variable that isn't known. */
function isUnnamed({ kind, ruleId, target }: Effect): boolean {
  return (kind === "writes" || kind === "persistence") && ruleId.startsWith("path.") && target === undefined;
}

/** Given to a program without a table. */
const GIVEN = "operand.place";
const OURS = "path.countersign";
const EMPTIED = "truncate.empty";

function useOf(effect: Effect, part: Part | undefined): FileUse | undefined {
  const { kind, ruleId, own, target = "" } = effect;
  const [head, ...words] = part?.words ?? [];
  const program = head === undefined || head === null ? "it" : nameOf(head);
  // Whatever is done there: no jail shows it.
  if (ruleId === OURS) return { does: "may-write", program };
  if (kind === "deletes" && ruleId !== EMPTIED) return { does: "replaces", program };
  if (!["writes", "persistence"].includes(kind) && ruleId !== EMPTIED) return undefined;
  // A redirection is the shell's.
  if (!own) return { does: "writes" };
  if (
    REPLACES.has(program) ||
    (program === "cp" && words.some((word) => /^-[a-zA-Z]*[bls]|^--[brls]/.test(word ?? "")))
  ) {
    return { does: "replaces", program };
  }
  if (ruleId === GIVEN) return isOutput(words, target) ? { does: "writes" } : { does: "may-write", program };
  return makesFiles(program, words) ? { does: "writes" } : { does: "changes", program };
}

/** They make a file elsewhere and rename it, or give names to what is there already. */
const REPLACES: ReadonlySet<string> = new Set([
  ...[
    "mv",
    "sed",
    "gsed",
    "perl",
    "install",
    "ln",
    "patch",
    "rsync",
    "yq",
    "zip",
    "gzip",
    "gunzip",
    "bzip2",
    "xz",
    "zstd",
  ],
  ...["vi", "vim", "nvim", "ex", "emacs"],
]);

const OUTPUT_OPTIONS: readonly (string | null | undefined)[] = ["-o", "-O", "--output", "--output-document", "-out"];

/** Whether an option for the file that is written stands before it: `curl -o ~/x`, `sort --output=/opt/x`. */
function isOutput(words: readonly (string | null)[], target: string): boolean {
  const isTarget = (text: string) => nameOf(text) === nameOf(target);
  return words.some((word, at) => {
    if (word === null) return false;
    const joined = /^--output(?:-document)?=(.*)$/s.exec(word)?.[1];
    return joined === undefined ? isTarget(word) && OUTPUT_OPTIONS.includes(words[at - 1]) : isTarget(joined);
  });
}

const MAKERS: ReadonlySet<string> = new Set(["tee", "touch", "dd"]);

/** Whether what it makes is a plain file, and whether it goes on the same if there is an empty one already. */
function makesFiles(program: string, words: readonly (string | null)[]): boolean {
  if (MAKERS.has(program)) return true;
  // One file to one name. With more of them it needs a directory; `-n` and `-u` leave an existing file alone.
  const options = words.filter((word) => word?.startsWith("-"));
  return (
    program === "cp" &&
    words.length - options.length === 2 &&
    options.every((word) => /^-(?:[vpf]+|-)$/.test(word ?? ""))
  );
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
