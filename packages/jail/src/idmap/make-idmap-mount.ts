import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, statSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { endOf, JailError } from "../base/index.ts";
import type { IdmapReply, IdmapRequest } from "./idmap-request.ts";
import { rootProgram } from "./root-program.ts";

const MAKER = fileURLToPath(new URL("./idmap-helper.ts", import.meta.url));
const TIMEOUT_MS = 20_000;
const MAX_COMPLAINT = 2_000;

/** A descriptor of the namespace's mount namespace, which lives as long as it. Rejects with JailError. */
export function makeIdmapMount(request: IdmapRequest, signal: AbortSignal): Promise<number> {
  return inIdmapHelper(request, signal, (pid) => openNamespace(pid, "mnt"));
}

/** What `open` opens of the maker once it has made the namespace. The maker has ended when this settles. Rejects with JailError. */
export async function inIdmapHelper<T>(
  request: IdmapRequest,
  signal: AbortSignal,
  open: (makerPid: number) => T,
): Promise<T> {
  const maker = startMaker(request);
  const ended = endOf(maker);
  const kill = () => maker.kill("SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  try {
    const reply = await ask(maker, request);
    if (!reply.ok) throw new JailError(reply.code, reply.message);
    // The maker is our child and not reaped yet: its number can't be another's.
    return open(maker.pid as number);
  } catch (cause) {
    if (cause instanceof JailError) throw cause;
    throw new JailError("ROOM_FAILED", `The mount room could not be made: ${cause}`, { cause });
  } finally {
    kill();
    await ended;
  }
}

function startMaker({ user }: IdmapRequest): ChildProcessWithoutNullStreams {
  // An ordinary user may mount in a user namespace of its own only.
  const alone = user ? [] : ["--user", "--map-current-user", "--keep-caps"];
  // Slave: what the host mounts and unmounts later reaches the namespace, and nothing of the namespace reaches the host.
  const args = [...alone, "--mount", "--propagation", "slave", "--", process.execPath, MAKER];
  return spawn(rootProgram("/usr/bin/unshare"), args, {
    // No NODE_OPTIONS or LD_PRELOAD of the hub's.
    env: {},
    cwd: "/",
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
}

async function ask(maker: ChildProcessWithoutNullStreams, request: IdmapRequest): Promise<IdmapReply> {
  let complaint = "";
  maker.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, MAX_COMPLAINT);
  });
  maker.stdin.on("error", () => {
    // EPIPE: it ended, which is told by the end of its output.
  });
  maker.stdin.write(`${JSON.stringify(request)}\n`);
  for await (const line of createInterface({ input: maker.stdout })) return JSON.parse(line) as IdmapReply;
  throw new Error(complaint.trim() || "its maker ended");
}

/** libuv opens with O_CLOEXEC. */
export function openNamespace(pid: number, name: "mnt" | "user"): number {
  const fd = openSync(`/proc/${pid}/ns/${name}`, "r");
  if (fstatSync(fd).ino !== statSync(`/proc/self/ns/${name}`).ino) return fd;
  closeSync(fd);
  throw new Error("it is the hub's own namespace");
}

/** All of them, or none is left open. */
export function openAll(openers: readonly (() => number)[]): number[] {
  const opened: number[] = [];
  try {
    for (const open of openers) opened.push(open());
    return opened;
  } catch (cause) {
    for (const fd of opened) closeSync(fd);
    throw cause;
  }
}
