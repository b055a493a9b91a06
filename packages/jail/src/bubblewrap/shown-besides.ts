import type { JailSpec } from "../engine/index.ts";
import { linkedRepositories } from "../git/index.ts";
import { type JailPlan, type PredictedPath, predictPaths } from "../plan/index.ts";

/**
 * What a run sees besides its workspace: never in a lasting jail. Its inhabitant chooses where it stands and what its `.git` says, and so would choose
 * what of the host it is shown.
 */
export function shownBesides(
  spec: Pick<JailSpec, "plan" | "cwd">,
  trees: Parameters<typeof linkedRepositories>[1],
): PredictedPath[] {
  return [...predictPaths({ ...spec, ...trees }), ...linkedTo(spec, trees)];
}

/** The repositories that it is a worktree of: written only where a git write was allowed. */
function linkedTo(
  spec: Pick<JailSpec, "plan" | "cwd">,
  trees: Parameters<typeof linkedRepositories>[1],
): PredictedPath[] {
  const { kind, opensGit } = spec.plan;
  const writable = opensGit && (kind === "workspace" || kind === "open");
  return linkedRepositories(spec, trees).map((path) => ({ path, kind: "git", writable }));
}

export interface Guarded {
  readonly root: string;
  readonly isGit?: boolean;
  readonly writable: boolean;
}

/** Whatever is shown whole may hold secrets, and what starts code. */
export function guarded(roots: readonly string[], predicted: readonly PredictedPath[], { kind }: JailPlan): Guarded[] {
  const writable = kind === "workspace" || kind === "open";
  return [
    ...roots.map((root) => ({ root, writable })),
    ...predicted.flatMap(({ path, ...one }) =>
      one.kind === "file" ? [] : [{ root: path, isGit: one.kind === "git", writable: one.writable }],
    ),
  ];
}
