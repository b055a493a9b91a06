import { join } from "node:path";
import { findRepository, readRegular } from "@countersign/core/host";
import { isInside } from "@countersign/core/host/fs";
import { bytesOfPath } from "@countersign/native";
import type { CodeSnapshot } from "../base/index.ts";
import type { JailView } from "../plan/index.ts";
import { gitDirectoryOf } from "../workspace/index.ts";
import { type Skipped, skipInIndex } from "./skip-in-index.ts";

/** Hidden files that git tracks, and what git is shown so that it doesn't take them for changed. */
export interface HiddenFromGit {
  readonly tracked: readonly string[];
  /** Each repository's index, in which they are left alone; for a run that doesn't write as git does. */
  readonly indexes: readonly CodeSnapshot[];
}

/** Of a repository with a hundred thousand files. */
const MOST_BYTES = 16 * 1024 * 1024;

export function hiddenFromGit({ roots, shown, steps }: JailView): HiddenFromGit {
  const hides = steps.filter((step) => step.do === "hide" && roots.some((root) => isInside(step.path, root)));
  const byRepository = Map.groupBy(hides, ({ path }) => findRepository(path, roots));
  const tracked: string[] = [];
  const indexes: CodeSnapshot[] = [];
  for (const [repository, inside] of byRepository) {
    const directory = repository === undefined ? undefined : gitDirectoryOf(repository);
    if (repository === undefined || directory === undefined) continue;
    const path = join(directory, "index");
    const found = readSkipped(
      path,
      inside.map((step) => relativeTo(repository, step.path)),
    );
    if (found === undefined) continue;
    tracked.push(...found.paths.map((one) => join(repository, Buffer.from(one, "latin1").toString("utf8"))));
    const isSeen = [...roots, ...shown.map((one) => one.path)].some((tree) => isInside(path, tree));
    if (isSeen) indexes.push({ path, mode: 0o444, content: found.index });
  }
  return { tracked, indexes };
}

/** Paths are compared byte by byte, each byte as a character. */
function relativeTo(repository: string, path: string): string {
  return bytesOfPath(path)
    .toString("latin1")
    .slice(bytesOfPath(repository).length + 1);
}

function readSkipped(path: string, hidden: readonly string[]): Skipped | undefined {
  const read = readRegular(path, MOST_BYTES);
  // Most of what is hidden isn't tracked, and then nothing has to be read further.
  const some = hidden.filter((one) => read?.content.includes(one, 0, "latin1"));
  if (read === undefined || some.length === 0) return undefined;
  const isSkipped = (one: string) => some.some((at) => one === at || one.startsWith(`${at}/`));
  return skipInIndex(read.content, isSkipped, Math.floor(read.stat.mtimeMs / 1000));
}
