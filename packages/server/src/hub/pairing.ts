import { randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { uuidv7 } from "uuidv7";
import type { Clock } from "../clock.ts";
import { HubError } from "../hub-error.ts";
import type { Identity } from "../identity.ts";
import { knownSecrets } from "../secrets/known-secrets.ts";
import { sha256Hex } from "../sha256.ts";
import type { Devices } from "./devices.ts";
import type { NewToken, Tokens } from "./tokens.ts";

const LIVE_MS = 120_000;
/** Codes out at once. */
const MAX_OPEN = 16;

interface Claim {
  readonly name: string;
  readonly publicKey: string;
  readonly secret: string;
  /** Shown on both sides. */
  readonly check: string;
}

interface Open {
  readonly by: Identity;
  readonly expiresAtMs: number;
  readonly monotonicDueMs: number;
  claim?: Claim;
  confirmed?: true;
  paired?: { token: NewToken; deviceId: string; keyId: string };
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

  constructor(rooms: { tokens: Tokens; devices: Devices; clock: Clock }) {
    this.#tokens = rooms.tokens;
    this.#devices = rooms.devices;
    this.#clock = rooms.clock;
  }

  start(by: Identity): { code: string; expiresAtMs: number } {
    this.#forgetOld();
    if (this.#open.size >= MAX_OPEN) throw new HubError("LIMIT", `${MAX_OPEN} codes are out already (limit: pairing)`);
    const code = randomBytes(20).toString("base64url");
    knownSecrets.add(code);
    const expiresAtMs = this.#clock.wallMs() + LIVE_MS;
    this.#open.set(code, { by, expiresAtMs, monotonicDueMs: this.#clock.monotonicMs() + LIVE_MS });
    return { code, expiresAtMs };
  }

  /** The first claim counts; a second one, whoever makes it, finds nothing. */
  claim({ code, ...claim }: { code: string } & Omit<Claim, "check">): { check: string; expiresAtMs: number } {
    const open = this.#find(code);
    if (open.claim) throw notFound();
    const check = String(randomInt(1_000_000)).padStart(6, "0");
    open.claim = { ...claim, check };
    return { check, expiresAtMs: open.expiresAtMs };
  }

  /** What was claimed, for the approver to compare. */
  claimed(code: string): { name: string; check: string } {
    const { claim } = this.#find(code);
    if (!claim) throw notFound();
    return { name: claim.name, check: claim.check };
  }

  async confirm({ code, check }: { code: string; check: string }, by: Identity): Promise<void> {
    const open = this.#find(code);
    const { claim } = open;
    if (!claim || open.confirmed) throw notFound();
    if (!same(claim.check, check)) {
      this.#open.delete(code);
      throw new HubError(
        "UNAUTHORIZED",
        "The numbers differ: somebody else claimed the code. It is void; make another",
      );
    }
    open.confirmed = true;
    const { name, publicKey } = claim;
    try {
      const token = await this.#tokens.create({ role: "approver", name, unattended: false }, by);
      const identity: Identity = { id: token.id, role: "approver", name, sameUser: false, unattended: false };
      const enrolled = await this.#devices.enrol({ deviceId: uuidv7(), name, publicKey }, identity);
      open.paired = { token, ...enrolled };
    } catch (cause) {
      // Void: a code whose token nobody got must not be confirmed again.
      this.#open.delete(code);
      throw cause;
    }
  }

  /** Once, by whoever claimed it. */
  collect({ code, secret }: { code: string; secret: string }) {
    const { claim, paired } = this.#find(code);
    if (!claim || !same(claim.secret, secret)) throw notFound();
    if (!paired) return { state: "waiting" } as const;
    this.#open.delete(code);
    return { state: "paired", token: paired.token.token, deviceId: paired.deviceId, keyId: paired.keyId } as const;
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

function notFound(): HubError {
  return new HubError("NOT_FOUND", "There's no such code, or it was used, or it is too old");
}

function same(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256Hex(a)), Buffer.from(sha256Hex(b)));
}
