import { spawnSync } from "node:child_process";
import { lstatSync, readlinkSync } from "node:fs";

/** What of the machine is seen inside, read-only. Nothing of `/etc` that could be a secret, no home, no `/var` but lists. */
const SEEN = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt"];
const SEEN_SETTINGS = [
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/localtime",
  "/etc/magic",
  "/etc/debian_version",
  "/etc/dpkg",
  "/var/lib/dpkg",
];

/**
 * Arguments of bubblewrap: no network, no other processes, another user, nothing of the machine that can be written. What
 * a test binds in comes after them.
 */
export function jailArguments(): string[] {
  const seen = [...SEEN, ...SEEN_SETTINGS].flatMap((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    return stat.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
  });
  return [
    ...["--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000", "--hostname", "fake"],
    ...["--cap-drop", "ALL", "--die-with-parent", "--new-session", "--clearenv"],
    ...seen,
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run"],
  ];
}

/** Why nothing can be run in a jail here, or undefined. A test that needs one skips with this as its reason. */
export function whyNoJail({ strace }: { strace: boolean }): string | undefined {
  const inside = strace ? ["strace", "-f", "-qq", "-o", "/dev/null", "true"] : ["true"];
  const run = spawnSync("bwrap", [...jailArguments(), "--setenv", "PATH", "/usr/bin:/bin", ...inside], {
    encoding: "utf8",
  });
  if (run.error !== undefined) return `bubblewrap isn't installed: ${run.error.message}`;
  if (run.status === 0) return undefined;
  return `${strace ? "bubblewrap with strace" : "bubblewrap"} doesn't work here: ${run.stderr.trim()}`;
}
