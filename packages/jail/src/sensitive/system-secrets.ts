import { dirname } from "node:path";
import { type Clock, systemClock } from "@countersign/core/base";
import { readDirectory, rememberFor } from "@countersign/core/host/fs";
import { placeMeaning, TABLES } from "@countersign/policy";
import { type HiddenPath, hiddenPathAt } from "./hidden-paths.ts";

/** A jail has its own of these: nothing of the host's is seen there. */
const REPLACED = /^\/(proc|dev|run|var\/run)\//;

/** Where a rule has a wildcard, this many names of that directory are looked at. */
const MOST_NAMES = 10_000;

const LIFETIME_MS = 10_000;

/** The machine's own secrets that exist here, by the policy's table, outside of homes. Remembered for some seconds. */
export function makeSystemSecrets(clock: Clock = systemClock): () => readonly HiddenPath[] {
  return rememberFor(LIFETIME_MS, clock, () => findSystemSecrets(TABLES.paths.SECRETS.map(({ path }) => path)));
}

/** What exists of these rules (`/etc/shadow*`, `/etc/ssl/private/**`); wildcards stand in the last name only. */
export function findSystemSecrets(rules: readonly string[]): HiddenPath[] {
  const paths = rules
    .filter((rule) => rule.startsWith("/") && !REPLACED.test(rule))
    .map((rule) => rule.replace(/\/\*\*$/, ""))
    .flatMap((rule) => (rule.includes("*") ? namesLike(rule) : rule));
  const hides = paths.map(hiddenPathAt).filter((one) => one !== undefined);
  return [...new Map(hides.map((one) => [one.path, one])).values()];
}

/** The names in the rule's directory that the policy itself calls secret. */
function namesLike(rule: string): string[] {
  const directory = dirname(rule);
  const reading = readDirectory(directory, { size: 0, most: MOST_NAMES });
  if ("failed" in reading) return [];
  return reading.entries.map(({ name }) => `${directory}/${name}`).filter((path) => placeMeaning(path, "/root").secret);
}
