import { CREDENTIALS, type Credential } from "../catalog/index.ts";
import type { Classification, Part } from "../model/index.ts";
import { runsWorkspaceCode, usesNetwork } from "../programs/index.ts";

/**
 * Returns the credentials that the command's programs need. None unless every simple command is literal and in the
 * catalogue, because other programs in the same run would get them too, as would workspace code that a tool runs first.
 * Only programs that are predicted to query a service need any.
 */
export function findCredentials({ opaque, parts }: Classification): readonly Credential[] {
  if (opaque || !parts.every(isKnown)) return [];
  const names = new Set(parts.filter(asksService).map(({ program }) => program?.slice(program.lastIndexOf("/") + 1)));
  return CREDENTIALS.filter(({ programs }) => programs.some((name) => names.has(name)));
}

function isKnown({ words, effects, builtin, program }: Part): boolean {
  if (words.includes(null) || (!builtin && program === undefined)) return false;
  if (effects.some(runsWorkspaceCode)) return false;
  return effects.every(({ kind, risk }) => risk === "safe" || !UNKNOWN.has(kind));
}

/** Kinds of effects that may run or hide anything. */
const UNKNOWN = new Set(["executes", "obfuscation", "environment", "privilege"]);

function asksService({ effects }: Part): boolean {
  return effects.some(usesNetwork);
}
