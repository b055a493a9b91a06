import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { closeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { ProgramFile } from "../../src/seccomp/program-file.ts";

const BWRAP = "/usr/bin/bwrap";
const TIMEOUT_MS = 30_000;
const NOBODY = { uid: 65534, gid: 65534 };
const MOUNTS = ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/tmp"];
const UNSHARED = ["--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-net", "--unshare-ipc"];
const NO_WAY_OUT = ["--new-session", "--die-with-parent", "--cap-drop", "ALL"];
const ENV = ["--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/tmp", "--setenv", "LC_ALL", "C"];

/** Whoever runs the tests; root becomes nobody, as a hub of root does. */
export function jailUser(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? NOBODY : {};
}

/** Why nothing can be run in a jail here, or false: for a test's `skip`. */
export function whyNoJail(): string | false {
  const run = spawnSync(BWRAP, [...UNSHARED, ...NO_WAY_OUT, ...MOUNTS, "true"], { encoding: "utf8", ...jailUser() });
  if (run.error !== undefined) return `install bubblewrap (${run.error.message})`;
  return run.status === 0 ? false : `bubblewrap doesn't work here: ${run.stderr.trim()}`;
}

export interface JailedRun {
  readonly seccomp?: Buffer | undefined;
  /** More arguments of bwrap. */
  readonly bwrap?: readonly string[];
  /** What starts bwrap, as whoever runs the tests: it has to become the jail's user by itself. */
  readonly prefix?: readonly string[];
}

export interface JailedEnd {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program with the jail's isolation, which sees the machine read-only. It is killed when the time is over. */
export async function runInJail(program: readonly string[], run: JailedRun = {}): Promise<JailedEnd> {
  const file = run.seccomp && new ProgramFile(run.seccomp);
  const fd = file?.open();
  const seccomp = fd === undefined ? [] : ["--seccomp", "3"];
  const words = [
    BWRAP,
    ...UNSHARED,
    ...NO_WAY_OUT,
    ...MOUNTS,
    ...ENV,
    ...seccomp,
    ...(run.bwrap ?? []),
    "--",
    ...program,
  ];
  const [name = BWRAP, ...args] = [...(run.prefix ?? []), ...words];
  const options: SpawnOptions = {
    ...(run.prefix ? {} : jailUser()),
    stdio: ["ignore", "pipe", "pipe", fd ?? "ignore"],
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
  };
  try {
    const child = spawn(name, args, options);
    const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
    if (!child.stdout || !child.stderr) throw new Error("the child has no output");
    const [status, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { status, stdout, stderr };
  } finally {
    if (fd !== undefined) closeSync(fd);
    file?.close();
  }
}
