/** Builtins of bash 5.2. They aren't looked up on PATH, and most aren't safe. */
export const BUILTINS: readonly string[] =
  `. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit
  export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set
  shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait`.split(/\s+/);

/** Builtins that take precedence over functions in a POSIX shell. */
export const SPECIAL_BUILTINS: readonly string[] =
  ". : break continue eval exec exit export readonly return set shift source times trap unset".split(" ");

/** Builtins that change how bash parses or finds everything after them, so the rest can't be read with certainty. */
export const REWRITES_SHELL: readonly string[] =
  "alias bind compgen complete compopt enable eval fc hash set shopt source trap unalias .".split(" ");

/** Builtins that only print without words. */
export const SHOWS_ALONE: readonly string[] = ["alias", "enable", "hash", "shopt", "trap"];

/** Builtins that set variables and their attributes. */
export const DECLARES: readonly string[] = ["declare", "typeset", "local", "readonly", "export"];

/** Programs whose deletions can't be undone. */
export const SWEEPERS: readonly string[] = ["rm", "unlink", "shred"];

/** Options of `set` that only make bash stop earlier, print more or take words literally. */
export const HARMLESS_SHELL_OPTIONS: { readonly letters: string; readonly names: readonly string[] } = {
  letters: "eufvxC",
  names: ["errexit", "nounset", "noglob", "verbose", "xtrace", "noclobber", "pipefail"],
};

export const SHELLS: readonly string[] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "csh", "tcsh", "rbash"];

/** Shells that the parser can read; others are never safe. */
export const READABLE_SHELLS: readonly string[] = ["sh", "bash", "dash"];

export const INTERPRETERS: readonly string[] = [
  ...SHELLS,
  "python",
  "python2",
  "python3",
  "node",
  "nodejs",
  "deno",
  "bun",
  "perl",
  "ruby",
  "php",
  "lua",
  "tclsh",
  "osascript",
  "pwsh",
  "Rscript",
];

/** Programs that run what their first operand names. */
export const RUNNERS: readonly string[] = ["npx", "bunx", "pnpx", "uvx", "pipx", "tsx", "ts-node"];

export const DOWNLOADERS: readonly string[] = [
  "curl",
  "wget",
  "fetch",
  "aria2c",
  "http",
  "https",
  "xh",
  "lynx",
  "links",
  "w3m",
];

/** Programs that run code of a given package. */
export const INSTALLERS: readonly string[] =
  "dpkg rpm apt apt-get dnf yum zypper snap installer pip pip3 gem npm".split(" ");

/** Programs that send files or text to another machine. */
export const SENDERS: readonly string[] = [
  ...DOWNLOADERS,
  "scp",
  "sftp",
  "rsync",
  "ssh",
  "nc",
  "ncat",
  "netcat",
  "socat",
  "ftp",
  "telnet",
  "mail",
  "sendmail",
  "rclone",
  "aws",
  "gsutil",
  "gh",
  "glab",
  "mutt",
  "mailx",
  "croc",
  "wormhole",
];

/** Programs whose outputs are known, and which operands those are. */
export const WRITERS: readonly { readonly names: readonly string[]; readonly writes: "all" | "last" }[] = [
  { names: ["tee", "touch", "mkdir", "truncate"], writes: "all" },
  { names: ["cp", "mv", "ln", "install"], writes: "last" },
];

/** Modules that `python -m` runs as the program of the same name. */
export const PYTHON_MODULES: readonly string[] = "pip pytest mypy black ruff flake8 pylint isort".split(" ");

/** Programs that print only decimal numbers if their words have this form. */
export const NUMBER_TELLERS: readonly { readonly name: string; readonly form: string }[] = [
  { name: "wc", form: "^-[lwcm]$" },
  { name: "seq", form: "^[1-9]\\d{0,8}( [1-9]\\d{0,8}){0,2}$" },
  { name: "nproc", form: "^$" },
  { name: "date", form: "^\\+%s$" },
  { name: "id", form: "^-[ug]$" },
];

/** Programs that accept no abbreviated long options. Others may, as getopt_long does. */
export const WHOLE_OPTIONS: readonly string[] =
  `docker podman nerdctl kubectl oc helm kustomize minikube kind k3d argocd flux istioctl gh glab cargo rustc rustup go deno bun uv
  ruff rg fd fdfind bat eza terraform tofu terragrunt pulumi packer vault consul nomad`
    .trim()
    .split(/\s+/);
