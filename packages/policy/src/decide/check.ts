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
  /** The layer that the file is read as; the other layers are empty. */
  readonly as: PolicyLayer;
  /** The machine for the examples. For a repository's file its `cwd` is the repository. */
  readonly context: Machine;
  readonly nowMs: number;
}

export interface FailedExample {
  readonly command: string;
  readonly expected: Verdict;
  readonly got: Verdict;
  readonly reason: string;
  /** Position of the example: `examples` or, for one, `allowlist.3`. */
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

/** Checks a policy file against its own examples. Assumes a jail, and that every layer is trusted. */
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
