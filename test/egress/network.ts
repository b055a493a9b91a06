import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const PEER = fileURLToPath(new URL("./peer-child.ts", import.meta.url));

/** Why there can be no networks here; undefined: there can. */
export function whyNoNetwork(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root can lay cables between namespaces";
  for (const tool of ["ip", "nft", "nsenter"])
    if (spawnSync("which", [tool]).status !== 0)
      return `install ${tool} (apt-get install nftables iproute2 util-linux)`;
  const script = `unshare --net sh -c 'nft add table inet t && nft add chain inet t c "{ type filter hook output priority 0 ; }" &&
    nft add rule inet t c ct mark set 1 log group 7 && test -e /proc/sys/net/netfilter/nf_conntrack_acct'`;
  const { status, stderr } = spawnSync("sh", ["-c", script], { encoding: "utf8" });
  return status === 0 ? undefined : `no conntrack with nftables can be had here: ${stderr.trim().split("\n")[0]}`;
}

type Cleaner = { after(fn: () => unknown): void };
export type Room = "host" | "world" | "box1" | "box2";

/** Flows are forgotten soon, so that nobody has to wait for their ends. */
const SETTINGS = [
  ...["ipv4/ip_forward 1", "ipv6/conf/all/forwarding 1"],
  ...[
    "udp_timeout",
    "udp_timeout_stream",
    "icmp_timeout",
    "icmpv6_timeout",
    "tcp_timeout_time_wait",
    "tcp_timeout_close",
  ]
    .concat(["tcp_timeout_last_ack", "tcp_timeout_fin_wait", "tcp_timeout_close_wait"])
    .map((name) => `netfilter/nf_conntrack_${name} 1`),
  "netfilter/nf_conntrack_tcp_timeout_syn_sent 2",
];

/**
 * A host, two sandboxes on cables of their own, and the world behind it, in namespaces that end with the test.
 *
 *     box1 10.77.1.2, fd77:1::2 ── cable1 ┐
 *                                         host ── 10.77.9.1, fd77:9::1 ── world 10.77.9.2, 10.77.9.3, fd77:9::2, metadata addresses
 *     box2 10.77.2.2, fd77:2::2 ── cable2 ┘
 */
export class Network {
  readonly #id = randomBytes(4).toString("hex");
  readonly #peers: ChildProcess[] = [];

  constructor(t: Cleaner) {
    t.after(() => this.#end());
    for (const room of ["host", "world", "box1", "box2"] as const) this.#sh(`ip netns add ${this.namespace(room)}`);
    for (const room of ["host", "world", "box1", "box2"] as const) this.run(room, "ip link set lo up");
    const settings = SETTINGS.map((each) => each.replace(/^(\S+) (\d+)$/, "echo $2 > /proc/sys/net/$1"));
    this.run("host", settings.join(" && "));
    this.#lay("box1", { here: "cable1", net: "10.77.1", net6: "fd77:1:" });
    this.#lay("box2", { here: "cable2", net: "10.77.2", net6: "fd77:2:" });
    this.#lay("world", { here: "uplink", net: "10.77.9", net6: "fd77:9:" });
    this.run("world", "ip addr add 10.77.9.3/24 dev eth0");
    for (const address of ["169.254.169.254", "100.100.100.200"]) {
      this.run("world", `ip addr add ${address}/32 dev lo`);
      this.run("host", `ip route add ${address} via 10.77.9.2`);
    }
    this.run("world", "ip -6 addr add fd00:ec2::254/128 dev lo nodad");
    this.run("host", "ip -6 route add fd00:ec2::254 via fd77:9::2");
  }

  namespace(room: Room): string {
    return `cse-${this.#id}-${room}`;
  }

  /** For whoever is to be started there. */
  enter(room: Room): readonly [string, ...string[]] {
    return ["nsenter", `--net=/run/netns/${this.namespace(room)}`];
  }

  run(room: Room, command: string): string {
    const [program, ...args] = this.enter(room);
    const { status, stdout, stderr } = spawnSync(program, [...args, "sh", "-c", command], { encoding: "utf8" });
    assert.equal(status, 0, `${command}: ${stderr}`);
    return stdout;
  }

  /** A process there that does what it is asked (see `peer-child.ts`). */
  async peer(room: Room): Promise<Peer> {
    const [program, ...args] = this.enter(room);
    const child = spawn(program, [...args, process.execPath, PEER], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#peers.push(child);
    await once(child, "message");
    return new Peer(child);
  }

  #lay(room: Room, { here, net, net6 }: { readonly here: string; readonly net: string; readonly net6: string }): void {
    this.run("host", `ip link add ${here} type veth peer name eth0 netns ${this.namespace(room)}`);
    this.run("host", `ip addr add ${net}.1/24 dev ${here} && ip -6 addr add ${net6}:1/64 dev ${here} nodad`);
    this.run("host", `ip link set ${here} up`);
    this.run(
      room,
      `ip addr add ${net}.2/24 dev eth0 && ip -6 addr add ${net6}:2/64 dev eth0 nodad && ip link set eth0 up`,
    );
    this.run(room, `ip route add default via ${net}.1 && ip -6 route add default via ${net6}:1`);
  }

  #sh(command: string): void {
    const { status, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
  }

  async #end(): Promise<void> {
    for (const child of this.#peers) {
      const closed = once(child, "close");
      if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await closed;
    }
    for (const room of ["host", "world", "box1", "box2"] as const)
      spawnSync("ip", ["netns", "del", this.namespace(room)]);
  }
}

export class Peer {
  readonly #child: ChildProcess;
  #asked = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.setMaxListeners(0);
  }

  /** Rejects with what went wrong there. */
  async ask<T = unknown>(op: string, args: object = {}): Promise<T> {
    this.#asked += 1;
    const id = this.#asked;
    const answer = new Promise<T>((resolve, reject) => {
      const listen = (message: { id: number; result?: T; error?: string }) => {
        if (message.id !== id) return;
        this.#child.off("message", listen);
        if (message.error === undefined) resolve(message.result as T);
        else reject(new Error(message.error));
      };
      this.#child.on("message", listen);
    });
    this.#child.send({ id, op, ...args });
    return await answer;
  }
}
