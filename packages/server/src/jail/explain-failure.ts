import { basename } from "node:path";
import { visible } from "@countersign/sdk";
import type { ProcessResult } from "../run/start-process.ts";
import type { JailCut } from "./cut-jail.ts";
import type { JailReport } from "./jails.ts";

/** What programs say when a jail stops them; each is also said for other reasons. */
const SIGNS: readonly { readonly says: RegExp; readonly so: (cut: JailCut) => string | undefined }[] = [
  {
    says: /read-only file system|EROFS/i,
    so: ({ kind }) =>
      kind === "workspace" || kind === "open"
        ? "it wrote to a place that its jail shows read-only"
        : "it wrote, and its jail is read-only",
  },
  {
    says: /could not resolve|name resolution|name or service not known|network is unreachable|ENOTFOUND|ENETUNREACH|EAI_AGAIN/i,
    so: ({ hosts }) =>
      hosts.length === 0 ? "its jail has no network" : "its jail reaches the network through a proxy only",
  },
  { says: /refused by the jail/i, so: () => undefined },
];

/**
 * Why a run may have failed because of its jail, and what it left behind, in a sentence for the agent and the person;
 * undefined where nothing hints at it.
 */
export function explainFailure(
  { end, stderr }: Pick<ProcessResult, "end" | "stderr">,
  cut: JailCut,
  { refused, quarantined, exceeded, unsure, hidden }: JailReport,
): string | undefined {
  const failed = end.kind !== "exited" || end.exitCode !== 0;
  const tail = stderr.slice(-LOOKED_AT);
  const hints = failed ? SIGNS.flatMap(({ says, so }) => (says.test(tail) ? (so(cut) ?? []) : [])) : [];
  const connections = refused.map((target) => `its jail refused a connection to ${target}`);
  const secrets = failed && /permission denied|EACCES/i.test(tail) ? namedIn(tail, hidden) : [];
  const why = [...connections, ...hints, ...secrets.map((path) => `its jail hides ${path}`), ...exceeded];
  const sentences = [
    ...(why.length === 0 ? [] : [`It may have failed because of its jail (${cut.kind}): ${why.join("; ")}.`]),
    ...(quarantined.length === 0 ? [] : [`It left what would start code, which was taken away: ${some(quarantined)}.`]),
    ...(unsure.length === 0 ? [] : [`What starts code may be left, which a person should look at: ${some(unsure)}.`]),
  ];
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

/** Programs name what they couldn't open as they were given it, so that its last name is all that is certain. */
function namedIn(text: string, paths: readonly string[]): string[] {
  return paths.filter((path) => text.includes(basename(path))).slice(0, NAMED);
}

const LOOKED_AT = 8_192;
const NAMED = 8;

/** The command chose these names. */
function some(found: readonly { readonly path: string }[]): string {
  const rest = found.length > NAMED ? [`and ${found.length - NAMED} more`] : [];
  return [...found.slice(0, NAMED).map(({ path }) => visible(path)), ...rest].join(", ");
}
