import { basename, join } from "node:path";
import { isInside, kindAt, readDirectory } from "@countersign/core/host/fs";
import type { Places } from "../sensitive/index.ts";
import { isLinkedTo, pointedTo, readShort } from "./git-directory.ts";

/** Where git takes the hooks of a new repository from. */
const TEMPLATES = ["/usr/share/git-core/templates/hooks", "/usr/local/share/git-core/templates/hooks"];
const MOST_HOOKS = 100;
const MOST_HOOK_BYTES = 64 * 1024;

export interface Scanned {
  readonly root: string;
  readonly places: Pick<Places, "gitDirectories" | "bareRepositories">;
}

/**
 * Of a place in a repository that was made in a run which may make some: what git itself wouldn't have put there. A run that
 * may write as git does could else plant hooks in the repository that it makes.
 */
export function notMadeByGit(path: string, scanned: Scanned): string[] {
  switch (basename(path)) {
    case ".git":
      return kindAt(path) === "directory" || leadsToKnown(path, scanned) ? [] : [path];
    case "hooks":
      return strangeHooks(path);
    case "config":
    case "config.worktree":
      return isPlainConfig(path) ? [] : [path];
    case "commondir":
      return /\/worktrees\/[^/]+\/commondir$/.test(path) && readShort(path)?.trim() === "../.." ? [] : [path];
    default:
      return [path];
  }
}

/** Its target was looked at as well, or lies where the run could make nothing but a part of a repository that says so. */
function leadsToKnown(file: string, { root, places }: Scanned): boolean {
  const target = pointedTo(file);
  if (target === undefined) return false;
  if (!isInside(target, root)) return isLinkedTo(target, file);
  const known = [...places.gitDirectories, ...places.bareRepositories];
  return known.some(
    (one) => one === target || ["modules", "worktrees"].some((name) => isInside(target, join(one, name))),
  );
}

function strangeHooks(directory: string): string[] {
  const reading = readDirectory(directory, { size: 0, most: MOST_HOOKS });
  if (kindAt(directory) !== "directory" || "failed" in reading || reading.more) return [directory];
  return reading.entries
    .filter(({ name, kind }) => kind === "directory" || kind === "link" || !isUsual(directory, name))
    .map(({ name }) => `${directory}/${name}`);
}

/** An example that git doesn't run, or what whoever set the machine up has in every new repository. */
function isUsual(directory: string, name: string): boolean {
  if (name.endsWith(".sample")) return true;
  const text = readShort(join(directory, name), MOST_HOOK_BYTES);
  return text !== undefined && TEMPLATES.some((from) => readShort(join(from, name), MOST_HOOK_BYTES) === text);
}

const MOST_BYTES = 64 * 1024;

/**
 * What `git init`, `clone`, `submodule`, `worktree` and the plainest `git config` write. None of it names a program. Sections
 * with a name in quotes have a star for it.
 */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  core: words(
    "repositoryformatversion filemode bare logallrefupdates ignorecase symlinks precomposeunicode worktree autocrlf eol sparsecheckout sparsecheckoutcone",
  ),
  "remote.*": words("url pushurl fetch push tagopt promisor partialclonefilter mirror prune"),
  "branch.*": words("remote merge rebase pushremote description"),
  extensions: words("objectformat partialclone worktreeconfig refstorage preciousobjects"),
  submodule: words("active recurse"),
  "submodule.*": words("url active branch ignore"),
  user: words("name email"),
  init: words("defaultbranch"),
  commit: words("gpgsign"),
  push: words("default autosetupremote"),
  pull: words("rebase ff"),
  fetch: words("prune"),
  lfs: words("repositoryformatversion"),
};

/** Whether a repository's settings are such that git runs nothing because of them. What can't be read isn't. */
function isPlainConfig(path: string): boolean {
  let section = "";
  return (readShort(path, MOST_BYTES) ?? "?").split("\n").every((line) => {
    const text = line.trim();
    if (text === "" || /^[#;]/.test(text)) return true;
    const [, name, inner] = /^\[([a-z]+)(?: "([^"\\]*)")?\]$/i.exec(text) ?? [];
    if (name !== undefined) {
      section = inner === undefined ? name.toLowerCase() : `${name.toLowerCase()}.*`;
      return section in PLAIN;
    }
    const [, key = "", value = ""] = /^([a-z][a-z0-9-]*)(?:\s*=\s*(.*))?$/i.exec(text) ?? [];
    // `ext::sh -c …` is an address, too; a backslash may let the next line go on with this one.
    return (PLAIN[section]?.includes(key.toLowerCase()) ?? false) && !value.includes("::") && !value.endsWith("\\");
  });
}

function words(text: string): readonly string[] {
  return text.split(" ");
}
