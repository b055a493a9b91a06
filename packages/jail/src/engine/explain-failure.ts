import { constants } from "node:os";
import { basename } from "node:path";
import { isInside } from "@countersign/core/host/fs";
import { visible } from "@countersign/protocol/text";
import type { JailPlan } from "../plan/index.ts";
import type { ProcessResult } from "../process/index.ts";
import { type JailReport, leftWords, some } from "../workspace/index.ts";

interface Sign {
  /** What programs say when a jail stops them; each is also said for other reasons. */
  readonly says: RegExp;
  so(plan: JailPlan, report: JailReport, said: string): readonly string[];
}

const REMEDY = "a new proposal that names them itself can be allowed to change or remove them";
const BUSY = /device or resource busy|EBUSY/i;

const SIGNS: readonly Sign[] = [
  {
    says: /read-only file system|EROFS|device or resource busy|EBUSY/i,
    so: ({ kind }, report, said) => {
      const places = heldIn(said, report);
      if (places.length > 0) return [`its jail holds in place what starts code (${some(places)}): ${REMEDY}`];
      if (!/read-only file system|EROFS/i.test(said)) return [];
      const writes = kind === "workspace" || kind === "open";
      return [writes ? "it wrote to a place that its jail shows read-only" : "it wrote, and its jail is read-only"];
    },
  },
  {
    says: /could not resolve|name resolution|name or service not known|network is unreachable|ENOTFOUND|ENETUNREACH|EAI_AGAIN/i,
    so: ({ hosts }) => [
      hosts.length === 0 ? "its jail has no network" : "its jail reaches the network through a proxy only",
    ],
  },
  {
    // The last two are what git says of a file that is covered.
    says: /permission denied|EACCES|device or resource busy|EBUSY|unsupported file type|can only add regular files/i,
    so: (_, { hidden, pinned }, said) => {
      const inside = BUSY.test(said) ? insideNamed(said, { held: hidden, pinned }) : [];
      return [...new Set([...namedIn(said, hidden), ...inside])].map((path) => `its jail hides ${visible(path)}`);
    },
  },
];

/**
 * Why a run may have failed because of its jail, what it left behind and what it wasn't shown, in a sentence for the agent and
 * the person; undefined where nothing hints at it.
 */
export function explainFailure(
  { end, stderr }: Pick<ProcessResult, "end" | "stderr">,
  plan: JailPlan,
  report: JailReport,
): string | undefined {
  const { refused, exceeded, tracked } = report;
  const failed = end.kind !== "exited" || end.exitCode !== 0;
  const said = stderr.slice(-LOOKED_AT);
  const hints = failed ? SIGNS.flatMap(({ says, so }) => (says.test(said) ? so(plan, report, said) : [])) : [];
  const why = [...refused, ...hints, ...exceeded];
  const signal = end.kind === "exited" ? signalOfCode(end.exitCode) : undefined;
  const sentences = [
    ...(why.length === 0 ? [] : [`It may have failed because of its jail (${plan.kind}): ${why.join("; ")}.`]),
    ...(signal === undefined ? [] : [`Its exit code is also how a death by ${signal} is told.`]),
    ...(tracked.length === 0
      ? []
      : [`Its jail hides files that git tracks, so git ${AS_IS[`${plan.opensGit}`]}: ${some(tracked)}.`]),
    ...leftWords(report),
  ];
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

/** By whether git may write. */
const AS_IS = {
  false: "doesn't see whether they have changed",
  true: "takes them for changed, and can't commit or replace them; what else has changed can be added by name",
} as const;

/**
 * Programs name what they couldn't open as they were given it, so that its last name is all that is certain; of several with
 * the same one it is that of which more was said.
 */
function namedIn(text: string, paths: readonly string[]): string[] {
  const byName = Map.groupBy(
    paths.filter((path) => text.includes(basename(path))),
    (path) => basename(path),
  );
  const best = [...byName.values()].flatMap((same) => {
    const most = Math.max(...same.map((path) => saidOf(path, text)));
    return same.filter((path) => saidOf(path, text) === most);
  });
  return best.slice(0, NAMED);
}

/** How many of the path's last names stand in the text, as a path. */
function saidOf(path: string, text: string): number {
  const names = path.split("/");
  let said = 1;
  while (said < names.length && text.includes(names.slice(-said - 1).join("/"))) said += 1;
  return said;
}

function heldIn(text: string, { held, pinned }: Pick<JailReport, "held" | "pinned">): string[] {
  return [...new Set([...namedIn(text, held), ...insideNamed(text, { held, pinned })])];
}

/** What is held in a directory that was named: it can't be renamed or removed with that inside. */
function insideNamed(text: string, { held, pinned }: Pick<JailReport, "held" | "pinned">): string[] {
  const around = namedIn(text, pinned);
  return held.filter((path) => around.some((one) => isInside(path, one))).slice(0, NAMED);
}

const LOOKED_AT = 8_192;
const NAMED = 8;

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number as number, name]));

/** The signal that a shell would tell by this exit code: 128 and its number. */
function signalOfCode(exitCode: number): string | undefined {
  return SIGNALS.get(exitCode - 128);
}
