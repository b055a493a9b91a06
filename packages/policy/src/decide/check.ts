import { type PolicyLayer, VERDICTS, type Verdict } from "@countersign/vocabulary";
import * as z from "zod";
import { classify } from "../classify/index.ts";
import { type EntryWarning, lintEntries } from "../entries/index.ts";
import type { Machine } from "../model/index.ts";
import {
  describeProblems,
  type Entry,
  type Examples,
  effectiveProfile,
  examplesSchema,
  type Profile,
  profileSchema,
  readLayer,
  readProfile,
} from "../profile/index.ts";
import { decide } from "./decide.ts";

export interface CheckOptions {
  /** As which layer the file is read; the others are taken as empty. */
  readonly as: PolicyLayer;
  /** What the examples run on; a repository's directory is its `cwd`. */
  readonly context: Machine;
  readonly nowMs: number;
}

export interface FailedExample {
  readonly command: string;
  readonly expected: Verdict;
  readonly got: Verdict;
  readonly reason: string;
  /** Where the example stands: `examples` or, say, `allowlist.3`. */
  readonly where: string;
}

export type PolicyCheck =
  | { readonly readable: false; readonly problems: readonly string[] }
  | {
      readonly readable: true;
      readonly examples: number;
      readonly failures: readonly FailedExample[];
      readonly warnings: readonly EntryWarning[];
    };

/** Whether a policy file says what its own examples say that it says, a jail assumed and everyone trusted. */
export function checkPolicy(file: unknown, { as, context, nowMs }: CheckOptions): PolicyCheck {
  const reading = as === "user" ? readUser(file) : readOther(file, as, context.cwd);
  if (!reading.ok) return { readable: false, problems: reading.problems };
  const { profile, lists } = reading;
  const examples = collect(file, lists);
  if ("problems" in examples) return { readable: false, problems: examples.problems };
  const circumstances = { enforcement: "jail", attended: true, nowMs } as const;
  const failures = examples.found.flatMap(({ command, expected, where }): FailedExample[] => {
    const { verdict, reason } = decide(classify(command, context), profile, circumstances);
    return verdict === expected ? [] : [{ command, expected, got: verdict, reason, where }];
  });
  return { readable: true, examples: examples.found.length, failures, warnings: lintEntries(lists, nowMs) };
}

type Lists = Parameters<typeof lintEntries>[0];
type Reading =
  | { readonly ok: true; readonly profile: Profile; readonly lists: Lists }
  | { readonly ok: false; readonly problems: readonly string[] };

function readUser(file: unknown): Reading {
  const reading = readProfile(file);
  return reading.ok ? { ...reading, lists: reading.profile } : reading;
}

function readOther(file: unknown, layer: Exclude<PolicyLayer, "user">, directory: string): Reading {
  const reading = readLayer(file, layer === "repository" ? directory : undefined);
  if (!reading.ok) return reading;
  const user = { file: "", profile: profileSchema.parse({}) };
  const { profile } = effectiveProfile(user, [{ layer, file: "", block: reading.block, trusted: true }], () => "entry");
  return { ok: true, profile, lists: reading.block };
}

interface Example {
  readonly command: string;
  readonly expected: Verdict;
  readonly where: string;
}

function collect(file: unknown, lists: Lists): { found: Example[] } | { problems: string[] } {
  const stated: [where: string, examples: unknown][] = [
    ["examples", (file as { examples?: unknown }).examples],
    ...(["allowlist", "denylist"] as const).flatMap((list) =>
      lists[list].map((entry: Entry, index): [string, unknown] => [`${list}.${index}`, entry.examples]),
    ),
  ];
  const found: Example[] = [];
  for (const [where, value] of stated) {
    const schema = z.object({ [where]: examplesSchema.optional() });
    const reading = schema.safeParse({ [where]: value });
    if (!reading.success) return { problems: describeProblems(schema, { [where]: value }, reading.error) };
    found.push(...spread(reading.data[where] ?? {}, where));
  }
  return { found };
}

function spread(examples: Examples, where: string): Example[] {
  return VERDICTS.flatMap((expected) => (examples[expected] ?? []).map((command) => ({ command, expected, where })));
}
