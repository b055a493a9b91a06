import { spawn } from "node:child_process";
import { once } from "node:events";
import { enterNamespaces } from "../../src/idmap/enter-namespaces.ts";
import type { JailNetwork } from "../../src/network/jail-networks.ts";

export const BWRAP = "/usr/bin/bwrap";
/** As a root hub does it, or an ordinary user's. */
const droppedUser = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;
const jail = [
  ...["--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc", "--die-with-parent", "--cap-drop", "ALL"],
  ...["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/"],
];

/** Runs bash in a jail in this network, and gives back what it printed. */
export async function inside(
  network: JailNetwork,
  script: string,
  heard: () => void = () => undefined,
): Promise<string> {
  const into = enterNamespaces(network.namespaces, droppedUser);
  const [file = "", ...args] = [...into, BWRAP, ...jail, "bash", "--norc", "-c", script];
  const child = spawn(file, args, {
    env: { ...network.env, PATH: "/usr/bin:/bin", NODE: process.execPath },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
      heard();
    });
  await once(child, "close");
  return output.trim().replaceAll(/^bash: (line 1: )?/gm, "");
}

/** Says something to the network's proxy and prints the last line of its answer. */
export function ask(request: string): string {
  return `exec 3<>/dev/tcp/127.0.0.1/3128; printf '${request}\\r\\n\\r\\n' >&3; tail -n 1 <&3`;
}
