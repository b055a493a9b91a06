/**
 * A program that runs a command contained in its words, and is never safe itself. Often only the program knows where
 * that command begins, so it is only searched for harm and shown to deny entries.
 */
export interface Carrier {
  readonly names: readonly string[];
  /** Only with these words (`compose exec`). */
  readonly sub?: string;
  /** Options whose value is shell text. */
  readonly texts?: readonly string[];
  /** Number of its own operands, after which the rest is joined to shell text. */
  readonly joins?: number;
  /** Options that take a value, for counting operands. */
  readonly valued?: string;
  /** Every operand is shell text. */
  readonly each?: true;
  /** Runs it on another machine or in a container, where this machine's paths and floor don't apply. */
  readonly where?: "host" | "container";
  /** Runs it once for each item that is found or read. */
  readonly sweeps?: true;
}

const names = (list: string): readonly string[] => list.split(/\s+/);

export const CARRIERS: readonly Carrier[] = [
  { names: ["ssh", "autossh"], joins: 1, valued: "BbcDEeFIiJLlmOoPpQRSWw", where: "host" },
  { names: ["mosh"], where: "host" },
  { names: ["sshpass"], where: "host" },
  ...["exec", "run", "create", "container exec", "container run", "compose exec", "compose run"].map(
    (sub): Carrier => ({ names: ["docker", "podman", "nerdctl"], sub, where: "container" }),
  ),
  ...["exec", "run"].map(
    (sub): Carrier => ({
      names: ["docker-compose", "podman-compose", "lxc", "toolbox", "distrobox"],
      sub,
      where: "container",
    }),
  ),
  ...["exec", "run", "debug"].map((sub): Carrier => ({ names: ["kubectl", "oc", "k"], sub, where: "container" })),
  { names: ["distrobox-enter", "machinectl", "systemd-nspawn"], where: "container" },
  { names: ["vagrant", "multipass"], sub: "ssh", texts: ["-c", "--command"], where: "host" },
  { names: ["multipass"], sub: "exec", where: "host" },
  { names: ["gcloud"], sub: "ssh", texts: ["--command"], where: "host" },
  { names: ["fly", "flyctl", "heroku"], sub: "ssh", texts: ["-C", "--command"], where: "host" },
  { names: ["heroku"], sub: "run", where: "host" },
  { names: ["git"], sub: "rebase", texts: ["-x", "--exec"] },
  { names: ["git"], sub: "bisect run" },
  { names: ["git"], sub: "submodule foreach", joins: 0 },
  {
    names: ["git"],
    sub: "filter-branch",
    texts: names(
      "--env-filter --tree-filter --index-filter --msg-filter --parent-filter --commit-filter --tag-name-filter --setup",
    ),
  },
  { names: ["git"], sub: "difftool", texts: ["-x", "--extcmd"] },
  { names: ["npx", "bunx", "pnpx", "uvx", "pipx"], texts: ["-c", "--call", "--shell-mode"] },
  { names: ["npm"], sub: "exec", texts: ["-c", "--call"] },
  { names: ["npm"], sub: "x", texts: ["-c", "--call"] },
  { names: ["pnpm", "yarn"], sub: "exec" },
  { names: ["pnpm", "yarn"], sub: "dlx" },
  { names: ["yarn"], sub: "exec", joins: 0 },
  {
    names: names("poetry uv pipenv rye hatch pdm conda mamba micromamba devbox dotenvx doppler op infisical"),
    sub: "run",
  },
  { names: names("bundle mise asdf direnv aws-vault chamber rbenv pyenv nodenv"), sub: "exec" },
  { names: ["nix-shell"], texts: ["--run", "--command"] },
  { names: ["nix"], sub: "develop", texts: ["-c", "--command"] },
  { names: ["nix"], sub: "shell", texts: ["-c", "--command"] },
  { names: ["nix"], sub: "run" },
  { names: ["su", "runuser", "sg", "newgrp"], texts: ["-c", "--command", "--session-command"] },
  { names: ["sg"], joins: 1 },
  { names: ["script"], texts: ["-c", "--command"] },
  { names: ["watch"], joins: 0, valued: "nq" },
  { names: ["parallel", "sem", "rush"], joins: 0, valued: "jPnNLIaSs", sweeps: true },
  { names: ["hyperfine"], each: true, texts: ["-p", "--prepare", "-c", "--cleanup", "-s", "--setup"] },
  { names: ["tmux"], sub: "new-session", each: true },
  { names: ["tmux"], sub: "new", each: true },
  { names: ["tmux"], sub: "new-window", each: true },
  { names: ["tmux"], sub: "neww", each: true },
  { names: ["tmux"], sub: "split-window", each: true },
  { names: ["tmux"], sub: "send-keys", each: true },
  { names: ["tmux"], sub: "send", each: true },
  { names: ["tmux"], sub: "run-shell", each: true },
  {
    names: ["concurrently", "npm-run-all", "onchange", "chokidar", "nodemon"],
    each: true,
    texts: ["-c", "--command", "-x", "--exec"],
  },
  { names: ["entr"], sweeps: true },
  { names: ["fd", "fdfind"], texts: ["--exec", "--exec-batch"], sweeps: true },
  { names: names("expect"), texts: ["-c"] },
  {
    names: names(
      `screen strace ltrace valgrind perf gdb lldb rr heaptrack unshare chroot nsenter bwrap firejail proot fakeroot fakechroot
      taskset chrt prlimit numactl setarch linux32 linux64 i386 x86_64 cgexec systemd-run systemd-inhibit caffeinate unbuffer rlwrap
      torsocks torify proxychains proxychains4 tsocks faketime xvfb-run dbus-run-session dbus-launch gosu su-exec setpriv dumb-init tini
      eatmydata catchsegv cpulimit trickle dotenv cross-env env-cmd watchexec reflex ifne pee mispipe sponge vipe ts retry
      daemonize daemon start-stop-daemon setuidgid envdir softlimit chpst s6-setuidgid with-contenv`,
    ),
  },
];
