import { setImmediate as breathe } from "node:timers/promises";
import { waitForInput } from "@countersign/native";
import { EndedFlows, type TrackedFlow } from "./conntrack/index.ts";
import { type LoggedPacket, LoggedPackets } from "./packets/index.ts";

/** What is dealt with before others have their turn. */
const IN_ONE_GO = 512;
/** How long its end may take to be noticed. */
const WAIT_MS = 200;

interface Listener {
  ended(flow: TrackedFlow): void;
  logged(packet: LoggedPacket): void;
  /** The kernel had more to say than there was room for. */
  overrun(): void;
}

/** Hears what the kernel says of flows that end, and of packets that rules log. */
export class Watch {
  readonly #ended: EndedFlows;
  readonly #logged: LoggedPackets;
  #listener: Listener | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  private constructor(ended: EndedFlows, logged: LoggedPackets) {
    this.#ended = ended;
    this.#logged = logged;
  }

  /** From now on nothing is missed; it waits until somebody listens. Throws EgressError: nobody else may have the group. */
  static async open(group: number): Promise<Watch> {
    const logged = await LoggedPackets.open(group);
    try {
      return new Watch(new EndedFlows(), logged);
    } catch (cause) {
      logged.close();
      throw cause;
    }
  }

  listen(listener: Listener): void {
    this.#listener = listener;
    this.#running = this.#run();
    // Whoever waits for its end is told; until somebody does, it isn't this process's end.
    this.#running.catch(() => undefined);
  }

  /** Everything that the kernel has said by now. */
  catchUp(): void {
    for (let more = true; more && !this.#isClosed; ) more = this.#take(IN_ONE_GO);
  }

  /** Rejects where the kernel can't be heard any more. */
  get ending(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.catchUp();
    this.#isClosed = true;
    await this.#running?.catch(() => undefined);
    this.#ended.close();
    this.#logged.close();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      await waitForInput([this.#ended.socket.fd, this.#logged.socket.fd], WAIT_MS);
      while (!this.#isClosed && this.#take(IN_ONE_GO)) await breathe();
    }
  }

  /** Whether there may be more. Packets come first: a name that was looked up is told before what is sent there. */
  #take(most: number): boolean {
    const listener = this.#listener;
    if (!listener) return false;
    let isMore = false;
    for (let n = 0; n < most; n += 1) {
      const [packets, flows] = [this.#logged.take(), this.#ended.take()];
      if (packets === "overrun" || flows === "overrun") listener.overrun();
      if (packets !== undefined && packets !== "overrun") for (const packet of packets) listener.logged(packet);
      if (flows !== undefined && flows !== "overrun") for (const flow of flows) listener.ended(flow);
      isMore = packets !== undefined || flows !== undefined;
      if (!isMore) break;
    }
    return isMore;
  }
}
