import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { jailUser, runInJail, whyNoJail } from "../../test/support/small-jail.ts";
import { seccompProgram } from "./program.ts";

const noJail = whyNoJail();
const canRun = (program: string) => spawnSync("/usr/bin/test", ["-x", program], jailUser()).status === 0;

const GIT = "-c user.name=a -c user.email=a@example.com";
const NODE = `
  const { Worker } = require("node:worker_threads");
  const { execFileSync, fork } = require("node:child_process");
  const { createServer, connect } = require("node:net");
  const worker = new Worker("require('worker_threads').parentPort.postMessage('thread')", { eval: true });
  worker.once("message", (said) => {
    const server = createServer((socket) => socket.end("tcp")).listen(0, "127.0.0.1", () => {
      connect(server.address().port, "127.0.0.1").on("data", (data) => {
        console.log(said, execFileSync("echo", ["child"]).toString().trim(), data.toString());
        server.close();
      });
    });
  });`;
const PYTHON = `
import concurrent.futures, multiprocessing, subprocess, tempfile, os
with concurrent.futures.ThreadPoolExecutor() as pool: print(sum(pool.map(lambda n: n * n, range(10))))
print(subprocess.run(["echo", "child"], capture_output=True, text=True).stdout.strip())
queue = multiprocessing.Queue()
child = multiprocessing.Process(target=queue.put, args=("process",)); child.start(); print(queue.get()); child.join()
with tempfile.TemporaryDirectory() as place:
    os.mkfifo(place + "/pipe"); open(place + "/file", "w").close(); os.chmod(place + "/file", 0o755)
print("files")`;

type Row = readonly [needs: string, what: string, program: readonly string[], stdout: string];

const ROWS: readonly Row[] = [
  [
    "/bin/bash",
    "bash: pipes and jobs",
    ["bash", "-c", "set -m; sleep 0 & fg >/dev/null; seq 3 | sort -r | tac"],
    "1\n2\n3\n",
  ],
  ["/bin/bash", "bash: substitutions", ["bash", "-c", "diff <(echo a) <(echo a) && cat <<< $(echo same)"], "same\n"],
  [process.execPath, "node: threads, children, sockets", [process.execPath, "-e", NODE], "thread child tcp\n"],
  [
    "/usr/bin/python3",
    "python: threads, processes, files",
    ["/usr/bin/python3", "-c", PYTHON],
    "285\nchild\nprocess\nfiles\n",
  ],
  [
    "/usr/bin/perl",
    "perl: fork and a socket pair",
    [
      "perl",
      "-e",
      "use IO::Socket; IO::Socket->socketpair(AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die; wait if fork; print 'x'",
    ],
    "xx",
  ],
  [
    "/usr/bin/git",
    "git: a commit and what it says",
    [
      "bash",
      "-c",
      `git init -q r && cd r && echo a > a && git add a && git ${GIT} commit -qm m && git status --short && git log --format=%s && git clone -q . ../c && git gc -q`,
    ],
    "m\n",
  ],
  [
    "/usr/bin/gcc",
    "gcc: compile, link and run with threads",
    [
      "bash",
      "-c",
      `printf '%s\\n' '#include <pthread.h>' '#include <stdio.h>' 'void *f(void *x) { puts("thread"); return x; }' 'int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return pthread_join(t, 0); }' > a.c && gcc -O1 -pthread a.c && ./a.out`,
    ],
    "thread\n",
  ],
  [
    "/usr/bin/make",
    "make: jobs in parallel",
    ["bash", "-c", `printf 'all: a b\\na b:\\n\\t@echo x\\n' > Makefile && make -s -j2`],
    "x\nx\n",
  ],
  [
    "/bin/tar",
    "tar, gzip, cp, install: modes and links",
    [
      "bash",
      "-c",
      "mkdir d && echo a > d/f && ln -s f d/l && tar czf d.tgz d && mkdir e && tar xzpf d.tgz -C e && cp -a e f && install -m 755 f/d/f g && cat f/d/l",
    ],
    "a\n",
  ],
];

for (const [needs, what, program, stdout] of ROWS) {
  const skip = noJail || (!canRun(needs) && `the jail's user needs ${needs} to run this`);
  test(`under the filter works ${what}`, { skip }, async () => {
    for (const unixSockets of [true, false]) {
      const seccomp = seccompProgram(process.arch, { unixSockets });
      assert.deepEqual(await runInJail(program, { seccomp }), { status: 0, stdout, stderr: "" });
    }
  });
}

test("the jail gets no descriptor of the filter", { skip: noJail }, async () => {
  const seccomp = seccompProgram(process.arch, { unixSockets: false });
  const { stdout } = await runInJail(["bash", "-c", "readlink /proc/self/fd/*"], { seccomp });
  assert.doesNotMatch(stdout, /seccomp|deleted/);
});
