import { spawnSync } from "node:child_process";

/** The proxy's. */
export const PROXY_USER = 54_360;

/** Why there can be none here; undefined: there can. */
export function whyNoNamespace(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root, for users and a network of its own";
  for (const tool of ["unshare", "setpriv", "nft", "ip"]) {
    if (spawnSync("which", [tool]).status !== 0)
      return `install ${tool} (apt-get install nftables iproute2 util-linux)`;
  }
  const [program = "", ...args] = inNamespace(["ip", "link", "add", "net0", "type", "veth", "peer", "name", "net1"]);
  return spawnSync(program, args).status === 0 ? undefined : "no network and processes of one's own can be had here";
}

/** With a network and processes of its own, as the proxy's user, who may become others and set rules. */
export function inNamespace(command: readonly string[]): string[] {
  return alone(asProxy(command));
}

/** With a network and processes of its own. */
export function alone(command: readonly string[]): string[] {
  return ["unshare", "--net", "--pid", "--fork", "--mount-proc", "--kill-child", ...command];
}

const RIGHTS = "+setuid,+setgid,+net_admin,+kill,+chown,+dac_override";

function asProxy(command: readonly string[]): string[] {
  return as(PROXY_USER, RIGHTS, command);
}

export function as(uid: number, rights: string, command: readonly string[]): string[] {
  return [
    ...["setpriv", "--reuid", `${uid}`, "--regid", `${uid}`, "--clear-groups"],
    ...["--inh-caps", rights, "--ambient-caps", rights, "--", ...command],
  ];
}
