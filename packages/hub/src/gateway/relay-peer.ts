import { type Clock, frameRate, type Limits, type Timer, type TokenBucket } from "@countersign/core/base";
import { type SealedPayload, sealableBytes } from "@countersign/protocol/access";
import { CLOSE } from "@countersign/protocol/proposals";
import { type GatewayError, RelayChannel, type RelayEnds } from "@countersign/sdk";
import { type Peer, type SharedFrames, textsOf } from "../api/index.ts";

interface RelayPeerOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly transmit: (payload: SealedPayload) => void;
  /** Called when a sealed frame was changed, repeated, lost or reordered. The channel has ended. */
  readonly broken: (error: GatewayError) => void;
  /** Called after the hub has closed the channel and its last frame, with the reason, has been sent. */
  readonly closed: (code: number, reason: string) => void;
}

/** How long the peer may take to confirm frames. A gateway that withholds them isn't waited for. */
const CONFIRM_MS = 30_000;

/**
 * A client or agent behind a gateway. Only frames that it has confirmed count as read, so the limit of unread bytes
 * holds from end to end.
 */
export class RelayPeer implements Peer {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #closed: (code: number, reason: string) => void;
  readonly #channel: RelayChannel;
  readonly #rate: TokenBucket;
  readonly #gone = new AbortController();
  readonly #unconfirmed: { readonly seq: number; readonly bytes: number }[] = [];
  #unconfirmedBytes = 0;
  #waiting: { readonly isOver: () => boolean; readonly resolve: () => void }[] = [];
  #deadline: Timer | undefined;
  #listener: (text: string) => void = () => undefined;

  constructor(ends: RelayEnds, { clock, limits, transmit, broken, closed }: RelayPeerOptions) {
    this.#clock = clock;
    this.#limits = limits;
    this.#closed = closed;
    this.#rate = frameRate(clock, limits);
    this.#channel = new RelayChannel(ends, {
      transmit: (payload) => transmit(payload),
      received: (message) => {
        if (this.gone.aborted) return;
        if (message.kind === "ack") this.#confirm(message.seq);
        else if (message.kind === "close") this.close(CLOSE.badFrame, "only a hub closes a channel");
        else if (!this.#rate.take()) this.close(CLOSE.rateLimited, "too many frames");
        else this.#listener(message.text);
      },
      broken: (error) => {
        this.drop();
        broken(error);
      },
    });
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  get frameBytes(): number {
    return sealableBytes(this.#limits.frameBytes);
  }

  onText(listener: (text: string) => void): void {
    this.#listener = listener;
  }

  open(payload: unknown): void {
    this.#channel.open(payload);
  }

  send(frame: object): boolean {
    return this.#sendText(JSON.stringify(frame));
  }

  /** Seals each frame for this receiver. */
  sendShared(frames: SharedFrames): boolean {
    return textsOf(frames).every((text) => this.#sendText(text));
  }

  #sendText(text: string): boolean {
    if (this.gone.aborted) return false;
    const bytes = Buffer.byteLength(text);
    if (bytes > this.frameBytes) return false;
    if (this.#unconfirmedBytes > this.#limits.sendBufferBytes) {
      this.close(CLOSE.tooSlow, "the receiver doesn't read");
      return false;
    }
    this.#unconfirmed.push({ seq: this.#channel.seal({ kind: "text", text }), bytes });
    this.#unconfirmedBytes += bytes;
    this.#watch();
    return true;
  }

  async confirmed(): Promise<boolean> {
    const last = this.#unconfirmed.at(-1)?.seq ?? 0;
    await this.#until(() => (this.#unconfirmed[0]?.seq ?? Number.POSITIVE_INFINITY) > last);
    return !this.gone.aborted;
  }

  async drained(most = this.#limits.sendBufferBytes / 4): Promise<void> {
    await this.#until(() => this.#unconfirmedBytes <= most);
  }

  close(code: number, reason: string): void {
    if (this.gone.aborted) return;
    this.#channel.seal({ kind: "close", code, reason });
    this.#leave();
    void this.#channel.flushed().then(() => {
      this.#channel.drop();
      this.#closed(code, reason);
    });
  }

  /** Ends the channel without a message: the peer has gone or has a newer channel. */
  drop(): void {
    this.#channel.drop();
    this.#leave();
  }

  /** Resolves when everything sent so far has been handed to the gateway. */
  flushed(): Promise<void> {
    return this.#channel.flushed();
  }

  #leave(): void {
    this.#deadline?.cancel();
    this.#gone.abort();
    this.#wake();
  }

  /** A confirmation counts only for frames that were sent: a higher number confirms no more. */
  #confirm(seq: number): void {
    while (this.#unconfirmed[0] && this.#unconfirmed[0].seq <= seq)
      this.#unconfirmedBytes -= this.#unconfirmed.shift()?.bytes ?? 0;
    this.#deadline?.cancel();
    this.#deadline = undefined;
    if (this.#unconfirmed.length > 0) this.#watch();
    this.#wake();
  }

  #watch(): void {
    this.#deadline ??= this.#clock.after(CONFIRM_MS, () =>
      this.close(CLOSE.tooSlow, "what was sent wasn't confirmed in time"),
    );
  }

  #until(isOver: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ isOver, resolve });
      this.#wake();
    });
  }

  #wake(): void {
    this.#waiting = this.#waiting.filter(({ isOver, resolve }) => {
      const over = this.gone.aborted || isOver();
      if (over) resolve();
      return !over;
    });
  }
}
