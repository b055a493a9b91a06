import { CREDENTIALS, type Credential } from "../catalog/index.ts";
import type { Classification, Part } from "../model/index.ts";
import { runsWorkspaceCode, usesNetwork } from "../programs/index.ts";

/**
 * What the command's programs need to be who their user is. None unless every simple command is literal and known by the
 * tables: what runs beside it would have them, too. So would code of the workspace that a tool runs before it answers. Only
 * a program that was predicted to ask a service needs any.
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

/** What it may run or hide can't be told. */
const UNKNOWN = new Set(["executes", "obfuscation", "environment", "privilege"]);

function asksService({ effects }: Part): boolean {
  return effects.some(usesNetwork);
}
