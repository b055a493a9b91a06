import { type PathRule, PROJECT_SECRETS, SECRETS, STARTS_CODE } from "../catalog/index.ts";
import { ARMS } from "../catalog/places/index.ts";
import { type Glob, matchGlob } from "./match-glob.ts";
import { compilePathRules, matchesPath, namesOf, rulesOf } from "./match-path.ts";

/** What a file or directory is by the tables, whatever a command would do with it. */
export interface PlaceMeaning {
  /** Its contents give a credential away. */
  readonly secret: boolean;
  /** What is written there runs later. */
  readonly startsCode: boolean;
}

const secrets = compilePathRules([...SECRETS, ...PROJECT_SECRETS]);
/** With the files that arm a tool which starts by itself. */
const STARTS = [...STARTS_CODE, ...ARMS.filter(({ byItself }) => byItself).flatMap(({ paths }) => rulesOf(paths))];
const startsCode = compilePathRules(STARTS);
const ends = endsOf([...SECRETS, ...PROJECT_SECRETS, ...STARTS]);

/** The meaning of a path that exists: absolute, normalized, as the file system spells it. */
export function placeMeaning(path: string, home: string): PlaceMeaning {
  const names = namesOf(path);
  return { secret: matchesPath(secrets, names, home), startsCode: matchesPath(startsCode, names, home) };
}

/**
 * Whether a rule can end at this name. In a directory that no rule covers an entry without such a name means nothing, so
 * that a walk over many files needs `placeMeaning` for few of them.
 */
export function mayBePlace(name: string): boolean {
  const lower = name.toLowerCase();
  return ends.names.has(lower) || ends.globs.some((glob) => matchGlob(glob, lower));
}

function endsOf(rules: readonly PathRule[]): { names: ReadonlySet<string>; globs: readonly Glob[] } {
  const last = new Set(
    rules.map(
      ({ path }) =>
        path
          .toLowerCase()
          .replace(/\/\*\*$/, "")
          .split("/")
          .at(-1) ?? "",
    ),
  );
  const globs = [...last].filter((name) => name.includes("*")).map((name) => name.split("*"));
  return { names: last, globs };
}
