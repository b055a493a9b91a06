import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { runInJail, whyNoJail } from "../../test/support/small-jail.ts";
import { seccompProgram } from "./program.ts";
import type { SeccompOptions } from "./rules.ts";
import { ARCHITECTURES, type Architecture, SYSCALLS, type Syscall } from "./syscalls.ts";

const PYTHON = "/usr/bin/python3";
const PROBE = readFileSync(new URL("../../test/support/probe-syscalls.py", import.meta.url), "utf8");
const skip =
  whyNoJail() ||
  (!existsSync(PYTHON) && `install ${PYTHON} to run this`) ||
  (!Object.hasOwn(ARCHITECTURES, process.arch) && `there is no table for ${process.arch}`);

type Row = readonly [name: string, call: Syscall | "32-bit", args: readonly (number | string)[], answer: string];

const HIGH_BITS = 2 ** 32;
const AT_FDCWD = -100;
const SIGCHLD = 17;
const STREAM = 1;
const DGRAM = 2;
const BAD_POINTER = 1;

/** Each would do its work, or fail in another way, for the unprivileged user of the jail. */
const REFUSED: readonly Row[] = [
  ["io_uring_setup", "io_uring_setup", [8, BAD_POINTER], "EPERM"],
  ["io_uring_enter", "io_uring_enter", [-1, 0, 0, 0], "EPERM"],
  ["io_uring_register", "io_uring_register", [-1, 0, 0, 0], "EPERM"],
  ["the session's keyring", "keyctl", [0, -3, 1], "EPERM"],
  ["a new key", "add_key", ["user", "name", "value", 5, -2], "EPERM"],
  ["request_key", "request_key", ["user", "name", 0, 0], "EPERM"],
  ["PTRACE_TRACEME", "ptrace", [0, 0, 0, 0], "EPERM"],
  ["process_vm_readv", "process_vm_readv", [1, 0, 0, 0, 0, 1], "EPERM"],
  ["process_vm_writev", "process_vm_writev", [1, 0, 0, 0, 0, 1], "EPERM"],
  ["pidfd_getfd", "pidfd_getfd", [-1, 0, 0], "EPERM"],
  ["bpf", "bpf", [0, 0, 1000000], "EPERM"],
  ["perf_event_open", "perf_event_open", [BAD_POINTER, 0, -1, -1, 0], "EPERM"],
  ["userfaultfd for user mode", "userfaultfd", [1], "EPERM"],
  ["fanotify_init", "fanotify_init", [0x200, 0], "EPERM"],
  ["mount", "mount", ["none", "/tmp", BAD_POINTER, 0, 0], "EPERM"],
  ["umount2", "umount2", ["/tmp", 0x1000], "EPERM"],
  ["chroot", "chroot", ["/nowhere"], "EPERM"],
  ["open_tree", "open_tree", [AT_FDCWD, "/tmp", 0], "EPERM"],
  ["setns", "setns", [-1, 0], "EPERM"],
  ["a user namespace", "unshare", [0x10000000], "EPERM"],
  ["a user namespace, high bits", "unshare", [0x10000000 + HIGH_BITS], "EPERM"],
  ["a user namespace by clone", "clone", [0x10000000 | SIGCHLD, 0, 0, 0, 0], "EPERM"],
  ["a mount namespace by clone", "clone", [0x00020000 | 0x200, 0, 0, 0, 0], "EPERM"],
  ["clone3", "clone3", [BAD_POINTER, 64], "ENOSYS"],
  ["openat2", "openat2", [AT_FDCWD, "/", BAD_POINTER, 24], "ENOSYS"],
  ["settimeofday", "settimeofday", [BAD_POINTER, 0], "EPERM"],
  ["asking the clock's discipline", "adjtimex", [BAD_POINTER], "EPERM"],
  ["TIOCSTI", "ioctl", [0, 0x5412, "x"], "EPERM"],
  ["TIOCSTI, high bits", "ioctl", [0, 0x5412 + HIGH_BITS, "x"], "EPERM"],
  ["TIOCLINUX", "ioctl", [0, 0x541c, "x"], "EPERM"],
  ["TIOCSETD", "ioctl", [0, 0x5423, "x"], "EPERM"],
  ["READ_IMPLIES_EXEC", "personality", [0x0400000], "EPERM"],
  ["AF_VSOCK", "socket", [40, STREAM, 0], "EAFNOSUPPORT"],
  ["AF_PACKET", "socket", [17, DGRAM, 0], "EAFNOSUPPORT"],
  ["AF_PACKET, high bits", "socket", [17 + HIGH_BITS, DGRAM, 0], "EAFNOSUPPORT"],
  ["netlink to udev", "socket", [16, 3, 15], "EAFNOSUPPORT"],
  ["a set-user-ID bit", "fchmodat", [AT_FDCWD, "/tmp", 0o4755], "EPERM"],
  ["a set-group-ID bit", "fchmod", [-1, 0o2755], "EPERM"],
  ["a set-user-ID bit without following", "fchmodat2", [AT_FDCWD, "/tmp", 0o4755, 0x100], "EPERM"],
  ["a file made set-user-ID", "openat", [AT_FDCWD, "/tmp/a", 0x41, 0o4755], "EPERM"],
  ["a nameless file made set-user-ID", "openat", [AT_FDCWD, "/tmp", 0x400000 | 0x10000 | 1, 0o4755], "EPERM"],
  ["a node made set-user-ID", "mknodat", [AT_FDCWD, "/tmp/b", 0o104755, 0], "EPERM"],
];

