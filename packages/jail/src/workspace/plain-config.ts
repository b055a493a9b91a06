import { readShort } from "./git-directory.ts";

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
export function isPlainConfig(path: string): boolean {
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
