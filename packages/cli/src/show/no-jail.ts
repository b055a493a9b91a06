import { readFileSync, statSync } from "node:fs";
import { visible } from "@countersign/protocol/text";

/** Where jails are built with it. */
export const BUBBLEWRAP = "/usr/bin/bwrap";

/** Each with what installs bubblewrap, where it is this machine's. */
const PACKAGE_MANAGERS: readonly (readonly [program: string, command: string])[] = [
  ["/usr/bin/apt-get", "apt install bubblewrap"],
  ["/usr/bin/dnf", "dnf install bubblewrap"],
  ["/usr/bin/pacman", "pacman -S bubblewrap"],
  ["/usr/bin/zypper", "zypper install bubblewrap"],
  ["/sbin/apk", "apk add bubblewrap"],
];

/** What decides how a missing jail is fixed. */
export interface JailMachine {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  has(path: string): boolean;
  /** Of a kernel's setting; undefined where there's no such. */
  setting(name: string): string | undefined;
}

/** With what each of these says, bubblewrap can't make the namespaces that a jail consists of. */
const FORBIDDING: readonly (readonly [setting: string, value: string, wanted: string])[] = [
  ["user.max_user_namespaces", "0", "15000"],
  // Debian's kernels.
  ["kernel.unprivileged_userns_clone", "0", "1"],
  // Ubuntu's, from 23.10 on.
  ["kernel.apparmor_restrict_unprivileged_userns", "1", "0"],
];

export const thisJailMachine: JailMachine = {
  platform: process.platform,
  isRoot: process.getuid?.() === 0,
  has: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true,
  setting(name) {
    try {
      return readFileSync(`/proc/sys/${name.replaceAll(".", "/")}`, "utf8").trim();
    } catch {
      // This kernel doesn't have it, or doesn't show it here.
      return undefined;
    }
  },
};

/** What it means that a hub builds no jails, why, and what to type. */
export interface NoJail {
  readonly says: string;
  readonly remedy: string;
}

export function noJailWords(problem: string, machine: JailMachine = thisJailMachine): NoJail {
  const why = visible(problem).replace(/\.$/, "");
  return {
    says: `Approved commands run without a jail: they can do all that you can, whatever their card says (${why}).`,
    remedy: remedyFor(machine),
  };
}

function remedyFor(machine: JailMachine): string {
  const { platform, isRoot, has } = machine;
  const sudo = isRoot ? "" : "sudo ";
  if (platform !== "linux") return "run the hub on Linux: docs/jail.md";
  if (has(BUBBLEWRAP)) {
    const set = FORBIDDING.filter(([name, value]) => machine.setting(name) === value).map(
      ([name, , wanted]) => `${name}=${wanted}`,
    );
    if (set.length > 0)
      return `${sudo}sysctl -w ${set.join(" ")}, then restart the hub (docs/jail.md says how it stays)`;
    return "docs/jail.md says what a jail needs (in a container: what it must be started with); then restart the hub";
  }
  const command = PACKAGE_MANAGERS.find(([program]) => has(program))?.[1];
  if (command === undefined) return "install bubblewrap with this machine's package manager, then restart the hub";
  return `${sudo}${command}, then restart the hub`;
}
