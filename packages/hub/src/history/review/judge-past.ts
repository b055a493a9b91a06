import { remember } from "@countersign/core/base";
import { FileHashes, homeDirectory } from "@countersign/core/host";
import { realPathAsFarAsItExists, TrustedPath } from "@countersign/core/host/fs";
import { type Circumstances, type Classification, classify, type Decision, decide } from "@countersign/policy";
import { type OfflinePolicies, ownPaths, type Policies } from "../../policies/index.ts";
import { denyUnreadable, gatherCode } from "../../proposals/index.ts";
import type { PastCommand } from "./past-proposals.ts";

export interface JudgedPast {
  readonly classification: Classification;
  readonly circumstances: Circumstances;
}

/** Classifies past commands on the machine as it is now. */
export function pastJudge({ home, config }: Pick<OfflinePolicies, "home" | "config">, nowMs: number) {
  const trustedPath = new TrustedPath(process.env.PATH, [...config.roots, home.dir]);
  const realpath = remember(realPathAsFarAsItExists);
  const hashes = new FileHashes();
  return async ({ command, cwd, env, roots, attended, enforcement }: PastCommand): Promise<JudgedPast> => {
    const classification = classify(command, {
      cwd,
      home: homeDirectory(),
      roots,
      env,
      protectedPaths: ownPaths(home, config),
      resolveProgram: (name) => trustedPath.resolve(name, roots),
      realpath,
    });
    const code = await gatherCode(classification.parts, cwd, hashes);
    return { classification, circumstances: { enforcement, attended, nowMs, hashFile: (path) => code.get(path) } };
  };
}

/** Decides by these policies. An unreadable policy denies. */
export async function decidePast(
  past: PastCommand,
  { classification, circumstances }: JudgedPast,
  policies: Policies,
): Promise<Decision> {
  const policy = await policies.of(past, classification);
  if (policy.ok) return decide(classification, policy.profile, circumstances);
  return denyUnreadable(classification, policy.problem);
}
