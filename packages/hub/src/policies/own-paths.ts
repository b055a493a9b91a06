import type { Config } from "@countersign/core/config";

/** Files and directories of Countersign itself, which no command may touch without a person. */
export function ownPaths(home: { readonly dir: string }, { organisation }: Pick<Config, "organisation">): string[] {
  return organisation ? [home.dir, organisation.file] : [home.dir];
}
