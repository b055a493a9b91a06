import type { ProcessEnd } from "./process-starter.ts";

/** The code that Go tells: what a signal ended has none, which is -1. */
export function goExitCode(end: ProcessEnd): number {
  return "signal" in end ? -1 : end.exitCode;
}

/** An end that isn't 0, in Go's words. */
export function goEndWords(end: ProcessEnd): string {
  return "signal" in end ? `signal: ${SIGNAL_WORDS[end.signal] ?? end.signal}` : `exit status ${end.exitCode}`;
}

const SIGNAL_WORDS: Partial<Record<NodeJS.Signals, string>> = {
  SIGABRT: "aborted",
  SIGALRM: "alarm clock",
  SIGBUS: "bus error",
  SIGFPE: "floating point exception",
  SIGHUP: "hangup",
  SIGILL: "illegal instruction",
  SIGINT: "interrupt",
  SIGKILL: "killed",
  SIGPIPE: "broken pipe",
  SIGQUIT: "quit",
  SIGSEGV: "segmentation fault",
  SIGTERM: "terminated",
  SIGTRAP: "trace/breakpoint trap",
  SIGUSR1: "user defined signal 1",
  SIGUSR2: "user defined signal 2",
};

/** A duration as Go prints it: 500ms, 1.5s, 2m0s. */
export function goDuration(ms: number): string {
  if (ms === 0) return "0s";
  if (ms < 1_000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1_000;
  return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${seconds}s`;
}

/** What the machine said, as Go says it: `open /x: no such file or directory`. */
export function goErrno(cause: unknown, path?: string): string {
  const { code, syscall, path: at } = cause as NodeJS.ErrnoException;
  const words = code === undefined ? undefined : ERRNO_WORDS[code];
  if (words === undefined) return cause instanceof Error ? cause.message : String(cause);
  const where = path ?? at;
  if (syscall?.startsWith("spawn")) return `fork/exec ${where ?? "bash"}: ${words}`;
  return where === undefined ? words : `${syscall ?? "open"} ${where}: ${words}`;
}

const ERRNO_WORDS: Record<string, string> = {
  EACCES: "permission denied",
  EBUSY: "device or resource busy",
  EEXIST: "file exists",
  EISDIR: "is a directory",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "file name too long",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on device",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EPERM: "operation not permitted",
  EROFS: "read-only file system",
  ETXTBSY: "text file busy",
  EXDEV: "invalid cross-device link",
};