const REFUSED_ON_X64: readonly Row[] = [
  ["a call of a 32-bit program", "32-bit", [], "SIGSYS"],
  ["chmod", "chmod", ["/tmp", 0o4755], "EPERM"],
  ["open", "open", ["/tmp/c", 0x41, 0o4755], "EPERM"],
  ["creat", "creat", ["/tmp/d", 0o4755], "EPERM"],
  ["mknod", "mknod", ["/tmp/e", 0o104755, 0], "EPERM"],
  ["modify_ldt", "modify_ldt", [0, 0, 0], "EPERM"],
];

/** What a kernel's settings or lack of a driver may answer in the same way. */
const KERNEL_MAY_REFUSE = new Set<string>(
  "io_uring_setup io_uring_enter io_uring_register perf_event_open userfaultfd fanotify_init socket".split(" "),
);

const ALLOWED: readonly Row[] = [
  ["unshare of descriptors", "unshare", [0x400], "ok"],
  ["clone as fork", "clone", [SIGCHLD, 0, 0, 0, 0], "ok"],
  ["PER_LINUX", "personality", [0], "ok"],
  ["ADDR_NO_RANDOMIZE", "personality", [0x0040000], "ok"],
  ["asking for the personality", "personality", [0xffffffff], "ok"],
  ["AF_UNIX", "socket", [1, STREAM, 0], "ok"],
  ["AF_INET", "socket", [2, STREAM, 0], "ok"],
  ["AF_INET6", "socket", [10, DGRAM, 0], "ok"],
  ["netlink for routes", "socket", [16, 3, 0], "ok"],
  ["a pair of sockets", "socketpair", [1, DGRAM, 0, "12345678"], "ok"],
  ["an ordinary mode", "fchmodat", [AT_FDCWD, "/tmp", 0o1777], "ok"],
  ["an ordinary file", "openat", [AT_FDCWD, "/tmp/f", 0x41, 0o755], "ok"],
  ["what looks like a mode where no file is made", "openat", [AT_FDCWD, "/tmp", 0, 0o4755], "ok"],
];

const NO_UNIX_SOCKETS: readonly Row[] = [
  ["AF_UNIX", "socket", [1, STREAM, 0], "EPERM"],
  ["AF_UNIX, not inherited", "socket", [1, STREAM | 0o2000000, 0], "EPERM"],
  ["AF_INET", "socket", [2, STREAM, 0], "ok"],
  ["a pair of streams", "socketpair", [1, STREAM | 0o2000000, 0, "12345678"], "ok"],
  ["a pair of message streams", "socketpair", [1, 5, 0, "12345678"], "ok"],
  ["a pair that could send to a path", "socketpair", [1, DGRAM, 0, "12345678"], "EPERM"],
  ["the same by its old name", "socketpair", [1, 3, 0, "12345678"], "EPERM"],
];

const rowsHere = process.arch === "x64" ? [...REFUSED, ...REFUSED_ON_X64] : REFUSED;

async function probe(rows: readonly Row[], options?: SeccompOptions): Promise<Record<string, string>> {
  const arch = process.arch as Architecture;
  const calls = rows.map(([name, call, args]) => [name, call === "32-bit" ? call : SYSCALLS[call][arch], args]);
  const seccomp = options && seccompProgram(arch, options);
  const run = await runInJail([PYTHON, "-I", "-c", PROBE, JSON.stringify(calls)], { seccomp });
  assert.equal(run.status, 0, run.stderr);
  return JSON.parse(run.stdout);
}

const expected = (rows: readonly Row[]) => Object.fromEntries(rows.map(([name, , , answer]) => [name, answer]));

test("the kernel refuses what the rules refuse", { skip }, async () => {
  for (const unixSockets of [true, false]) {
    assert.deepEqual(await probe(rowsHere, { unixSockets }), expected(rowsHere));
  }
});

test("without the filter none of these is answered like that: it is the filter that refuses", { skip }, async () => {
  const rows = rowsHere.filter(([, call]) => !KERNEL_MAY_REFUSE.has(call));
  const answers = await probe(rows);
  assert.deepEqual(
    rows.filter(([name, , , answer]) => answers[name] === answer).map(([name]) => name),
    [],
  );
});

test("what ordinary programs call is allowed", { skip }, async () => {
  assert.deepEqual(await probe(ALLOWED, { unixSockets: true }), expected(ALLOWED));
});

test("without unix sockets a pair is still a pipe, and nothing that reaches a path", { skip }, async () => {
  assert.deepEqual(await probe(NO_UNIX_SOCKETS, { unixSockets: false }), expected(NO_UNIX_SOCKETS));
});

test("nobody types for the user, also not on a terminal of their own", { skip }, async () => {
  const script = `
import fcntl, os, pty, termios
pid, fd = pty.fork()
if pid == 0:
    try: fcntl.ioctl(0, termios.TIOCSTI, b"x")
    except OSError as error: print(error.strerror, flush=True)
    os._exit(0)
print(os.read(fd, 100).decode().strip())`;
  const seccomp = seccompProgram(process.arch, { unixSockets: true });
  const run = await runInJail([PYTHON, "-I", "-c", script], { seccomp });
  assert.deepEqual(run, { status: 0, stdout: "Operation not permitted\n", stderr: "" });
});
