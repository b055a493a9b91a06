import { type Clock, type Identity, sha256Hex } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { EnrolledDevice, WantedDevice } from "@countersign/protocol/access";
import type { Answer } from "@countersign/protocol/proposals";
import { canonicalize, type Json } from "@countersign/receipts";
import { type DecisionToSign, keyIdOf, verifyDecision } from "@countersign/sdk";
import { type DeviceRecord, type Store, StoreError } from "@countersign/store";
import type { Assurance } from "./assurance.ts";

/** What a signature is about. */
interface Asked {
  readonly id: string;
  readonly payload: { readonly proposalHash?: unknown };
}

/** What was decided, plain or signed. */
type Decided = Pick<Answer, "nonce" | "keyId" | "signature" | "scope" | "jail" | "times"> &
  Pick<DecisionToSign, "decision">;

/** Something that is changed rather than answered; the SDK's `signChange` is the other side. */
export interface Change {
  readonly approvalId: string;
  readonly content: { readonly [key: string]: Json };
}

/** What is beside a change that was signed; nothing of it, where it wasn't. */
export type Signature = Pick<Answer, "nonce" | "keyId" | "signature">;

/** The endpoints of the gateway, and the keys of those that can sign. */
export class Devices {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A device without a key, as it registers. False when it belongs to another token. */
  async claim(id: string, by: Identity): Promise<boolean> {
    const device = { id, tokenId: by.id, name: by.name, publicKey: null, createdAtMs: this.#clock.wallMs() };
    try {
      return (await this.#store.commit([{ op: "claim-device", device }])).ok;
    } catch (cause) {
      if (!isFullDisk(cause)) throw cause;
      // Unrecorded, so that its page can report the full disk. It claims the id when it next connects.
      const known = await this.#store.device(id);
      return known === null || known.tokenId === by.id;
    }
  }

  /** Whether it signs for this token already, with this very key. */
  async isKnown({ deviceId, publicKey }: WantedDevice, by: Identity): Promise<boolean> {
    const known = await this.#store.device(deviceId);
    return known?.tokenId === by.id && known.publicKey === publicKey;
  }

  /** For whoever may let a device in; what comes with nothing but a token goes by `Admission`. */
  async enrol(wanted: WantedDevice, by: Identity): Promise<EnrolledDevice> {
    const { deviceId, name, publicKey } = wanted;
    const keyId = await keyIdOf(publicKey);
    if (await this.isKnown(wanted, by)) return { deviceId, keyId };
    // Else whoever steals a token makes a key of their own, and signing proves nothing more than the token does.
    if (await this.canSign(by)) {
      throw new HubError("UNAUTHORIZED", "This token's device signs with another key: give a new device its own token");
    }
    const atMs = this.#clock.wallMs();
    const body = { device: deviceId, name, keyId, person: by.name };
    const commit = await this.#store.commit([
      { op: "claim-device", device: { id: deviceId, tokenId: by.id, name, publicKey, createdAtMs: atMs } },
      { op: "append", draft: { type: "device-claimed", sessionId: null, proposalKey: null, atMs, body } },
    ]);
    if (!commit.ok) throw new HubError("UNAUTHORIZED", "This device belongs to another token, or has another key");
    return { deviceId, keyId };
  }

  list(): Promise<readonly DeviceRecord[]> {
    return this.#store.devices();
  }

  /** Before anything follows from an answer: a signature that is there must be right, and about this very card. */
  async verify(answer: Decided, getCard: () => Promise<Asked>, by: Identity): Promise<Assurance> {
    const { nonce, keyId, signature, decision, scope, jail, times } = answer;
    if (nonce === undefined || keyId === undefined || signature === undefined) return { level: "token" };
    const [device, card] = [await this.#withKey(keyId, by), await getCard()];
    const proposalHash = String(card.payload.proposalHash);
    const signed = { approvalId: card.id, proposalHash, decision, scope, jail, times, nonce };
    if (!device?.publicKey || !(await verifyDecision(signed, device.publicKey, signature))) {
      throw new HubError("UNAUTHORIZED", "The signature isn't one of this token's devices over what was asked");
    }
    return { level: "device", deviceId: device.id, name: device.name, keyId, nonce };
  }

  /** As an answer is: a signature that is there must be right, and over this very change. */
  verifyChange({ approvalId, content }: Change, { nonce, keyId, signature }: Signature, by: Identity) {
    const card = { id: approvalId, payload: { proposalHash: `sha256:${sha256Hex(canonicalize(content))}` } };
    return this.verify({ decision: "allow-always", nonce, keyId, signature }, async () => card, by);
  }

  /** Whether some device of this token has a key. */
  async canSign({ id }: Identity): Promise<boolean> {
    return (await this.#store.signingDevices()).some(({ tokenId }) => tokenId === id);
  }

  /** Whether some device has ever had a key, also one whose token is revoked: any approver's token can revoke another. */
  async anySigns(): Promise<boolean> {
    return (await this.#store.signingDevices()).length > 0;
  }

  async #withKey(keyId: string, by: Identity): Promise<DeviceRecord | undefined> {
    for (const device of await this.#store.signingDevices()) {
      if (device.tokenId === by.id && device.publicKey && (await keyIdOf(device.publicKey)) === keyId) return device;
    }
    return undefined;
  }
}

function isFullDisk(cause: unknown): boolean {
  return cause instanceof StoreError && (cause.code === "FULL" || cause.code === "UNWRITABLE");
}
