import { EgressError, type Log } from "../errors/index.ts";
import type { RecorderClient } from "../relay/index.ts";
import { endFlows } from "./conntrack/index.ts";
import { openSandboxDelivery } from "./deliver-to-recorder.ts";
import type { EgressLimits } from "./limits.ts";
import { newObservation } from "./new-observation.ts";
import { ObservedSandbox } from "./observed-sandbox.ts";
import { type LoggedPacket, readPacket } from "./packets/index.ts";
import {
  applyRules,
  baseRules,
  type EgressPolicy,
  numberOf,
  readCounters,
  readTable,
  type Source,
  sandboxRules,
  withoutCounters,
  withoutNumbers,
  withoutSandbox,
  withoutSandboxes,
} from "./rules/index.ts";
import type { SandboxState, SandboxStates } from "./sandbox-state.ts";
import { balanceOf, type Counters, offsetFor } from "./settle.ts";
import type { Watch } from "./watch.ts";

export interface ObserverOptions {
  readonly watch: Watch;
  readonly recorder: RecorderClient;
  readonly states: SandboxStates;
  readonly limits: EgressLimits;
  /** Where rules log to. */
  readonly group: number;
  readonly relay: { readonly host: string; readonly port: number } | undefined;
  readonly log: Log;
}

/** A sandbox that is to be observed. */
export interface Wanted {
  readonly id: string;
  readonly sources: readonly Source[];
  readonly policy: EgressPolicy;
  /** As it was given, so that it can be found again. */
  readonly given: Pick<SandboxState, "target" | "allow" | "open">;
}

/** From when to when nobody looked, before this observer began. */
interface Before {
  readonly state: SandboxState;
  readonly lookedAtMs: number | undefined;
  readonly blockedHeard: Readonly<Record<string, number>>;
}

const NO_COUNTERS: Counters = new Map();

/** Sandboxes that are looked at, the rules that stand for them, and whether all that the kernel counted was told. */
export class Observer {
  readonly #watch: Watch;
  readonly #recorder: RecorderClient;
  readonly #states: SandboxStates;
  readonly #limits: EgressLimits;
  /** Where rules log to. */
  readonly #group: number;
  readonly #relay: { readonly host: string; readonly port: number } | undefined;
  readonly #log: Log;
  readonly #sandboxes = new Map<string, ObservedSandbox>();
  readonly #byNumber = new Map<number, ObservedSandbox>();
  /** What was missing when it was looked last: only what is missing twice is. */
  readonly #missing = new Map<string, { readonly flows: number; readonly blocked: ReadonlyMap<number, number> }>();
  readonly #closing = new Map<string, Promise<void>>();
  #applying: Promise<void> = Promise.resolve();
  #sweptAtMs = Date.now();
  #hasOverrun = false;

  constructor(options: ObserverOptions) {
    this.#watch = options.watch;
    this.#recorder = options.recorder;
    this.#states = options.states;
    this.#limits = options.limits;
    this.#group = options.group;
    this.#relay = options.relay;
    this.#log = options.log;
  }

