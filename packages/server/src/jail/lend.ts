import { findCredentials } from "@countersign/policy";
import { homeDirectory } from "../machine/home-directory.ts";
import { realPathAsFarAsItExists } from "../machine/real-path.ts";
import type { Considered } from "../propose/consider.ts";
import { entriesLend } from "./chosen-by-entries.ts";
import { kindAt } from "./places/kind-at.ts";

/** What of the hub's own user is lent to a run, besides what any jail shows. */
export interface Lent {
  /** Files, directories and sockets that exist, real paths. */
  readonly paths: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** In words, for cards and receipts. */
export function lentWords({ cut, classification }: Pick<Considered, "cut" | "classification">): string[] {
  if (cut === undefined || cut.hosts.length === 0) return [];
  return findCredentials(classification).map(({ words }) => words);
}

/**
 * Only for a read that is safe by the tables, where a person saw on the card what is lent and allowed it, or where the entries
 * that allow it say so. Whatever else allows a command allows it without.
 */
export function lend(considered: Considered, env: NodeJS.ProcessEnv = process.env): Lent {
  const { classification, decision } = considered;
  const may = classification.riskLevel === "safe" || decision.by === "person" || entriesLend(considered);
  if (!may || lentWords(considered).length === 0) return { paths: [], env: {} };
  const lent = findCredentials(classification);
  const paths = lent.flatMap(({ files = [], sockets = [] }) => [...files, ...sockets]);
  const names = lent.flatMap(({ variables = [] }) => variables);
  return {
    paths: [...new Set(paths.flatMap((path) => existing(path, env)))],
    env: Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
  };
}

/** `~` is the home, `$NAME` at the beginning a variable that holds a path. */
function existing(spelled: string, env: NodeJS.ProcessEnv): string[] {
  const path = spelled.replace(/^~/, homeDirectory()).replace(/^\$(\w+)/, (_, name: string) => env[name] ?? "");
  const real = path.startsWith("/") ? realPathAsFarAsItExists(path) : undefined;
  return real !== undefined && kindAt(real) !== undefined ? [real] : [];
}
