import { getSystemErrorName } from "node:util";
import { bind, close, lastError, recvfrom, sendto, setsockopt, socket, waitForInput } from "@countersign/native";
import { EgressError } from "../../errors/index.ts";
import { ERROR, errnoOf, type Message, messagesIn } from "./message.ts";

const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 3 | 0o2000000;
const NETLINK_NETFILTER = 12;
const SOL_SOCKET = 1;
const SO_RCVBUFFORCE = 33;
const SOL_NETLINK = 270;
const NETLINK_BROADCAST_ERROR = 4;
const MSG_DONTWAIT = 0x40;
/** The real length is told also of what was cut. */
const MSG_TRUNC = 0x20;

/** struct sockaddr_nl: family (2), padding (2), port (4), groups (4). */
const ADDRESS_BYTES = 12;
/** More than any message: a packet of 64 KiB and what is said about it. */
const DATAGRAM_BYTES = 256 * 1024;
const ANSWER_MS = 5_000;

interface SocketOptions {
  /** A bit for each group of events. */
  readonly groups?: number;
  readonly receiveBytes?: number;
  /**
   * What can't be told for want of room is told later: conntrack keeps the ends of flows until somebody has heard of them, where a listener
   * wants that.
   */
  readonly reliable?: boolean;
}

/** `overrun`: the kernel had more to say than there was room for. */
type Received = readonly Message[] | "overrun" | undefined;

/** A socket to netfilter, in the network namespace of this thread. Only what the kernel says is heard. */
export class NetlinkSocket {
  readonly fd: number;
  readonly #datagram = Buffer.alloc(DATAGRAM_BYTES);
  readonly #from = Buffer.alloc(ADDRESS_BYTES);
  #sequence = 0;

  /** Throws EgressError. */
  constructor({ groups = 0, receiveBytes, reliable = false }: SocketOptions = {}) {
    this.fd = socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_NETFILTER);
    if (this.fd < 0) throw failure(lastError(), "netfilter can't be asked");
    try {
      if (receiveBytes !== undefined) this.#set(SOL_SOCKET, SO_RCVBUFFORCE, receiveBytes);
      if (reliable) this.#set(SOL_NETLINK, NETLINK_BROADCAST_ERROR, 1);
      const address = Buffer.alloc(ADDRESS_BYTES);
      address.writeUInt16LE(AF_NETLINK);
      address.writeUInt32LE(groups, 8);
      if (bind(this.fd, address, address.length) !== 0) throw failure(lastError(), "netfilter's events can't be heard");
    } catch (cause) {
      close(this.fd);
      throw cause;
    }
  }

  nextSequence(): number {
    this.#sequence = (this.#sequence + 1) >>> 0 || 1;
    return this.#sequence;
  }

  send(message: Buffer): void {
    const kernel = Buffer.alloc(ADDRESS_BYTES);
    kernel.writeUInt16LE(AF_NETLINK);
    const sent = sendto(this.fd, message, message.length, 0, kernel, kernel.length);
    if (sent !== message.length) throw failure(lastError(), "netfilter doesn't take what it is asked");
  }

  /** What is there now; undefined where nothing is. The messages are good until the next call. */
  receive(): Received {
    const length = [ADDRESS_BYTES];
    const flags = MSG_DONTWAIT | MSG_TRUNC;
    const got = recvfrom(this.fd, this.#datagram, DATAGRAM_BYTES, flags, this.#from, length);
    if (got < 0) {
      const errno = lastError();
      if (errno === "ENOBUFS") return "overrun";
      if (errno === "EAGAIN" || errno === "EINTR") return undefined;
      throw failure(errno, "netfilter can't be read");
    }
    if (got > DATAGRAM_BYTES) return "overrun";
    // Others who may set rules could write to us too: the kernel's port is 0.
    if (this.#from.readUInt32LE(4) !== 0) return [];
    return [...messagesIn(this.#datagram.subarray(0, got))];
  }

  /** Sends what asks for an acknowledgement, and resolves with its errno's name; undefined: done. */
  async confirmed(message: Buffer): Promise<string | undefined> {
    this.send(message);
    const sequence = message.readUInt32LE(8);
    const untilMs = performance.now() + ANSWER_MS;
    while (performance.now() < untilMs) {
      const received = this.receive();
      if (received === undefined) await waitForInput([this.fd], 100);
      if (received === undefined || received === "overrun") continue;
      const answer = received.find((each) => each.type === ERROR && each.sequence === sequence);
      if (answer) return errnoOf(answer) === 0 ? undefined : getSystemErrorName(-errnoOf(answer));
    }
    return "ETIMEDOUT";
  }

  close(): void {
    close(this.fd);
  }

  #set(level: number, name: number, value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    if (setsockopt(this.fd, level, name, bytes, bytes.length) !== 0)
      throw failure(lastError(), "netlink can't be set up");
  }
}

function failure(errno: string, what: string): EgressError {
  const code = errno === "EPERM" || errno === "EACCES" ? "NOT_PERMITTED" : "NO_CONNTRACK";
  return new EgressError(code, `${what}: ${errno}`);
}
