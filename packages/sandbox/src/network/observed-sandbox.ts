import { randomUUID } from "node:crypto";
import type { Delivery } from "../delivery/index.ts";
import { BlockedAttempts } from "./blocked-attempts.ts";
import { listFlows, type TrackedFlow, type Tuple, tupleKey } from "./conntrack/index.ts";
import { limitsOf, NOT_COUNTED } from "./coverage.ts";
import { flowFrame, type GapTold, gapFrame, type Voice } from "./egress-frame.ts";
import type { EgressLimits } from "./limits.ts";
import { Names } from "./names.ts";
import { type ReadPacket, readDnsAnswer } from "./packets/index.ts";
import { type EgressPolicy, numberOf, type RuledSandbox, type Source } from "./rules/index.ts";
import type { SandboxState } from "./sandbox-state.ts";

export interface ObservedSandboxOptions {
  readonly delivery: Delivery;
  readonly limits: EgressLimits;
  readonly relay: { readonly host: string; readonly port: number } | undefined;
  /** Resolves once the rules hold. Never rejects. */
  readonly apply: (rules: string) => Promise<void>;
}

interface Observed {
  readonly id: string;
  readonly sources: readonly Source[];
  readonly policy: EgressPolicy;
  readonly state: SandboxState;
}

/** Nobody says that a byte left. */
const NOTHING = 0;

/** One sandbox that is looked at: what is known of its flows becomes frames. */
export class ObservedSandbox {
  readonly id: string;
  readonly sources: readonly Source[];
  readonly policy: EgressPolicy;
  state: SandboxState;
  readonly #delivery: Delivery;
  readonly #limits: EgressLimits;
  readonly #relay: { readonly host: string; readonly port: number } | undefined;
  /** Resolves once the rules hold. Never rejects. */
  readonly #apply: (rules: string) => Promise<void>;
  readonly #voice: Voice;
  readonly #names: Names;
  readonly #attempts: BlockedAttempts;
  /** Blocked packets that may only have come too early. */
  readonly #held = new Map<string, { readonly packet: Tuple; readonly timer: NodeJS.Timeout }>();
  /** When each flow that lasts was told of, by its correlator. */
  #toldAtMs = new Map<string, number>();
  /** Blocked packets that were heard of, by number. */
  readonly blockedHeard = new Map<number, number>();
  flowsTold = 0;
  blockedTold = 0;

  constructor({ id, sources, policy, state }: Observed, options: ObservedSandboxOptions) {
    this.id = id;
    this.sources = sources;
    this.policy = policy;
    this.state = state;
    this.#delivery = options.delivery;
    this.#limits = options.limits;
    this.#relay = options.relay;
    this.#apply = options.apply;
    // Who is known by its address alone can take another, for which there's no rule.
    const isHeld = policy.allow !== undefined && sources.every(({ kind }) => kind !== "range");
    this.#voice = { sandboxId: id, limits: limitsOf(sources), enforcement: isHeld ? "enforced" : "none" };
    this.#names = new Names(policy, options.limits.names);
    this.#attempts = new BlockedAttempts(options.limits);
  }

  get delivery(): Delivery {
    return this.#delivery;
  }

  /** The newest. */
  get number(): number {
    return this.state.observations.at(-1)?.number ?? 0;
  }

  get numbers(): readonly number[] {
    return this.state.observations.map(({ number }) => number);
  }

  get ruled(): RuledSandbox {
    const { number, sources, policy } = this;
    return { number, before: this.numbers.filter((each) => each !== number), sources, policy };
  }

  /** Flows that go on. */
  openFlows(): Promise<readonly TrackedFlow[]> {
    return listFlows(new Set(this.numbers));
  }

