import { EgressError } from "../../errors/index.ts";
import { ACK, attribute, attributesOf, be32, NetlinkSocket, REQUEST, request } from "../netlink/index.ts";

/** NFNL_SUBSYS_ULOG, and linux/netfilter/nfnetlink_log.h */
const SUBSYSTEM = 4 << 8;
const PACKET = SUBSYSTEM | 0;
const CONFIG = SUBSYSTEM | 1;
const CFG = { CMD: 1, MODE: 2, THRESHOLD: 5 };
const CMD_BIND = 1;
const COPY_PACKET = 2;
const NFULA = { PAYLOAD: 9, PREFIX: 10 };

/** As much of a packet as a rule doesn't cut. */
const COPIED_BYTES = 0xffff;
const RECEIVE_BYTES = 16 * 1024 * 1024;

export interface LoggedPacket {
  /** What the rule that logged it says. */
  readonly prefix: string;
  /** From the IP header on, maybe cut. Good until the next is taken. */
  readonly packet: Buffer;
}

/** Packets that our rules log, in the order in which they passed. */
export class LoggedPackets {
  readonly socket: NetlinkSocket;

  private constructor(socket: NetlinkSocket) {
    this.socket = socket;
  }

  /** Throws EgressError: nobody else may listen to this group. */
  static async open(group: number): Promise<LoggedPackets> {
    const socket = new NetlinkSocket({ receiveBytes: RECEIVE_BYTES });
    // copy_range (4, big-endian), copy_mode (1), padding (1)
    const mode = Buffer.concat([be32(COPIED_BYTES), Buffer.from([COPY_PACKET, 0])]);
    const settings = [
      attribute(CFG.CMD, Buffer.from([CMD_BIND])),
      attribute(CFG.MODE, mode),
      // Each at once: a name that was just looked up is asked for in the same breath.
      attribute(CFG.THRESHOLD, be32(1)),
    ];
    for (const setting of settings) {
      const [flags, sequence] = [REQUEST | ACK, socket.nextSequence()];
      const errno = await socket.confirmed(
        request({ type: CONFIG, flags, sequence, resource: group, attributes: [setting] }),
      );
      if (errno === undefined) continue;
      socket.close();
      throw refusal(errno, group);
    }
    return new LoggedPackets(socket);
  }

  take(): readonly LoggedPacket[] | "overrun" | undefined {
    const received = this.socket.receive();
    if (received === undefined || received === "overrun") return received;
    return received.flatMap(({ type, body }) => {
      const attributes = type === PACKET ? attributesOf(body) : undefined;
      const packet = attributes?.get(NFULA.PAYLOAD);
      const prefix = attributes?.get(NFULA.PREFIX);
      return packet && prefix ? { prefix: prefix.toString("latin1").replace(/\0+$/, ""), packet } : [];
    });
  }

  close(): void {
    this.socket.close();
  }
}

function refusal(errno: string, group: number): EgressError {
  if (errno === "EBUSY") return new EgressError("GROUP_TAKEN", `another program has the log group ${group}`);
  const code = errno === "EPERM" ? "NOT_PERMITTED" : "NO_CONNTRACK";
  return new EgressError(code, `packets that are logged can't be heard: ${errno}`);
}
