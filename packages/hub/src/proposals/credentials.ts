import { homeDirectory } from "@countersign/core/host";
import { kindAt, realPathAsFarAsItExists } from "@countersign/core/host/fs";
import type { LentCredentials } from "@countersign/jail";
import { type Credential, findCredentials } from "@countersign/policy";
import type { Assessment } from "./assess.ts";
import { entriesLend } from "./chosen-by-entries.ts";

/** In words, for cards and receipts. */
export function describeCredentials(assessment: Assessment): string[] {
  return findLent(assessment).map(({ words }) => words);
}

/** Without a host only what answers on this machine. What the workspace can send elsewhere nobody lends without being asked. */
function findLent(assessment: Assessment): readonly Credential[] {
  const { cut, classification, decision } = assessment;
  if (cut === undefined || cut.kind === "read-only") return [];
  const asked = decision.verdict === "ask" || decision.by === "person" || entriesLend(assessment);
  return findCredentials(classification).filter(
    ({ local, onlyAsked }) => (local || cut.hosts.length > 0) && (asked || !onlyAsked),
  );
}

/**
 * Only for a read that is safe by the tables, where a person saw on the card what is lent and allowed it, or where the entries
 * that allow it say so. Whatever else allows a command allows it without.
 */
export function lendCredentials(assessment: Assessment, env: NodeJS.ProcessEnv = process.env): LentCredentials {
  const { classification, decision } = assessment;
  const may = classification.riskLevel === "safe" || decision.by === "person" || entriesLend(assessment);
  const lent = may ? findLent(assessment) : [];
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