  /** A flow is over. */
  tellEnd(flow: TrackedFlow, nowMs: number): void {
    this.#release(flow);
    const told = this.#told(flow, nowMs);
    this.#toldAtMs.delete(told.correlationId);
    this.#delivery
      .begin()
      .tell([flowFrame(this.#voiceFor(flow), { ...told, endedAtMs: toMs(flow.endedAtNs) ?? nowMs })]);
    this.flowsTold += 1;
  }

  /** Of flows that go on, those that have for long. Their ends tell everything: where there's little room, they are left out. */
  tellInterim(open: readonly TrackedFlow[], nowMs: number): void {
    const before = this.#toldAtMs;
    this.#toldAtMs = new Map();
    for (const flow of open) {
      const told = this.#told(flow, nowMs);
      const last = before.get(told.correlationId) ?? toMs(flow.startedAtNs) ?? nowMs;
      const isDue = nowMs - last >= this.#limits.interimMs && this.#delivery.fullness < 0.5;
      if (isDue) this.#delivery.emit(flowFrame(this.#voiceFor(flow), { ...told, endedAtMs: undefined }));
      this.#toldAtMs.set(told.correlationId, isDue ? nowMs : last);
    }
  }

  tellGap(gap: GapTold): void {
    this.#delivery.emit(gapFrame(this.#voice, gap));
  }

  /** A packet that a rule of this number has blocked. */
  takeBlocked(packet: ReadPacket, number: number, nowMs: number): void {
    this.blockedHeard.set(number, (this.blockedHeard.get(number) ?? 0) + 1);
    const attempt = this.#attempts.take(packet, nowMs);
    if (attempt === "too-many") this.#delivery.dropOthers(1);
    if (attempt !== "new") return;
    if (this.#names.isAllowed(packet.dst)) this.#hold(packet, nowMs);
    else this.#tellBlocked(packet, nowMs);
  }

  /** A copy of what a DNS server answered. */
  takeAnswer({ payload }: ReadPacket): void {
    const answer = readDnsAnswer(payload);
    const rules = answer ? this.#names.learn(answer, this.number) : "";
    if (rules !== "") void this.#apply(rules);
  }

  close(): void {
    for (const { packet, timer } of [...this.#held.values()]) {
      clearTimeout(timer);
      this.#tellBlocked(packet, Date.now());
    }
    this.#held.clear();
  }

  /** The name's address was let through a moment after this packet came: told only where nothing came after it. */
  #hold(packet: ReadPacket, nowMs: number): void {
    const { dst, dstPort, src, srcPort, protocol } = packet;
    const tuple = { dst, dstPort, src, srcPort, protocol };
    const timer = setTimeout(() => void this.#decideHeld(tuple, nowMs), this.#limits.holdMs);
    this.#held.set(tupleKey(tuple), { packet: tuple, timer });
  }

  async #decideHeld(tuple: Tuple, sinceMs: number): Promise<void> {
    // Where nobody can tell, it was blocked.
    const open = await this.openFlows().catch(() => []);
    if (open.some((flow) => tupleKey(flow) === tupleKey(tuple))) return this.#release(tuple);
    if (this.#held.delete(tupleKey(tuple))) this.#tellBlocked(tuple, sinceMs);
  }

  /** It went through after all. */
  #release(tuple: Tuple): void {
    const held = this.#held.get(tupleKey(tuple));
    if (!held) return;
    clearTimeout(held.timer);
    this.#held.delete(tupleKey(tuple));
    this.#attempts.forget(tuple);
  }

  #tellBlocked({ dst, dstPort, protocol }: Tuple, atMs: number): void {
    const told = {
      ...{
        correlationId: `blocked-${randomUUID()}`,
        dst,
        dstPort,
        protocol,
        bytesOut: NOTHING,
        verdict: "blocked" as const,
      },
      ...{
        startedAtMs: atMs,
        endedAtMs: atMs,
        name: this.#names.nameOf(dst, atMs),
        isRelay: this.#isRelay(dst, dstPort),
      },
    };
    this.#delivery.emit(flowFrame({ ...this.#voice, enforcement: "enforced" }, told));
    this.blockedTold += 1;
  }

  #told(flow: TrackedFlow, nowMs: number) {
    const { dst, dstPort, protocol, id, startedAtNs = 0n } = flow;
    const key = this.state.observations.find(({ number }) => number === numberOf(flow.mark))?.key ?? "";
    const startedAtMs = toMs(flow.startedAtNs) ?? nowMs;
    return {
      // The same from its beginning to its end, also for an observer that is started in between.
      correlationId: `flow-${key}-${id.toString(16)}-${startedAtNs.toString(36)}`,
      ...{ dst, dstPort, protocol, bytesOut: flow.bytesOut ?? NOTHING, verdict: "allowed" as const },
      ...{ startedAtMs, name: this.#names.nameOf(dst, startedAtMs), isRelay: this.#isRelay(dst, dstPort) },
    };
  }

  #voiceFor({ bytesOut }: TrackedFlow): Voice {
    return bytesOut === undefined ? { ...this.#voice, limits: [...this.#voice.limits, NOT_COUNTED] } : this.#voice;
  }

  #isRelay(dst: string, dstPort: number): boolean {
    return this.#relay !== undefined && this.#relay.host === dst && this.#relay.port === dstPort;
  }
}

function toMs(ns: bigint | undefined): number | undefined {
  return ns === undefined ? undefined : Number(ns / 1_000_000n);
}
