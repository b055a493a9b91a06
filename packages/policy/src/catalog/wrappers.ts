/**
 * A program that runs another one, given in its words. `options` as in `tool.ts`; they end at the first operand. The
 * value of an option marked `/` is the command's directory, of one marked `!` shell text that runs instead.
 */
export interface Wrapper {
  readonly names: readonly string[];
  readonly options: string;
  /** Options that change what runs or where it writes, with which it isn't safe. */
  readonly doubtful?: string;
  /** A lone `-` is such an option. */
  readonly dash?: true;
  /** Operands of its own before the command (`timeout 5 …`). */
  readonly operands?: number;
  /** Takes `NAME=value` words before the command. */
  readonly assignments?: true;
  /** Adds words that are only known when it runs: it runs the command once for each item that it reads. */
  readonly appends?: true;
  /** Runs builtins too; the others only find programs on PATH. */
  readonly builtins?: true;
  /** Effect of the wrapper itself, in addition to its command's. */
  readonly causes?: "privilege" | "other-programs" | "process-control";
}

export const WRAPPERS: readonly Wrapper[] = [
  {
    names: ["env"],
    options: "-0 --null",
    // The variables that they remove may restrict a program.
    doubtful:
      "-i -u: -v -C/ --ignore-environment --unset: --debug --chdir/ --block-signal? --default-signal? --ignore-signal?",
    dash: true,
    assignments: true,
  },
  { names: ["nice"], options: "-n: --adjustment:" },
  // They leave the terminal, the process group or both, so killing the command doesn't kill what they run.
  { names: ["nohup"], options: "", causes: "process-control" },
  { names: ["setsid"], options: "-w --wait", causes: "process-control" },
  {
    names: ["timeout", "gtimeout"],
    options: "-f -k: -p -s: -v --foreground --kill-after: --preserve-status --signal: --verbose",
    operands: 1,
  },
  {
    names: ["time", "gtime"],
    options: "-p -v --portability --verbose",
    doubtful: "-o: -a -f: -q --output: --append --format: --quiet",
  },
  { names: ["stdbuf"], options: "-i: -o: -e: --input: --output: --error:" },
  {
    names: ["ionice"],
    options: "-c: -n: -t --class: --classdata: --ignore",
    doubtful: "-p: -P: -u: --pid: --pgid: --uid:",
  },
  {
    names: ["flock"],
    // It creates the file that it locks.
    options: "",
    doubtful:
      "-s -x -e -u -n -w: -E: -o -F -c! -v --shared --exclusive --unlock --nonblock --timeout: --conflict-exit-code: --close --no-fork --command! --verbose",
    operands: 1,
    causes: "other-programs",
  },
  { names: ["chronic"], options: "-v -e" },
  { names: ["command"], options: "-p", builtins: true },
  { names: ["builtin"], options: "", builtins: true },
  { names: ["exec"], options: "-c -l", doubtful: "-a:" },
  {
    names: ["xargs"],
    options:
      "-0 -a@ -d: -E: -I: -J: -L: -n: -o -p -P: -r -s: -t -x --null --arg-file@ --delimiter: --max-lines? --max-args: --max-procs: " +
      "--no-run-if-empty --max-chars: --verbose --exit",
    doubtful: "-e? -i? -l? --eof? --replace? --interactive --open-tty --process-slot-var: --show-limits",
    appends: true,
  },
  {
    names: ["sudo"],
    options:
      "-A -b -E -g: -H -h: -k -K -n -p: -P -S -u: -C: -r: -t: -T: -U: --askpass --background --preserve-env? --group: --set-home --host: " +
      "--non-interactive --prompt: --stdin --user: --reset-timestamp",
    doubtful:
      "-D/ -R: -i -s -e -l -v -V -N --chdir/ --chroot: --login --shell --edit --list --validate --no-update --other-user: --command-timeout:",
    assignments: true,
    causes: "privilege",
  },
  { names: ["doas"], options: "-n -u: -C:", doubtful: "-L -s -a:", causes: "privilege" },
  { names: ["pkexec"], options: "--user: --disable-internal-agent", causes: "privilege" },
  // Their applets aren't the programs of the catalogue.
  { names: ["busybox", "toybox"], options: "", causes: "other-programs" },
];
