import { statSync } from "node:fs";
import { visible } from "@countersign/sdk";

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
}

export const thisJailMachine: JailMachine = {
  platform: process.platform,
  isRoot: process.getuid?.() === 0,
  has: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true,
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

function remedyFor({ platform, isRoot, has }: JailMachine): string {
  if (platform !== "linux") return "run the hub on Linux: docs/jail.md";
  if (has(BUBBLEWRAP)) return "docs/jail.md says what a jail needs; then restart the hub";
  const command = PACKAGE_MANAGERS.find(([program]) => has(program))?.[1];
  if (command === undefined) return "install bubblewrap with this machine's package manager, then restart the hub";
  return `${isRoot ? "" : "sudo "}${command}, then restart the hub`;
}
