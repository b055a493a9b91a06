import { randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { type Clock, type Identity, sha256Hex } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { knownSecrets } from "@countersign/core/redaction";
import type { PairingClaimed, PairingCollected, PairingStarted, PairingView } from "@countersign/protocol/access";
import { keyIdOf } from "@countersign/sdk";
import { uuidv7 } from "uuidv7";
import type { Vouched } from "./assurance.ts";
import type { Change, Devices } from "./devices.ts";
import type { NewToken, Tokens } from "./tokens.ts";

const LIVE_MS = 120_000;
/** Codes out at once. */
const MAX_OPEN = 16;
/** Of one code: both sides, each with a tab too many. */
const MAX_WAITING = 8;

interface Claim {
  readonly name: string;
  readonly publicKey: string;
  readonly keyId: string;
  readonly secret: string;
  /** Shown on both sides. */
  readonly check: string;
}

type Stage =
  | { readonly kind: "open" }
  | { readonly kind: "claimed"; readonly claim: Claim }
  /** Its token is being made: neither confirmed nor refused again. */
  | { readonly kind: "confirmed"; readonly claim: Claim }
  | {
      readonly kind: "paired";
      readonly claim: Claim;
      readonly token: NewToken;
      readonly deviceId: string;
      readonly keyId: string;
    }
  /** Kept until the code's time is up, so that the device is told why. */
  | { readonly kind: "refused"; readonly claim: Claim | undefined };

interface Open {
  readonly expiresAtMs: number;
  readonly monotonicDueMs: number;
  stage: Stage;
  readonly waiting: Set<() => void>;
}

/** How long to wait for something to happen, and who is gone meanwhile. */
interface Wait {
  readonly waitMs?: number | undefined;
  readonly gone?: AbortSignal | undefined;
}

interface Confirmation {
  readonly by: Identity;
  vouch(change: Change): Promise<Vouched>;
}

/**
 * A new device gets a token of its own: an approver makes a code (two minutes, one use), the device claims it with its
 * key and a name, both show the same number, the approver confirms, and the device collects its token once. In memory
 * only: a restart ends what is open.
 */
export class Pairing {
  readonly #tokens: Tokens;
  readonly #devices: Devices;
  readonly #clock: Clock;
  readonly #open = new Map<string, Open>();

  constructor(tokens: Tokens, devices: Devices, clock: Clock) {
    this.#tokens = tokens;
    this.#devices = devices;
    this.#clock = clock;
  }

  start(): { code: string; expiresAtMs: number } {
    this.#forgetOld();
    if (this.#open.size >= MAX_OPEN) throw new HubError("LIMIT", `${MAX_OPEN} codes are out already (limit: pairing)`);
    const code = randomBytes(20).toString("base64url");
    knownSecrets.add(code);
    const expiresAtMs = this.#clock.wallMs() + LIVE_MS;
    const monotonicDueMs = this.#clock.monotonicMs() + LIVE_MS;
    this.#open.set(code, { expiresAtMs, monotonicDueMs, stage: { kind: "open" }, waiting: new Set() });
    return { code, expiresAtMs };
  }

  /** The first claim counts; a second one, whoever makes it, finds nothing. */
  async claim({ code, ...claim }: { code: string } & Omit<Claim, "check" | "keyId">): Promise<PairingClaimed> {
    const keyId = await keyIdOf(claim.publicKey);
    const open = this.#find(code);
    if (open.stage.kind !== "open") throw notFound();
    const check = String(randomInt(1_000_000)).padStart(6, "0");
    enter(open, { kind: "claimed", claim: { ...claim, keyId, check } });
    return { check, expiresAtMs: open.expiresAtMs };
  }

  /** What the approver is to compare; waits for a claim as long as the caller wants. */
  async see(code: string, wait: Wait = {}): Promise<PairingView> {
    const open = this.#find(code);
    if (open.stage.kind === "open") await this.#change(open, wait);
    const { expiresAtMs, stage } = this.#find(code);
    if (stage.kind === "open") return { state: "open", expiresAtMs };
    if (stage.kind === "refused") return { state: "refused", expiresAtMs };
    const { name, check, keyId } = stage.claim;
    return { state: stage.kind === "claimed" ? "claimed" : "paired", name, check, keyId, expiresAtMs };
  }

  /** `vouch` says who lets in what is shown to it, or throws; then the code waits as before. */
  async confirm({ code, check }: { code: string; check: string }, { by, vouch }: Confirmation): Promise<void> {
    const open = this.#find(code);
    if (open.stage.kind !== "claimed") throw notFound();
    const { claim } = open.stage;
    const content = { check, code, keyId: claim.keyId, name: claim.name };
    const vouched = await vouch({ approvalId: `pairing:${code}`, content });
    // Meanwhile it may have expired, or somebody else has confirmed or refused it.
    if (this.#find(code).stage.kind !== "claimed") throw notFound();
    if (!same(claim.check, check)) {
      enter(open, { kind: "refused", claim });
      throw new HubError(
        "UNAUTHORIZED",
        "The numbers differ: somebody else claimed the code. It is void; make another",
      );
    }
    open.stage = { kind: "confirmed", claim };
    const { name, publicKey } = claim;
    try {
      const token = await this.#tokens.create({ role: "approver", name, unattended: false }, { by, vouched });
      const identity: Identity = { id: token.id, role: "approver", name, sameUser: false, unattended: false };
      const enrolled = await this.#devices.enrol({ deviceId: uuidv7(), name, publicKey }, identity);
      enter(open, { kind: "paired", claim, token, ...enrolled });
    } catch (cause) {
      // Void: a code whose token nobody got must not be confirmed again.
      enter(open, { kind: "refused", claim });
      throw cause;
    }
  }

  /** Void from now on, claimed or not; whoever claimed it is told. */
  refuse(code: string): void {
    const open = this.#find(code);
    const { stage } = open;
    if (stage.kind === "open") enter(open, { kind: "refused", claim: undefined });
    else if (stage.kind === "claimed") enter(open, { kind: "refused", claim: stage.claim });
    else throw notFound();
  }

  /** Once, by whoever claimed it; waits for the approver as long as the caller wants. */
  async collect({ code, secret, ...wait }: { code: string; secret: string } & Wait): Promise<PairingCollected> {
    const open = this.#find(code);
    const { stage: before } = open;
    if (before.kind === "open" || !before.claim || !same(before.claim.secret, secret)) throw notFound();
    if (before.kind === "claimed" || before.kind === "confirmed") await this.#change(open, wait);
    const { stage } = this.#find(code);
    if (stage.kind === "refused") return { state: "refused" };
    if (stage.kind !== "paired") return { state: "waiting" };
    this.#open.delete(code);
    const { token, deviceId, keyId } = stage;
    return { state: "paired", token: token.token, deviceId, keyId };
  }

  /** Resolves when the stage changes, the time is up, or nobody waits any more. */
  async #change(open: Open, { waitMs = 0, gone }: Wait): Promise<void> {
    if (waitMs <= 0 || gone?.aborted) return;
    if (open.waiting.size >= MAX_WAITING)
      throw new HubError("LIMIT", `${MAX_WAITING} wait for this code already (limit: pairing)`);
    const { promise, resolve } = Promise.withResolvers<void>();
    const left = open.monotonicDueMs - this.#clock.monotonicMs();
    const timer = this.#clock.after(Math.min(waitMs, left), resolve);
    open.waiting.add(resolve);
    gone?.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    timer.cancel();
    open.waiting.delete(resolve);
  }

  #find(code: string): Open {
    this.#forgetOld();
    const open = this.#open.get(code);
    if (!open) throw notFound();
    return open;
  }

  #forgetOld(): void {
    const [wall, monotonic] = [this.#clock.wallMs(), this.#clock.monotonicMs()];
    for (const [code, open] of this.#open) {
      if (wall >= open.expiresAtMs || monotonic >= open.monotonicDueMs) this.#open.delete(code);
    }
  }
}

function enter(open: Open, stage: Stage): void {
  open.stage = stage;
  for (const resolve of open.waiting) resolve();
}

function notFound(): HubError {
  return new HubError("NOT_FOUND", "There's no such code, or it was used, or it is too old");
}

function same(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256Hex(a)), Buffer.from(sha256Hex(b)));
}

/** The approver's side of pairing, for whoever started the process: they have its first token anyway. */
export interface PairingApprover {
  start(): Promise<PairingStarted>;
  /** Waits so long for a claim. */
  see(code: string, wait: { readonly waitMs: number; readonly gone?: AbortSignal }): Promise<PairingView>;
  /** Who is let in, as `see` told of them. */
  confirm(code: string, claimant: Claimant): Promise<void>;
  refuse(code: string): Promise<void>;
}

/** Who claimed a code. */
export type Claimant = Pick<Extract<PairingView, { state: "claimed" }>, "name" | "check" | "keyId">;

export function pairingApprover(pairing: Pairing, by: Identity): PairingApprover {
  return {
    start: async () => pairing.start(),
    see: (code, wait) => pairing.see(code, wait),
    confirm: (code, { check }) => pairing.confirm({ code, check }, { by, vouch: async () => ({ level: "terminal" }) }),
    refuse: async (code) => pairing.refuse(code),
  };
}
