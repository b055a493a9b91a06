/** A program that runs another one, given in its own words. `options` as in `tool.ts`; they end at the first operand. */
export interface Wrapper {
  readonly names: readonly string[];
  readonly options: string;
  /** Operands of its own before the command (`timeout 5 …`). */
  readonly operands?: number;
  /** Takes `NAME=value` words before the command. */
  readonly assignments?: true;
  /** Adds words that are only known when it runs. */
  readonly appends?: true;
  /** Runs builtins too; the others only find programs on PATH. */
  readonly builtins?: true;
  /** What the wrapper itself causes, besides what it runs. */
  readonly causes?: "privilege" | "other-programs" | "process-control";
}

export const WRAPPERS: readonly Wrapper[] = [
  { names: ["env"], options: "-i -u: -0 --ignore-environment --unset: --null", assignments: true },
  { names: ["nice"], options: "-n: --adjustment:" },
  // They leave the terminal, the process group or both: what ends the command doesn't end what they run.
  { names: ["nohup"], options: "", causes: "process-control" },
  { names: ["setsid"], options: "-w --wait", causes: "process-control" },
  {
    names: ["daemonize", "daemon", "start-stop-daemon", "systemd-inhibit"],
    options: "",
    causes: "process-control",
  },
  {
    names: ["timeout", "gtimeout"],
    options: "-f -k: -p -s: -v --foreground --kill-after: --preserve-status --signal: --verbose",
    operands: 1,
  },
  { names: ["time"], options: "-p -v --portability --verbose" },
  { names: ["stdbuf"], options: "-i: -o: -e: --input: --output: --error:" },
  { names: ["ionice"], options: "-c: -n: -t --class: --classdata: --ignore" },
  { names: ["chronic"], options: "-v -e" },
  { names: ["command"], options: "-p", builtins: true },
  { names: ["builtin"], options: "", builtins: true },
  { names: ["exec"], options: "-c -l" },
  {
    names: ["xargs"],
    options:
      "-0 -a@ -d: -E: -I: -J: -L: -n: -o -p -P: -r -s: -t -x --null --arg-file@ --delimiter: --max-lines? --max-args: --max-procs: " +
      "--no-run-if-empty --max-chars: --verbose --exit",
    appends: true,
  },
  {
    names: ["sudo"],
    options:
      "-A -b -E -g: -H -h: -k -K -n -p: -P -S -u: -C: -r: -t: -T: -U: --askpass --background --preserve-env? --group: --set-home --host: " +
      "--non-interactive --prompt: --stdin --user: --reset-timestamp",
    assignments: true,
    causes: "privilege",
  },
  { names: ["doas"], options: "-n -u: -C:", causes: "privilege" },
  { names: ["pkexec"], options: "--user: --disable-internal-agent", causes: "privilege" },
  // Their applets aren't the programs of the tables.
  { names: ["busybox", "toybox"], options: "", causes: "other-programs" },
  {
    names: ["unshare", "chroot", "nsenter", "strace", "ltrace", "watch", "flock", "entr"],
    options: "",
    causes: "other-programs",
  },
];
