import type { Socket } from "node:net";

type Peer = Pick<Socket, "remoteAddress" | "remotePort">;

/**
 * Connections that haven't shown who they are: for each network, and all together. They count for the server's bound as others do, and cost
 * nothing to make.
 */
export class Handshakes {
  readonly #mostOfOne: number;
  readonly #most: number;
  readonly #peersOf = new Map<string, Set<string>>();
  #count = 0;

  constructor({ mostOfOne, most }: { readonly mostOfOne: number; readonly most: number }) {
    this.#mostOfOne = mostOfOne;
    this.#most = most;
  }

  /** Whether it may go on. Until `end`, or until it is closed, it counts. */
  begin(socket: Peer & Pick<Socket, "once">): boolean {
    const { remoteAddress, remotePort } = socket;
    if (remoteAddress === undefined || remotePort === undefined) return false;
    const network = networkOf(remoteAddress);
    const peers = this.#peersOf.get(network) ?? new Set();
    if (this.#count >= this.#most || peers.size >= this.#mostOfOne) return false;
    this.#peersOf.set(network, peers.add(`${remoteAddress} ${remotePort}`));
    this.#count += 1;
    socket.once("close", () => this.end({ remoteAddress, remotePort }));
    return true;
  }

  /** The same connection, as TLS has it now. */
  end({ remoteAddress, remotePort }: Peer): void {
    if (remoteAddress === undefined) return;
    const network = networkOf(remoteAddress);
    const peers = this.#peersOf.get(network);
    if (peers?.delete(`${remoteAddress} ${remotePort}`)) this.#count -= 1;
    if (peers?.size === 0) this.#peersOf.delete(network);
  }
}

/** Of IPv6 the first 64 bits: whoever has one address there has all of them. */
function networkOf(address: string): string {
  const [plain = ""] = address.split("%");
  if (!plain.includes(":") || plain.includes(".")) return plain;
  const [head = [], tail = []] = plain.split("::").map((side) => (side === "" ? [] : side.split(":")));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill("0");
  return [...head, ...zeros, ...tail].slice(0, 4).join(":");
}
