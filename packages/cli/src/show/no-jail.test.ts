import assert from "node:assert/strict";
import { test } from "node:test";
import { type JailMachine, noJailWords } from "./no-jail.ts";

const machine = (...paths: string[]): JailMachine => ({
  platform: "linux",
  isRoot: false,
  has: (path) => paths.includes(path),
  setting: () => undefined,
});

const withSettings = (settings: Readonly<Record<string, string>>): JailMachine => ({
  ...machine("/usr/bin/apt-get", "/usr/bin/bwrap"),
  setting: (name) => settings[name],
});

test("noJailWords names the command of the machine's own package manager", () => {
  const rows: [JailMachine, string][] = [
    [machine("/usr/bin/apt-get"), "sudo apt install bubblewrap, then restart the hub"],
    [machine("/usr/bin/dnf"), "sudo dnf install bubblewrap, then restart the hub"],
    [machine("/usr/bin/pacman"), "sudo pacman -S bubblewrap, then restart the hub"],
    [machine("/usr/bin/zypper"), "sudo zypper install bubblewrap, then restart the hub"],
    [machine("/sbin/apk"), "sudo apk add bubblewrap, then restart the hub"],
    [{ ...machine("/usr/bin/dnf"), isRoot: true }, "dnf install bubblewrap, then restart the hub"],
    [machine(), "install bubblewrap with this machine's package manager, then restart the hub"],
    [
      machine("/usr/bin/apt-get", "/usr/bin/bwrap"),
      "docs/jail.md says what a jail needs (in a container: what it must be started with); then restart the hub",
    ],
    [
      withSettings({ "user.max_user_namespaces": "0", "kernel.unprivileged_userns_clone": "0" }),
      "sudo sysctl -w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1, then restart the hub (docs/jail.md says how it stays)",
    ],
    [
      withSettings({ "kernel.apparmor_restrict_unprivileged_userns": "1", "user.max_user_namespaces": "9000" }),
      "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, then restart the hub (docs/jail.md says how it stays)",
    ],
    [
      { ...withSettings({ "user.max_user_namespaces": "0" }), isRoot: true },
      "sysctl -w user.max_user_namespaces=15000, then restart the hub (docs/jail.md says how it stays)",
    ],
    [{ ...machine("/usr/bin/apt-get"), platform: "darwin" }, "run the hub on Linux: docs/jail.md"],
  ];
  for (const [on, remedy] of rows) assert.equal(noJailWords("x", on).remedy, remedy);
});

test("noJailWords says what it means, and shows nothing that could pose as something else", () => {
  const { says } = noJailWords("/usr/bin/bwrap can't be used: \x1b[2J.", machine());
  assert.match(says, /^Approved commands run without a jail: they can do all that you can, whatever their card says/);
  assert.ok(!says.includes("\x1b"));
});
