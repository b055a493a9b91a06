import { findRepository, homeDirectory } from "@countersign/core/host";
import { isInside } from "@countersign/core/host/fs";
import { linkedRepository } from "../workspace/index.ts";

/**
 * Repositories outside of the workspace to which it is linked as a worktree: git finds nothing without them. Those that are
 * around what a jail hides, or around the workspace, aren't shown.
 */
export function linkedRepositories(
  { cwd }: { readonly cwd: string },
  { roots, hidden }: { readonly roots: readonly string[]; readonly hidden: readonly string[] },
): string[] {
  const worktrees = new Set([...roots, findRepository(cwd, roots) ?? []].flat());
  const isShown = (path: string) => roots.some((root) => isInside(path, root));
  const isAround = (path: string) => [...roots, ...hidden, homeDirectory()].some((tree) => isInside(tree, path));
  const found = [...worktrees].flatMap((worktree) => linkedRepository(worktree) ?? []);
  return [...new Set(found)].filter((path) => !isShown(path) && !isAround(path));
}
