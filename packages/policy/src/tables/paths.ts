/**
 * Paths with a meaning. `~` is any home directory, `**` at an end any depth, `*` part of a name. Compared without case,
 * because some file systems do.
 */

export interface PathRule {
  readonly path: string;
  /** Names (last component) that the rule leaves alone. */
  readonly except?: readonly string[];
}

/** Reading the contents gives away a credential. */
export const SECRETS: readonly PathRule[] = [
  { path: "~/.ssh" },
  { path: "~/.ssh/**", except: ["*.pub", "config", "known_hosts*", "authorized_keys*"] },
  { path: "~/.aws" },
  { path: "~/.aws/**", except: ["config"] },
  { path: "~/.azure/**" },
  { path: "~/.config/gcloud/**" },
  { path: "~/.gnupg/**" },
  { path: "~/.kube/**" },
  { path: "~/.docker/config.json" },
  { path: "~/.config/gh/**" },
  { path: "~/.config/op/**" },
  { path: "~/.netrc" },
  { path: "~/.npmrc" },
  { path: "~/.pypirc" },
  { path: "~/.pgpass" },
  { path: "~/.my.cnf" },
  { path: "~/.git-credentials" },
  { path: "~/.config/git/credentials" },
  { path: "~/.cargo/credentials*" },
  { path: "~/.gem/credentials" },
  { path: "~/.vault-token" },
  { path: "~/.terraform.d/credentials*" },
  { path: "~/.password-store/**" },
  { path: "~/.local/share/keyrings/**" },
  { path: "~/.mozilla/**" },
  { path: "~/.config/google-chrome/**" },
  { path: "~/Library/Keychains/**" },
  { path: "~/.claude/.credentials.json" },
  { path: "~/.codex/auth.json" },
  { path: "~/.*_history" },
  { path: "/etc/shadow*" },
  { path: "/etc/gshadow*" },
  { path: "/etc/sudoers" },
  { path: "/etc/sudoers.d/**" },
  { path: "/etc/ssl/private/**" },
  { path: "/etc/ssh/ssh_host_*_key" },
  { path: "/proc/*/environ" },
  { path: "/proc/*/mem" },
  { path: "/proc/*/task/*/environ" },
  { path: "/proc/kcore" },
  { path: "/run/secrets/**" },
  { path: "/var/run/secrets/**" },
];

/** The same, but such files are ordinary parts of a repository: only reading their contents is dangerous. */
export const PROJECT_SECRETS: readonly PathRule[] = [
  { path: "**/.env" },
  { path: "**/.env.*", except: [".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults"] },
  { path: "**/*.pem" },
  { path: "**/*.key" },
  { path: "**/*.p12" },
  { path: "**/*.pfx" },
  { path: "**/*.jks" },
  { path: "**/*.keystore" },
  { path: "**/*.kdbx" },
  { path: "**/id_rsa" },
  { path: "**/id_ed25519" },
  { path: "**/id_ecdsa" },
  { path: "**/id_dsa" },
  { path: "**/.git-credentials" },
  { path: "**/.netrc" },
  { path: "**/.pgpass" },
  { path: "**/.htpasswd" },
];

/** What is written here runs later, by itself or with someone else's rights. */
export const STARTS_CODE: readonly PathRule[] = [
  { path: "~/.bash*" },
  { path: "~/.zsh*" },
  { path: "~/.profile" },
  { path: "~/.zprofile" },
  { path: "~/.zlogin" },
  { path: "~/.kshrc" },
  { path: "~/.inputrc" },
  { path: "~/.xinitrc" },
  { path: "~/.xsession*" },
  { path: "~/.pam_environment" },
  { path: "~/.vimrc" },
  { path: "~/.vim/**" },
  { path: "~/.emacs*" },
  { path: "~/.gitconfig" },
  { path: "~/.gdbinit" },
  { path: "~/.ssh/**" },
  { path: "~/.gnupg/**" },
  { path: "~/.npmrc" },
  { path: "~/.config/**" },
  { path: "~/.local/bin/**" },
  { path: "~/.local/share/applications/**" },
  { path: "~/.cargo/**" },
  { path: "~/bin/**" },
  { path: "~/Library/LaunchAgents/**" },
  { path: "/var/spool/cron/**" },
  { path: "/var/spool/at/**" },
  { path: "**/authorized_keys" },
  { path: "**/.git/hooks/**" },
  { path: "**/.git/config" },
  { path: "**/.git/info/attributes" },
  { path: "**/.gitattributes" },
  { path: "**/.gitmodules" },
  { path: "**/.claude/**" },
  { path: "**/.codex/**" },
  { path: "**/.gemini/**" },
  { path: "**/.cursor/**" },
  { path: "**/.mcp.json" },
  { path: "**/.envrc" },
  { path: "**/.vscode/**" },
  { path: "**/.idea/**" },
  { path: "**/.devcontainer/**" },
  { path: "**/.husky/**" },
  { path: "**/.countersign/**" },
];

/** The machine itself. */
export const SYSTEM: readonly PathRule[] = [
  "/etc",
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/boot",
  "/dev",
  "/proc",
  "/sys",
  "/root",
  "/run",
  "/var/lib",
  "/var/run",
  "/System",
  "/Library",
  "/private/etc",
].map((path) => ({ path: `${path}/**` }));

/** What the machine keeps: ordinary to write to for some programs, not to delete. */
export const KEPT: readonly PathRule[] = [
  "/var/log",
  "/var/spool",
  "/var/mail",
  "/var/cache",
  "/var/backups",
  "/var/db",
  "/var/www",
  "/var/local",
  "/var/opt",
  "/opt",
  "/srv",
  "/Applications",
  "/private/var/db",
  "/private/var/log",
].map((path) => ({ path: `${path}/**` }));

export const BLOCK_DEVICES: readonly PathRule[] = [
  { path: "/dev/sd*" },
  { path: "/dev/hd*" },
  { path: "/dev/vd*" },
  { path: "/dev/xvd*" },
  { path: "/dev/nvme*" },
  { path: "/dev/mmcblk*" },
  { path: "/dev/disk*" },
  { path: "/dev/disk/**" },
  { path: "/dev/rdisk*" },
  { path: "/dev/mapper/**" },
  { path: "/dev/dm-*" },
  { path: "/dev/md*" },
  { path: "/dev/loop*" },
];

/** Nothing is kept or changed there. */
export const HARMLESS_DEVICES: readonly string[] = [
  "/dev/null",
  "/dev/stdin",
  "/dev/stdout",
  "/dev/stderr",
  "/dev/zero",
  "/dev/full",
];

/** Credentials are kept somewhere under these, besides homes. */
export const ABOVE_SECRETS: readonly string[] = [
  "/",
  "/root",
  "/home",
  "/Users",
  "/etc",
  "/proc",
  "/run",
  "/var",
  "/var/run",
];

/** Deleting one of these, or all inside it, ends the machine or a person's work. */
export const PRECIOUS: readonly string[] = [
  "/",
  "/home",
  "/root",
  "/Users",
  "/usr",
  "/usr/bin",
  "/usr/lib",
  "/usr/local",
  "/etc",
  "/var",
  "/var/lib",
  "/boot",
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/dev",
  "/proc",
  "/sys",
  "/opt",
  "/srv",
  "/mnt",
  "/media",
  "/System",
  "/Library",
  "/Applications",
];

/** Homes, and where drives are mounted: each is as precious, whatever its name. */
export const MOUNTS: readonly string[] = [
  "^/(home|Users)/[^/]+$",
  "^/(mnt|media|Volumes)/[^/]+$",
  "^(/run)?/media/[^/]+/[^/]+$",
];
