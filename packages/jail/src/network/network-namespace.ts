import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { Server } from "node:net";
import type { Clock } from "@countersign/core/base";
import { JailError } from "../base/index.ts";
import { PROXY_PORT } from "./proxy-env.ts";

/** A network namespace with nothing in it but a loopback, and the hub's own ear on that loopback. */
export interface NetworkNamespace {
  readonly namespaces: { readonly net: string; readonly user?: string };
  /** Accepts, in this process, what connects to the proxy's port in there. */
  readonly server: Server;
  /** The process that made it has ended. */
  readonly holderEnded: Promise<unknown>;
  /** The kernel removes the namespace when the last process in it has ended. */
  release(): void;
}

export interface NamespaceOptions {
  /** bubblewrap's absolute path. */
  readonly bwrap: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/**
 * Runs inside: a socket belongs to the namespace in which it was made, whoever has it afterwards. Given as text, since a
 * file of TypeScript takes twice as long to start. It ends with the channel, so with the hub at the latest.
 */
const HOLDER = `
  const server = net.createServer();
  server.listen(${PROXY_PORT}, "127.0.0.1", 511, () => process.send(process.pid, server));
  process.on("disconnect", () => process.exit());
`;

const STDERR_KEPT = 2_000;

/** Throws JailError. bubblewrap makes the namespace and brings its loopback up; the holder ends once all is handed over. */
export async function makeNetworkNamespace({ bwrap, clock, timeoutMs }: NamespaceOptions): Promise<NetworkNamespace> {
  try {
    const holder = spawn(bwrap, [...bwrapArguments(), "--", process.execPath, "-e", HOLDER], {
      cwd: "/",
      env: {},
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    return await handOver(holder, { clock, timeoutMs });
  } catch (cause) {
    const why = (cause as Error).message;
    throw new JailError("NETWORK_UNAVAILABLE", `A private network can't be made here: ${why}`, { cause });
  }
}

function handOver(
  holder: ChildProcess,
  { clock, timeoutMs }: Omit<NamespaceOptions, "bwrap">,
): Promise<NetworkNamespace> {
  let complaint = "";
  holder.stderr?.on("data", (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(0, STDERR_KEPT);
  });
  return new Promise((resolve, reject) => {
    let over = false;
    const fail = (cause: Error) => {
      over = true;
      deadline.cancel();
      holder.kill("SIGKILL");
      reject(cause);
    };
    const deadline = clock.after(timeoutMs, () => fail(new Error("it took too long (limit: holderMs)")));
    holder.on("error", fail);
    holder.once("close", (code, signal) =>
      fail(new Error(complaint.trim() || `its holder ended with ${signal ?? code}`)),
    );
    holder.once("message", (pid, server) => {
      try {
        assert(Number.isSafeInteger(pid) && server instanceof Server, "its holder sent something else");
        if (over) server.close();
        else resolve(takeOver(pid as unknown as number, server, holder));
        deadline.cancel();
      } catch (cause) {
        fail(cause as Error);
      }
    });
  });
}

/**
 * A root hub's namespace belongs to root, and nobody in a jail has any right over it. Anyone else needs a user namespace
 * for it, and enters both. No `--dev` and no `--disable-userns` here: with them bubblewrap puts the holder into a second
 * user namespace, which doesn't own the network.
 */
function bwrapArguments(): string[] {
  const rights = isRoot() ? ["--cap-drop", "ALL"] : ["--unshare-user"];
  return [...rights, "--unshare-net", "--die-with-parent", "--ro-bind", "/", "/"];
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function takeOver(pid: number, server: Server, holder: ChildProcess): NetworkNamespace {
  // Not "close": Node never tells it of a child whose channel was closed from here.
  const holderEnded = new Promise((resolve) => holder.once("exit", resolve));
  const opened: number[] = [];
  const open = (kind: "net" | "user"): string => {
    // Node opens with O_CLOEXEC: no child gets it.
    const fd = openSync(`/proc/${pid}/ns/${kind}`, "r");
    opened.push(fd);
    return `/proc/${process.pid}/fd/${fd}`;
  };
  const release = () => {
    server.close();
    for (const fd of opened.splice(0)) closeSync(fd);
  };
  try {
    const namespaces = isRoot() ? { net: open("net") } : { net: open("net"), user: open("user") };
    server.unref();
    holder.disconnect();
    return { namespaces, server, holderEnded, release };
  } catch (cause) {
    release();
    throw cause;
  }
}
