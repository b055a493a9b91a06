/** Where a program that isn't in the catalogue writes, if its words show that. Used only to find harm. */
export interface Output {
  readonly names: readonly string[];
  /** Options whose value is an output: `-o`, `--output`. */
  readonly options?: readonly string[];
  /**
   * Operands that are outputs. `rest`: all but the first, which is a script or an archive. `second`: the second word.
   */
  readonly operands?: "all" | "last" | "rest" | "second";
  /** Operands count only with one of these words (`sed -i`); in a row without operands, the options do. */
  readonly when?: string;
  /** Words with which they don't count. */
  readonly unless?: string;
}

const list = (words: string): readonly string[] => words.trim().split(/\s+/);

export const OUTPUTS: readonly Output[] = [
  { names: ["cp", "mv", "ln", "install", "gcp", "gmv"], options: ["-t", "--target-directory"] },
  {
    names: ["curl"],
    options: list(
      "-o --output -D --dump-header -c --cookie-jar --output-dir --trace --trace-ascii --stderr --etag-save --libcurl",
    ),
  },
  {
    names: ["wget", "wget2"],
    options: list("-O --output-document -o --output-file -a --append-output -P --directory-prefix --save-cookies"),
  },
  { names: ["aria2c"], options: ["-d", "--dir", "-o", "--out"] },
  { names: ["sed", "gsed"], operands: "rest", when: "^-[nErsuz]*i|^--in-place" },
  { names: ["perl", "ruby"], operands: "rest", when: "^-[a-zA-Z0-9]*i" },
  { names: ["patch"], operands: "all", options: ["-o", "--output", "-d", "--directory"] },
  {
    names: ["tar", "gtar", "bsdtar"],
    // The members that are unpacked.
    operands: "all",
    when: "^-?[A-Za-z]*x[A-Za-z]*$|^--(extract|get)$",
    options: ["-C", "--directory", "--one-top-level"],
  },
  {
    names: ["tar", "gtar", "bsdtar"],
    when: "^-?[A-Za-z]*[cru][A-Za-z]*$|^--(create|append|update|catenate)$",
    options: ["-f", "--file"],
  },
  // `tar czf archive`.
  { names: ["tar", "gtar", "bsdtar"], operands: "second", when: "^(?=[a-zA-Z]*[cru])[a-zA-Z]*f[a-zA-Z]*$" },
  { names: ["unzip"], operands: "rest", options: ["-d"] },
  { names: ["7z", "7za"], operands: "rest", when: "^[xe]$", options: ["-o"] },
  { names: ["rsync", "scp", "sftp"], operands: "last" },
  { names: ["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "lz4"], operands: "all", options: ["-o"] },
  { names: ["zip"], operands: "all" },
  { names: ["split", "csplit"], operands: "last" },
  { names: ["sort", "shuf"], options: ["-o", "--output"] },
  { names: ["uniq"], operands: "rest" },
  { names: ["vi", "vim", "nvim", "emacs", "nano"], operands: "all" },
  {
    names: ["gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "rustc", "go", "nasm", "as"],
    options: ["-o", "--out-dir"],
  },
  { names: ["openssl"], options: ["-out", "-keyout"] },
  { names: ["gpg", "gpg2", "age", "sops"], options: ["-o", "--output"] },
  { names: ["pip", "pip3", "uv"], options: ["-t", "--target", "--prefix", "--root"] },
  { names: ["chmod", "chown", "chgrp", "chattr", "setfacl", "xattr", "chflags", "chcon"], operands: "rest" },
  { names: ["mkfifo", "mknod", "fallocate", "gtouch", "gtee", "sponge", "rename", "truncate"], operands: "all" },
  { names: ["docker", "podman", "kubectl"], operands: "last", when: "^cp$" },
  { names: ["git"], operands: "last", when: "^(clone|init|worktree|mv)$", options: ["--output"] },
  { names: ["git"], operands: "rest", when: "^(checkout|restore)$", unless: "^(-b|-B|--orphan|--staged|-S)$" },
  { names: ["git"], when: "^(archive|format-patch)$", options: ["-o", "--output-directory"] },
  { names: ["yq", "xmlstarlet", "crudini", "augtool", "ex", "ed", "sqlite3", "dos2unix", "unix2dos"], operands: "all" },
  { names: ["aws", "gsutil", "gcloud"], operands: "last", when: "^(cp|sync|mv)$" },
  { names: ["ffmpeg", "convert", "magick", "pandoc", "xxd"], operands: "last", options: ["-o", "--output"] },
  { names: ["defaults"], operands: "rest", when: "^(write|delete)$" },
  { names: ["npm", "pnpm", "yarn"], options: ["--prefix"] },
  { names: ["ruff", "eslint", "prettier", "stylelint"], options: ["-o", "--output-file"] },
  { names: ["cargo"], options: ["--root", "--target-dir"] },
];
