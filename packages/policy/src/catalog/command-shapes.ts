import { CARRIERS } from "./carriers.ts";
import { RUNNERS } from "./programs.ts";

/**
 * The words that a saved entry must keep, because they decide what the program does. A program on no list counts as one
 * with subcommands: its first word is kept.
 */

/** The first `depth` words choose the action; `deeper` lists those that need the next word too (`npm run build`). */
export interface CommandTree {
  readonly names: readonly string[];
  readonly depth: number;
  readonly deeper?: readonly string[];
  /** Only the first word counts (`tar xf`), because files follow an option. */
  readonly leading?: true;
}

/** All words that aren't options; each is a target or a step. */
const ALL = 64;

export const COMMAND_TREES: readonly CommandTree[] = [
  {
    names: ["git"],
    depth: 1,
    deeper: [
      "stash",
      "remote",
      "submodule",
      "worktree",
      "bisect",
      "notes",
      "reflog",
      "lfs",
      "sparse-checkout",
      "bundle",
    ],
  },
  { names: ["npm", "pnpm", "yarn", "bun"], depth: 1, deeper: ["run", "run-script", "workspace", "config", "pkg", "x"] },
  {
    names: ["docker", "podman", "nerdctl"],
    depth: 1,
    deeper: ["compose", "container", "image", "volume", "network", "system", "buildx", "context", "builder"],
  },
  { names: ["kubectl", "oc"], depth: 1, deeper: ["config", "rollout", "get", "describe", "set", "auth", "create"] },
  { names: ["go"], depth: 1, deeper: ["mod", "tool", "work"] },
  { names: ["cargo", "rustup", "uv", "pip", "pip3", "poetry", "helm", "terraform", "tofu"], depth: 1 },
  { names: ["gh", "glab", "gcloud", "az", "aws", "doctl", "heroku", "flyctl", "brew", "dotnet"], depth: 2 },
  { names: ["tar", "gtar", "bsdtar", "ar", "jar", "7z"], depth: 1, leading: true },
  { names: ["make", "gmake", "ninja", "just", "task", "rake", "gradle", "mvn", "bazel", "nx", "turbo"], depth: ALL },
  { names: ["systemctl", "service", "launchctl", "kill"], depth: ALL },
];

/** Programs whose operands are files or texts and don't choose the action. */
export const PLAIN_OPERANDS: readonly string[] =
  `cp mv ln install mkdir touch tee truncate chmod chown chgrp dd rsync gzip gunzip bzip2 xz zstd zip unzip curl wget patch split
  prettier eslint biome tsc jest vitest mocha pytest ruff black mypy flake8 pylint gcc cc clang rustc rustfmt gofmt shellcheck`.split(
    /\s+/,
  );

/** Programs one of whose words is a program, or names one to download: such a command is saved word by word. */
export interface ExactRule {
  readonly names: readonly string[];
  /** Only these subcommands. */
  readonly sub?: readonly string[];
  /** Only with a word of this form. */
  readonly form?: string;
}

/** Programs one of whose words is program text, in which a slash isn't a path. */
export const TAKES_PROGRAM_TEXT: readonly string[] = "sed gsed awk gawk mawk nawk jq yq gojq jaq m4 bc dc".split(" ");

export const EXACT: readonly ExactRule[] = [
  // For a runner (`npx eslint .`) the package's name is enough.
  {
    names: CARRIERS.filter((carrier) => carrier.sub === undefined)
      .flatMap((carrier) => carrier.names)
      .filter((name) => !RUNNERS.includes(name)),
  },
  { names: TAKES_PROGRAM_TEXT },
  { names: ["find", "fd", "fdfind", "xargs", "parallel", "watch", "entr", "expect", "tmux", "screen", "gdb", "lldb"] },
  { names: ["ed", "ex", "vi", "vim", "nvim", "emacs", "less", "more", "man", "nano"] },
  { names: ["ssh", "scp", "sftp", "nc", "ncat", "netcat", "socat", "telnet", "ftp", "mail", "sendmail", "rclone"] },
  { names: ["psql", "mysql", "mariadb", "sqlite3", "mongosh", "mongo", "redis-cli", "sqlcmd", "clickhouse-client"] },
  { names: ["env", "openssl", "ffmpeg", "convert", "magick", "gpg"] },
  { names: ["docker", "podman", "nerdctl"], sub: ["run", "exec", "create", "compose", "container", "buildx"] },
  { names: ["kubectl", "oc"], sub: ["exec", "run", "debug", "apply", "create", "cp", "port-forward"] },
  {
    names: ["npm", "pnpm", "yarn", "bun"],
    sub: ["install", "i", "add", "exec", "x", "dlx", "create", "init", "link", "config", "set", "pkg"],
  },
  {
    names: ["pip", "pip3", "uv", "poetry", "gem", "brew", "apt", "apt-get", "dnf", "yum", "pacman", "snap", "conda"],
    sub: ["install", "add", "run", "tool", "pip"],
  },
  { names: ["cargo"], sub: ["install", "add", "run"] },
  { names: ["go"], sub: ["run", "get", "install", "generate", "tool"] },
  { names: ["git"], sub: ["config", "credential", "filter-branch", "difftool", "mergetool", "bisect", "submodule"] },
  { names: ["make", "gmake", "ninja", "just", "task", "rake"], form: "^[A-Za-z_.][\\w.]*[:+?!]*=" },
];

/**
 * Options that restrict a program: without them the other words may do more (`make -n install`, `git branch -a`). All
 * short options count, since their meaning depends on the program.
 */
export const RESTRAINTS: readonly string[] = [
  "^[-+][^-]",
  "^--(dry|no|only|list|show|print|just|get|check|help|version|simulate|what-?if|preview|diff|plan|validate|verify|test|status)",
  "^--(all|contains|merged|cached|staged|soft|abort|offline|ignore-scripts|frozen|immutable|read-?only|config-?test|local|user)",
  "=$",
];

/** Programs whose every operand is the target of an effect. */
export const DELETERS: readonly string[] = ["rm", "rmdir", "unlink"];
