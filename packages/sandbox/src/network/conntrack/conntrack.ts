import { setImmediate as breathe } from "node:timers/promises";
import { getSystemErrorName } from "node:util";
import { waitForInput } from "@countersign/native";
import { EgressError } from "../../errors/index.ts";
import { ACK, attribute, be32, DONE, DUMP, ERROR, errnoOf, NetlinkSocket, REQUEST, request } from "../netlink/index.ts";
import { markOf, NUMBER_MASK, numberOf } from "../rules/index.ts";
import { decodeFlow, type TrackedFlow } from "./decode-flow.ts";

/** NFNL_SUBSYS_CTNETLINK, and its messages. */
const SUBSYSTEM = 1 << 8;
const CT_GET = SUBSYSTEM | 1;
const CT_DELETE = SUBSYSTEM | 2;
const CTA_MARK = 8;
const CTA_MARK_MASK = 21;

const DESTROYED_GROUP = 4;
/** Room for tens of thousands of flows that end at once. */
const EVENT_BYTES = 64 * 1024 * 1024;
/** Datagrams of a list that are read in one go; then others have their turn. */
const IN_ONE_GO = 16;
const LIST_MS = 30_000;
const LIST_BYTES = 4 * 1024 * 1024;

/** The ends of flows, as the kernel tells them. */
export class EndedFlows {
  readonly socket = new NetlinkSocket({ groups: DESTROYED_GROUP, receiveBytes: EVENT_BYTES, reliable: true });

  /** Some that have ended; undefined: none now. */
  take(): readonly TrackedFlow[] | "overrun" | undefined {
    const received = this.socket.receive();
    if (received === undefined || received === "overrun") return received;
    return received.filter(({ type }) => type === CT_DELETE).flatMap(({ body }) => decodeFlow(body) ?? []);
  }

  close(): void {
    this.socket.close();
  }
}

interface MarkedAs {
  readonly mark: number;
  readonly mask: number;
}

/** With more marks than these it is cheaper to be told of all flows of the host once. */
const MOST_LISTS = 8;

/** Flows that are there now, marked with one of these numbers. What has expired is ended by being looked at, and told as such. Throws EgressError. */
export async function listFlows(numbers: ReadonlySet<number>): Promise<TrackedFlow[]> {
  const marks = [...numbers].map(markedAs);
  const filters = marks.length > MOST_LISTS ? [{ mark: 0, mask: 0 }] : marks;
  const lists = [];
  for (const filter of filters) lists.push(await listMarked(filter));
  return lists.flat().filter(({ mark }) => numbers.has(numberOf(mark)));
}

async function listMarked(marked: MarkedAs): Promise<TrackedFlow[]> {
  const socket = new NetlinkSocket({ receiveBytes: LIST_BYTES });
  try {
    const sequence = socket.nextSequence();
    socket.send(request({ type: CT_GET, flags: REQUEST | DUMP, sequence, attributes: filterOf(marked) }));
    return await readList(socket);
  } finally {
    socket.close();
  }
}

async function readList(socket: NetlinkSocket): Promise<TrackedFlow[]> {
  const flows: TrackedFlow[] = [];
  const untilMs = performance.now() + LIST_MS;
  for (let datagrams = 1; performance.now() < untilMs; datagrams += 1) {
    const received = socket.receive();
    if (received === undefined) await waitForInput([socket.fd], 100);
    if (received === undefined) continue;
    if (received === "overrun") break;
    for (const message of received) {
      if (message.type === DONE) return flows;
      if (message.type === ERROR) throw refusal(errnoOf(message));
      const flow = decodeFlow(message.body);
      // Most of a host's flows aren't ours.
      if (flow && numberOf(flow.mark) !== 0) flows.push(flow);
    }
    if (datagrams % IN_ONE_GO === 0) await breathe();
  }
  throw new EgressError("NO_CONNTRACK", "conntrack's list has no end");
}

/** Ends flows with this number: the kernel tells of each, with what was counted. */
export async function endFlows(number: number): Promise<void> {
  const socket = new NetlinkSocket();
  try {
    const sequence = socket.nextSequence();
    const message = request({
      type: CT_DELETE,
      flags: REQUEST | ACK,
      sequence,
      attributes: filterOf(markedAs(number)),
    });
    const errno = await socket.confirmed(message);
    if (errno !== undefined && errno !== "ENOENT")
      throw new EgressError("NO_CONNTRACK", `flows can't be ended: ${errno}`);
  } finally {
    socket.close();
  }
}

function markedAs(number: number): MarkedAs {
  return { mark: markOf(number), mask: NUMBER_MASK };
}

function filterOf({ mark, mask }: MarkedAs): Buffer[] {
  return [attribute(CTA_MARK, be32(mark)), attribute(CTA_MARK_MASK, be32(mask))];
}

function refusal(errno: number): EgressError {
  return new EgressError("NO_CONNTRACK", `conntrack's flows can't be listed: ${getSystemErrorName(-errno)}`);
}
