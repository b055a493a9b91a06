/**
 * Paths with a meaning. `~` is any home directory, `**` at the end any depth, `*` a part of a name. Compared without
 * case, because some file systems do.
 */

export interface PathRule {
  readonly path: string;
  /** Names (last component) that the rule excludes. */
  readonly except?: readonly string[];
}

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

/** Data that the machine keeps: some programs write it routinely, but nothing should delete it. */
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

/** Devices that neither keep nor change anything. */
export const HARMLESS_DEVICES: readonly string[] = [
  "/dev/null",
  "/dev/stdin",
  "/dev/stdout",
  "/dev/stderr",
  "/dev/zero",
  "/dev/full",
];

/** Directories other than homes that contain credentials at some depth. */
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

/** Deleting one of these, or its contents, destroys the machine or a person's work. */
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

/** Homes and mount points, which are as precious under any name. */
export const MOUNTS: readonly string[] = [
  "^/(home|Users)/[^/]+$",
  "^/(mnt|media|Volumes)/[^/]+$",
  "^(/run)?/media/[^/]+/[^/]+$",
];

/** Places that everyone may read and that contain nothing personal. */
export const PUBLIC: readonly PathRule[] = [
  "/usr/**",
  "/bin/**",
  "/sbin/**",
  "/lib/**",
  "/lib32/**",
  "/lib64/**",
  "/sys/**",
  "/System/**",
  "/Applications/**",
  "/opt/homebrew/**",
  "/etc/hosts",
  "/etc/hostname",
  "/etc/os-release",
  "/etc/*-release",
  "/etc/*_version",
  "/etc/issue*",
  "/etc/motd",
  "/etc/resolv.conf",
  "/etc/nsswitch.conf",
  "/etc/services",
  "/etc/protocols",
  "/etc/shells",
  "/etc/timezone",
  "/etc/localtime",
  "/etc/locale*",
  "/etc/mime.types",
  "/etc/ld.so.conf*",
  "/etc/ld.so.conf.d/**",
  "/etc/apt/sources.list*",
  "/etc/apt/sources.list.d/**",
  "/etc/alternatives/**",
  "/etc/ssl/certs/**",
  "/etc/ca-certificates*",
  "/proc/cpuinfo",
  "/proc/meminfo",
  "/proc/version",
  "/proc/loadavg",
  "/proc/uptime",
  "/proc/stat",
  "/proc/vmstat",
  "/proc/mounts",
  "/proc/filesystems",
  "/proc/partitions",
  "/proc/diskstats",
  "/proc/swaps",
  "/proc/devices",
  "/proc/interrupts",
  "/proc/net/**",
  "/proc/sys/**",
  "/proc/self/status",
  "/proc/self/limits",
  "/proc/self/cgroup",
  "/proc/self/mountinfo",
  "/proc/self/mounts",
  "/proc/1/cgroup",
  "/proc/1/comm",
  "/dev/urandom",
  "/dev/random",
].map((path) => ({ path }));

/** Personal places without credentials: their contents aren't read without asking. */
export const PRIVATE: readonly PathRule[] = [
  "/etc/passwd*",
  "/etc/group*",
  "/etc/subuid",
  "/etc/subgid",
  "/etc/security/**",
  "/etc/pam.d/**",
  "/etc/audit/**",
  "/root/**",
  "/run/**",
  "/var/run/**",
  "/dev/**",
  "/proc/**",
  "/boot/**",
  "/var/mail/**",
  "/var/spool/**",
  "/var/backups/**",
  "/var/lib/**",
  "/var/db/**",
  "/var/log/auth.log*",
  "/var/log/secure*",
  "/var/log/btmp*",
  "/var/log/wtmp*",
  "/var/log/audit/**",
  "/Library/**",
  "/private/var/**",
  "/private/etc/**",
  "~/.*/**",
  "~/.*",
  "~/Library/**",
].map((path) => ({ path }));

/** Exceptions that agents read every day. */
export const NOT_PRIVATE: readonly PathRule[] = [
  "~/.bashrc",
  "~/.bash_profile",
  "~/.bash_aliases",
  "~/.profile",
  "~/.zshrc",
  "~/.zprofile",
  "~/.zshenv",
  "~/.gitconfig",
  "~/.gitignore*",
  "~/.vimrc",
  "~/.tmux.conf",
  "~/.inputrc",
  "~/.editorconfig",
  "~/.tool-versions",
  "~/.ssh/*.pub",
  "~/.ssh/known_hosts",
  "~/.config/nvim/**",
  "~/.config/fish/config.fish",
  "~/.config/git/config",
  "~/.config/starship.toml",
  "~/.cargo/registry/**",
  "~/.cargo/git/**",
  "~/.rustup/**",
  "~/.m2/repository/**",
  "~/.gradle/caches/**",
  "~/.npm/_logs/**",
  "~/.nvm/**",
  "~/.pyenv/**",
  "~/.rbenv/**",
  "~/.local/bin/**",
  "~/.local/lib/**",
  "~/.local/share/man/**",
  "~/.cache/pip/**",
  "/var/lib/dpkg/**",
  "/var/lib/apt/**",
].map((path) => ({ path }));

/** Temporary places inside system directories. */
export const NOT_SYSTEM: readonly PathRule[] = ["/dev/shm/**", "/dev/fd/**", "/dev/pts/**", "/run/user/**"].map(
  (path) => ({ path }),
);