  get sandboxes(): readonly ObservedSandbox[] {
    return [...this.#sandboxes.values()];
  }

  ended = (flow: Parameters<ObservedSandbox["tellEnd"]>[0]): void => {
    this.#byNumber.get(numberOf(flow.mark))?.tellEnd(flow, Date.now());
  };

  /** `b5`: blocked by a rule of number 5. `d5`: an answer of DNS to it. */
  logged = ({ prefix, packet }: LoggedPacket): void => {
    const number = Number(/^[bd](\d{1,5})$/.exec(prefix)?.[1]);
    const [sandbox, read] = [this.#byNumber.get(number), readPacket(packet)];
    if (!sandbox || !read) return;
    if (prefix.startsWith("b")) sandbox.takeBlocked(read, number, Date.now());
    else sandbox.takeAnswer(read);
  };

  overrun = (): void => {
    this.#hasOverrun = true;
  };

  /** In place of whatever rules of ours there are. What an observer before this one left untold is counted, and that nobody looked is told. */
  async takeOver(wanted: readonly (Wanted & { readonly before: Before | undefined })[]): Promise<void> {
    const table = await readTable();
    const counters = (await readCounters()) ?? NO_COUNTERS;
    const used = wanted.flatMap(({ before }) => before?.state.observations ?? []).map(({ number }) => number);
    for (const each of wanted) await this.#open(each, each.before?.state, { counters, used });
    await applyRules(
      [
        ...[baseRules(), table ? withoutSandboxes(table) : ""],
        ...numbersIn(counters)
          .filter((number) => !this.#byNumber.has(number))
          .map(withoutCounters),
        ...this.sandboxes.map((sandbox) => sandboxRules(sandbox.ruled, this.#group)),
      ].join(""),
    );
    this.#watch.listen(this);
    const toMs = Date.now();
    for (const { id, before } of wanted) if (before) await this.#tellBefore(id, before, { counters, toMs });
    this.#sweptAtMs = toMs;
  }

  async add(wanted: Wanted, before: SandboxState | undefined): Promise<void> {
    if (this.#sandboxes.has(wanted.id)) throw new EgressError("TAKEN", `${wanted.id} is observed already`);
    if (this.#sandboxes.size >= this.#limits.sandboxes)
      throw new EgressError("TOO_MANY", `at most ${this.#limits.sandboxes} sandboxes are observed at once`);
    await this.#closing.get(wanted.id);
    const counters = (await readCounters()) ?? NO_COUNTERS;
    const sandbox = await this.#open(wanted, before, { counters, used: [] });
    try {
      await applyRules(sandboxRules(sandbox.ruled, this.#group));
    } catch (cause) {
      const detachedAtMs = before?.detachedAtMs ?? Date.now();
      this.#states.write(wanted.id, { ...sandbox.state, observations: [], detachedAtMs });
      await this.#forget(sandbox);
      throw cause;
    }
    const [fromMs, toMs] = [before?.detachedAtMs, Date.now()];
    if (fromMs !== undefined) sandbox.tellGap({ fromMs, toMs, reason: "detached", rules: "gone" });
  }

  /** Its flows end, and each is told; afterwards nothing of it is seen or blocked. */
  async remove(id: string): Promise<void> {
    const sandbox = this.#sandboxes.get(id);
    if (!sandbox) throw new EgressError("NOT_THERE", `${id} isn't observed`);
    await applyRules(withoutSandbox(sandbox.ruled));
    for (const number of sandbox.numbers) await endFlows(number);
    const counters = (await readCounters()) ?? NO_COUNTERS;
    await this.#countMissing(sandbox, counters);
    this.#watch.catchUp();
    const rules = counted(sandbox.numbers, counters).map(withoutCounters);
    const detachedAtMs = Date.now();
    sandbox.close();
    sandbox.state = { ...sandbox.state, observations: [], offset: sandbox.delivery.ended, detachedAtMs };
    this.#states.write(id, sandbox.state);
    await applyRules(rules.join(""));
    await this.#forget(sandbox);
  }

  /** Looks through what goes on, and holds what was told against what the kernel counted. */
  async sweep(): Promise<void> {
    if (this.#hasOverrun)
      this.#log.warn({}, "the kernel had more to say than was heard in time: what is missing is counted");
    this.#hasOverrun = false;
    const counters = await readCounters();
    const nowMs = Date.now();
    const areGone = this.sandboxes.some(({ number }) => !counters?.has(`flows_${number}`));
    if (areGone) await this.#restore(counters ?? NO_COUNTERS);
    else for (const sandbox of this.sandboxes) await this.#sweepOne(sandbox, counters ?? NO_COUNTERS, nowMs);
    this.#sweptAtMs = nowMs;
  }

  /** What is in flight stays so; rules stay. */
  async close(): Promise<void> {
    for (const sandbox of this.sandboxes) sandbox.close();
    await Promise.all(this.sandboxes.map((sandbox) => sandbox.delivery.drain(this.#limits.drainMs)));
    await Promise.all(this.#closing.values());
  }

  async #open(
    wanted: Wanted,
    before: SandboxState | undefined,
    { counters, used }: { readonly counters: Counters; readonly used: readonly number[] },
  ): Promise<ObservedSandbox> {
    const { id, sources, policy, given } = wanted;
    const observations = before?.observations ?? [];
    const delivery = await openSandboxDelivery(this.#states.dirOf(id), this.#recorder, this.#log);
    const apply = (rules: string) => this.#apply(rules);
    const state = { ...given, offset: before?.offset ?? delivery.ended, observations, sinceMs: Date.now() };
    const sandbox = new ObservedSandbox(
      { id, sources, policy, state },
      { delivery, limits: this.#limits, relay: this.#relay, apply },
    );
    // Counts that are gone can't be made good. Where only some aren't there, those are of rules that never came to be.
    if (observations.length > 0 && !observations.some(({ number }) => counters.has(`flows_${number}`)))
      sandbox.state = { ...state, offset: await offsetFor(sandbox, counters, () => undefined) };
    const taken = new Set([...used, ...this.#byNumber.keys(), ...numbersIn(counters)]);
    sandbox.state = { ...sandbox.state, observations: [...observations, newObservation(taken)] };
    this.#states.write(id, sandbox.state);
    this.#sandboxes.set(id, sandbox);
    for (const number of sandbox.numbers) this.#byNumber.set(number, sandbox);
    return sandbox;
  }

  async #tellBefore(
    id: string,
    before: Before,
    { counters, toMs }: { readonly counters: Counters; readonly toMs: number },
  ): Promise<void> {
    const sandbox = this.#sandboxes.get(id);
    if (!sandbox) return;
    for (const { number } of before.state.observations) {
      const unheard = (counters.get(`blocked_${number}`) ?? 0) - (before.blockedHeard[number] ?? 0);
      if (unheard > 0) sandbox.delivery.dropOthers(unheard);
      sandbox.blockedHeard.set(number, counters.get(`blocked_${number}`) ?? 0);
    }
    await this.#countMissing(sandbox, (await readCounters()) ?? NO_COUNTERS);
    const { detachedAtMs, sinceMs, observations } = before.state;
    const fromMs = detachedAtMs ?? Math.max(before.lookedAtMs ?? sinceMs, sinceMs);
    const haveStayed = observations.some(({ number }) => counters.has(`flows_${number}`));
    const reason = detachedAtMs === undefined ? "not-running" : "detached";
    sandbox.tellGap({ fromMs, toMs, reason, rules: haveStayed ? "stayed" : "gone" });
  }

  async #countMissing(sandbox: ObservedSandbox, counters: Counters): Promise<void> {
    const { missing } = await balanceOf(sandbox, counters, () => this.#watch.catchUp());
    if (missing <= 0) return;
    sandbox.delivery.dropUnseen(missing);
    this.#log.warn({ sandbox: sandbox.id, flows: missing }, "flows ended while nobody looked: they count as dropped");
  }

  async #sweepOne(sandbox: ObservedSandbox, counters: Counters, nowMs: number): Promise<void> {
    const { open, missing } = await balanceOf(sandbox, counters, () => this.#watch.catchUp());
    sandbox.tellInterim(open, nowMs);
    const before = this.#missing.get(sandbox.id);
    const flows = Math.min(missing, before?.flows ?? 0);
    if (flows > 0) sandbox.delivery.dropUnseen(flows);
    const blocked = new Map(sandbox.numbers.map((number) => [number, unheardOf(sandbox, counters, number)]));
    for (const [number, unheard] of blocked)
      this.#countUnheard(sandbox, number, Math.min(unheard, before?.blocked.get(number) ?? 0));
    this.#missing.set(sandbox.id, { flows: missing, blocked });
    // With nothing that could tell it, it would never be told.
    const { dropped, waiting } = sandbox.delivery.state;
    if (dropped > 0 && waiting === 0)
      sandbox.tellGap({ fromMs: this.#sweptAtMs, toMs: nowMs, reason: "overrun", rules: "stayed" });
    if (missing === 0) await this.#retire(sandbox, counters, new Set(open.map(({ mark }) => numberOf(mark))));
  }

  #countUnheard(sandbox: ObservedSandbox, number: number, count: number): void {
    if (count <= 0) return;
    sandbox.delivery.dropOthers(count);
    sandbox.blockedHeard.set(number, (sandbox.blockedHeard.get(number) ?? 0) + count);
  }

  /** Numbers of before that no flow has any more. */
  async #retire(sandbox: ObservedSandbox, counters: Counters, inUse: ReadonlySet<number>): Promise<void> {
    const done = sandbox.ruled.before.filter((number) => !inUse.has(number));
    if (done.length === 0) return;
    const flows = done.reduce((sum, number) => sum + (counters.get(`flows_${number}`) ?? 0), 0);
    const observations = sandbox.state.observations.filter(({ number }) => !done.includes(number));
    sandbox.state = { ...sandbox.state, offset: sandbox.state.offset + flows, observations };
    this.#states.write(sandbox.id, sandbox.state);
    for (const number of done) this.#byNumber.delete(number);
    await applyRules([withoutNumbers(done), ...counted(done, counters).map(withoutCounters)].join(""));
  }

  /** Somebody took our rules away: nothing was blocked, nor told, since they were seen last. */
  async #restore(counters: Counters): Promise<void> {
    this.#log.error({}, "the rules were taken away: they are made again, and that nobody looked is told");
    const table = await readTable();
    for (const sandbox of this.sandboxes) {
      const offset = await offsetFor(sandbox, counters, () => this.#watch.catchUp());
      const next = newObservation(new Set([...this.#byNumber.keys(), ...numbersIn(counters)]));
      sandbox.state = { ...sandbox.state, offset, observations: [...sandbox.state.observations, next] };
      this.#states.write(sandbox.id, sandbox.state);
      this.#byNumber.set(next.number, sandbox);
    }
    const all = this.sandboxes.map(({ ruled }) => sandboxRules(ruled, this.#group));
    await applyRules([baseRules(), table ? withoutSandboxes(table) : "", ...all].join(""));
    const toMs = Date.now();
    for (const sandbox of this.sandboxes)
      sandbox.tellGap({ fromMs: this.#sweptAtMs, toMs, reason: "detached", rules: "gone" });
  }

  /** In the order in which they come. */
  #apply(rules: string): Promise<void> {
    this.#applying = this.#applying
      .then(() => applyRules(rules))
      .catch((cause: unknown) => this.#log.warn({ err: cause }, "a name's addresses couldn't be let through"));
    return this.#applying;
  }

  async #forget(sandbox: ObservedSandbox): Promise<void> {
    this.#sandboxes.delete(sandbox.id);
    this.#missing.delete(sandbox.id);
    for (const [number, whose] of this.#byNumber) if (whose === sandbox) this.#byNumber.delete(number);
    const closing = sandbox.delivery.drain(this.#limits.drainMs).finally(() => this.#closing.delete(sandbox.id));
    this.#closing.set(sandbox.id, closing);
  }
}

/** Those of which there is a count. */
function counted(numbers: readonly number[], counters: Counters): number[] {
  return numbers.filter((number) => counters.has(`flows_${number}`));
}

function unheardOf({ blockedHeard }: ObservedSandbox, counters: Counters, number: number): number {
  return (counters.get(`blocked_${number}`) ?? 0) - (blockedHeard.get(number) ?? 0);
}

function numbersIn(counters: Counters): number[] {
  return [...counters.keys()].flatMap((name) => /^flows_(\d+)$/.exec(name)?.[1] ?? []).map(Number);
}
