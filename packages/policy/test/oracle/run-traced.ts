import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { jailArguments } from "../jail/jail.ts";
import { makeFakeData } from "./fake-data.ts";

const HOME = "/home/me";
const WORKSPACE = "/home/me/project";
/** Commands for one jail: starting one costs more than a short command. */
const BATCH = 40;

/** Everything that starts a program, opens a file, changes one, or talks to someone. */
const WATCHED =
  "execve,execveat,open,openat,openat2,creat,connect,sendto,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,chmod,fchmodat," +
  "chown,lchown,fchownat,truncate,ftruncate,link,linkat,symlink,symlinkat,mknod,mknodat,utimensat,setxattr,kill,tkill,tgkill";

/** Runs each file of /commands in turn, its trace beside it. What waits for ever is ended. */
const DRIVER = `cd ${WORKSPACE}
for file in /commands/*; do
  IFS= read -r -d '' command < "$file"
  timeout -s KILL 3 strace -f -qq -s 4096 -e trace=${WATCHED} -o "/traces/\${file##*/}" bash --noprofile --norc -c "$command" < /dev/null > /dev/null 2>&1
done
exit 0`;

/** Runs commands in jails, two at a time, and gives each one's trace. */
export async function runTraced(commands: readonly string[]): Promise<string[]> {
  const traces = new Array<string>(commands.length).fill("");
  const starts = Array.from({ length: Math.ceil(commands.length / BATCH) }, (_, index) => index * BATCH);
  const worker = async () => {
    for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
      const found = await runBatch(commands.slice(start, start + BATCH));
      for (const [index, trace] of found.entries()) traces[start + index] = trace;
    }
  };
  await Promise.all([worker(), worker()]);
  return traces;
}

async function runBatch(commands: readonly string[]): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "countersign-oracle-"));
  try {
    const { workspace, home } = makeFakeData(directory);
    const [given, traces] = ["commands", "traces"].map((name) => join(directory, name)) as [string, string];
    mkdirSync(given);
    mkdirSync(traces, { mode: 0o777 });
    for (const [index, command] of commands.entries()) writeFileSync(join(given, String(index)), `${command}\0`);
    const binds = ["--bind", home, HOME, "--bind", workspace, WORKSPACE, "--ro-bind", given, "/commands"];
    const environment = { HOME, PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C.UTF-8", TERM: "dumb", ...GUARD };
    const set = Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]);
    const words = [...jailArguments(), ...binds, "--bind", traces, "/traces", ...set, "bash", "-c", DRIVER];
    await promisify(execFile)("bwrap", words, { maxBuffer: 1 << 20 });
    return commands.map((_, index) => {
      const file = join(traces, String(index));
      return existsSync(file) ? readFileSync(file, "utf8") : "";
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** As the runner's guard: looking at a repository doesn't refresh its index. */
const GUARD = { GIT_OPTIONAL_LOCKS: "0" };
