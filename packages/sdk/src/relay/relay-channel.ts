import { relayClosedPayloadSchema, type SealedPayload, sealedPayloadSchema } from "@countersign/protocol/access";
import * as z from "zod";
import { fromBase64url, GatewayError, toBase64url } from "../errors/index.ts";
import type { RelayKey } from "./relay-keys.ts";

/** What one sealed frame holds. */
export type RelayMessage =
  /** A frame of the envelope dialect, as it would be on a socket of its own. */
  | { readonly kind: "text"; readonly text: string }
  /** Client to hub: everything up to this of the hub's frames has come. */
  | { readonly kind: "ack"; readonly seq: number }
  /** The hub's close code, which nobody else can have sent. */
  | { readonly kind: "close"; readonly code: number; readonly reason: string };

export interface RelayEnds {
  readonly sendKey: RelayKey;
  readonly receiveKey: RelayKey;
  readonly ownId: string;
  readonly otherId: string;
}

export interface RelayEvents {
  transmit(payload: SealedPayload): void;
  received(message: RelayMessage, seq: number): void;
  /** The last event. TAMPERED: a frame was changed, repeated, lost or out of order. LIMIT: too much waits. */
  broken(error: GatewayError): void;
}

/** What may wait to be sealed or opened. */
const MAX_QUEUED_BYTES = 32 * 1024 * 1024;
const NONCE_BYTES = 12;

const KIND = { text: 0, ack: 1, close: 2 } as const;
const seqSchema = z.strictObject({ seq: z.number().int().min(1) });

/**
 * An order of sealed frames each way. Plaintext: one byte of kind, then UTF-8. AES-256-GCM; nonce: the frame's number, 12
 * bytes, big-endian; the sender, the receiver and the number are authenticated with it. Numbers go up by one from 1.
 */
export class RelayChannel {
  readonly #ends: RelayEnds;
  readonly #events: RelayEvents;
  #sent = 0;
  #taken = 0;
  #queuedBytes = 0;
  #sealing: Promise<void> = Promise.resolve();
  #opening: Promise<void> = Promise.resolve();
  #over = false;

  constructor(ends: RelayEnds, events: RelayEvents) {
    this.#ends = ends;
    this.#events = events;
  }

  /** Its number. Frames leave in the order of these calls. */
  seal(message: RelayMessage): number {
    const seq = ++this.#sent;
    const plain = encode(message);
    const { sendKey, ownId, otherId } = this.#ends;
    this.#sealing = this.#queue(this.#sealing, plain.length, async () => {
      const box = await crypto.subtle.encrypt(bound(ownId, otherId, seq), sendKey, plain);
      if (!this.#over) this.#events.transmit({ seq, box: toBase64url(new Uint8Array(box)) });
    });
    return seq;
  }

  /** In their order: everything before a frame that is wrong is taken, nothing after it. */
  open(payload: unknown): void {
    const sealed = sealedPayloadSchema.safeParse(payload).data;
    const bytes = sealed?.box.length ?? 0;
    this.#opening = this.#queue(this.#opening, bytes, () => this.#open(sealed));
  }

  /** Resolves when what was sealed so far has been handed on. */
  flushed(): Promise<void> {
    return this.#sealing;
  }

  /** From now on nothing goes in or out, not even what is queued. */
  drop(): void {
    this.#over = true;
  }

  async #open(sealed: SealedPayload | undefined): Promise<void> {
    if (!sealed) return this.#break("A sealed frame isn't in the wire's form");
    const { seq, box } = sealed;
    const expected = ++this.#taken;
    if (seq !== expected) return this.#break(`Sealed frame ${seq} came in the place of ${expected}`);
    const { receiveKey, ownId, otherId } = this.#ends;
    let message: RelayMessage;
    try {
      const plain = await crypto.subtle.decrypt(bound(otherId, ownId, seq), receiveKey, fromBase64url(box));
      message = decode(new Uint8Array(plain));
    } catch (cause) {
      return this.#break(`Sealed frame ${seq} doesn't open`, cause);
    }
    if (!this.#over) this.#events.received(message, seq);
  }

  #queue(after: Promise<void>, bytes: number, step: () => Promise<void>): Promise<void> {
    this.#queuedBytes += bytes;
    if (this.#queuedBytes > MAX_QUEUED_BYTES)
      this.#end(new GatewayError("LIMIT", `More than ${MAX_QUEUED_BYTES} bytes wait to be sealed or opened`));
    return after.then(async () => {
      this.#queuedBytes -= bytes;
      if (!this.#over) await step();
    });
  }

  #break(message: string, cause?: unknown): void {
    this.#end(new GatewayError("TAMPERED", message, { cause }));
  }

  #end(error: GatewayError): void {
    if (this.#over) return;
    this.#over = true;
    this.#events.broken(error);
  }
}

/** The ids are JSON, so that no two triples have the same bytes. */
function bound(from: string, to: string, seq: number) {
  const iv = new Uint8Array(NONCE_BYTES);
  new DataView(iv.buffer).setBigUint64(NONCE_BYTES - 8, BigInt(seq));
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(JSON.stringify([from, to, seq])) };
}

function encode(message: RelayMessage): Uint8Array<ArrayBuffer> {
  const { kind, ...rest } = message;
  const text = new TextEncoder().encode("text" in rest ? rest.text : JSON.stringify(rest));
  const bytes = new Uint8Array(1 + text.length);
  bytes[0] = KIND[kind];
  bytes.set(text, 1);
  return bytes;
}

/** Throws for what the other side, though it has the key, must not have sealed. */
function decode(bytes: Uint8Array): RelayMessage {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(1));
  if (bytes[0] === KIND.text) return { kind: "text", text };
  if (bytes[0] === KIND.ack) return { kind: "ack", ...seqSchema.parse(JSON.parse(text)) };
  if (bytes[0] === KIND.close) return { kind: "close", ...relayClosedPayloadSchema.parse(JSON.parse(text)) };
  throw new GatewayError("INVALID_RESPONSE", "A sealed frame of an unknown kind");
}
