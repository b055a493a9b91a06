import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isSandboxId } from "../ca/index.ts";
import { type DirectoryLock, lockDirectory } from "../disk/index.ts";
import { EgressError, type Log } from "../errors/index.ts";
import { RELAY_LIMITS, RecorderClient } from "../relay/index.ts";
import { readAlive, writeAlive } from "./alive.ts";
import { ControlSocket } from "./control-socket.ts";
import { findSources } from "./find-source.ts";
import { prepareConntrack } from "./kernel-settings.ts";
import { EGRESS_LIMITS, type EgressLimits } from "./limits.ts";
import { Observer, type Wanted } from "./observer.ts";
import { deleteTable, readPolicy } from "./rules/index.ts";
import { type SandboxState, SandboxStates } from "./sandbox-state.ts";
import { Watch } from "./watch.ts";

/** A sandbox, where its packets come from, and what it may reach. */
export interface SandboxWish {
  readonly id: string;
  /** A veth, a namespace, or a range of addresses. */
  readonly target: string;
  /** Undefined: everything but what is blocked by default. */
  readonly allow?: readonly string[] | undefined;
  /** Of what is blocked by default. */
  readonly open?: readonly string[] | undefined;
}

export interface EgressOptions {
  readonly sandboxes: readonly SandboxWish[];
  /** The recorder's socket. */
  readonly recorder: string;
  /** A directory of its own. */
  readonly state: string;
  /** Where it is told to look at more, or at less. */
  readonly socket: string;
  /** Where sandboxes' proxies deliver to: opened, and told as such. */
  readonly relay?: { readonly host: string; readonly port: number } | undefined;
  readonly group?: number | undefined;
  readonly log: Log;
  readonly limits?: Partial<EgressLimits> | undefined;
}

/** One that is looked at. */
export interface SandboxView {
  readonly id: string;
  readonly target: string;
  readonly allow?: readonly string[] | undefined;
  readonly open: readonly string[];
  /** Since the start. */
  readonly flows: number;
  readonly blocked: number;
  /** Frames that wait for the recorder, and what was dropped and not told yet. */
  readonly waiting: number;
  readonly dropped: number;
}

export interface Egress {
  /** Rejects where the kernel can't be heard any more. */
  readonly ending: Promise<void>;
  add(wish: SandboxWish): Promise<void>;
  remove(id: string): Promise<void>;
  list(): readonly SandboxView[];
  /** Rules stay, unless they are to go. */
  close(how?: { readonly removeRules: boolean }): Promise<void>;
}

/** Of netfilter's 65,536 log groups, one that nobody has by default. */
const LOG_GROUP = 4_477;

/** Throws EgressError, DirectoryError, and what the disk throws: what can't be observed isn't begun with. */
export async function startEgress(options: EgressOptions): Promise<Egress> {
  const limits = { ...EGRESS_LIMITS, ...options.limits };
  mkdirSync(options.state, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(options.state, "observer");
  const parts: { close(): unknown }[] = [{ close: () => lock.release() }];
  try {
    const group = options.group ?? LOG_GROUP;
    const watch = await Watch.open(group);
    parts.unshift(watch);
    prepareConntrack();
    const states = new SandboxStates(options.state);
    const recorderLimits = { ...RELAY_LIMITS, recorderAnswerMs: limits.recorderAnswerMs };
    const { recorder: path, log, relay } = options;
    const recorder = new RecorderClient({ path, log, limits: recorderLimits, onUp: () => undefined });
    parts.unshift(recorder);
    const observer = new Observer({ watch, recorder, states, limits, group, relay, log });
    const egress = new RunningEgress({ observer, watch, recorder, states, lock, limits, options });
    await egress.begin();
    return egress;
  } catch (cause) {
    for (const part of parts) await part.close();
    throw cause;
  }
}

/** Takes the rules away that an observer left. Whether there were any. Throws EgressError. */
export async function clearEgress(state: string): Promise<boolean> {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(state, "observer");
  try {
    return await deleteTable();
  } finally {
    lock.release();
  }
}

interface RunningEgressOptions {
  readonly observer: Observer;
  readonly watch: Watch;
  readonly recorder: RecorderClient;
  readonly states: SandboxStates;
  readonly lock: DirectoryLock;
  readonly limits: EgressLimits;
  readonly options: EgressOptions;
}

class RunningEgress implements Egress {
  readonly #observer: Observer;
  readonly #watch: Watch;
  readonly #recorder: RecorderClient;
  readonly #states: SandboxStates;
  readonly #lock: DirectoryLock;
  readonly #limits: EgressLimits;
  readonly #options: EgressOptions;
  readonly #alivePath: string;
  readonly #stop = new AbortController();
  #control: ControlSocket | undefined;
  #sweeping: Promise<void> | undefined;
  #alive: NodeJS.Timeout | undefined;
  /** One thing at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: RunningEgressOptions) {
    this.#observer = options.observer;
    this.#watch = options.watch;
    this.#recorder = options.recorder;
    this.#states = options.states;
    this.#lock = options.lock;
    this.#limits = options.limits;
    this.#options = options.options;
    this.#alivePath = join(options.options.state, "alive.json");
  }

  async begin(): Promise<void> {
    await this.#observer.takeOver(await this.#plan());
    for (const { id, sources } of this.#observer.sandboxes) if (sources.length === 0) await this.#observer.remove(id);
    this.#writeAlive();
    this.#alive = setInterval(() => this.#writeAlive(), this.#limits.aliveMs);
    this.#sweeping = this.#sweep();
    this.#control = await ControlSocket.open(this.#options.socket, this);
  }

  get ending(): Promise<void> {
    return this.#watch.ending;
  }

  add(wish: SandboxWish): Promise<void> {
    return this.#inTurn(async () => {
      await this.#observer.add(await this.#wanted(wish), this.#states.readAll().get(wish.id));
    });
  }

  remove(id: string): Promise<void> {
    return this.#inTurn(() => this.#observer.remove(id));
  }

  list(): readonly SandboxView[] {
    return this.#observer.sandboxes.map(({ id, state, delivery, flowsTold, blockedTold }) => ({
      ...{ id, target: state.target, ...(state.allow ? { allow: state.allow } : {}), open: state.open },
      ...{ flows: flowsTold, blocked: blockedTold, waiting: delivery.state.waiting, dropped: delivery.state.dropped },
    }));
  }

  async close({ removeRules } = { removeRules: false }): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort(new EgressError("STOPPING", "the observer is ending"));
    await this.#control?.close();
    await this.#sweeping;
    await this.#turn.catch(() => undefined);
    if (removeRules) {
      for (const { id } of this.#observer.sandboxes) await this.#observer.remove(id);
      await deleteTable();
    }
    clearInterval(this.#alive);
    this.#writeAlive();
    await this.#watch.close();
    await this.#observer.close();
    this.#recorder.close();
    this.#lock.release();
  }

  /** Those that are asked for, and those that an observer before this one was told of: their rules stand. */
  async #plan() {
    const known = this.#states.readAll();
    const alive = readAlive(this.#alivePath);
    if (this.#options.sandboxes.length > this.#limits.sandboxes)
      throw new EgressError("TOO_MANY", `at most ${this.#limits.sandboxes} sandboxes`);
    const asked = new Set(this.#options.sandboxes.map(({ id }) => id));
    if (asked.size < this.#options.sandboxes.length) throw new EgressError("TAKEN", "a sandbox is named twice");
    const wishes = await Promise.all(this.#options.sandboxes.map((wish) => this.#wanted(wish)));
    const kept = await Promise.all(
      [...known].map(([id, state]) => (asked.has(id) ? undefined : this.#kept(id, state))),
    );
    const beforeOf = (state: SandboxState | undefined) =>
      state && { state, lookedAtMs: alive?.atMs, blockedHeard: alive?.blocked ?? {} };
    return [...wishes, ...kept.filter((each) => each !== undefined)].map((each) => ({
      ...each,
      before: beforeOf(known.get(each.id)),
    }));
  }

  async #kept(
    id: string,
    { target, allow, open, observations, detachedAtMs }: SandboxState,
  ): Promise<Wanted | undefined> {
    if (detachedAtMs !== undefined || observations.length === 0) return undefined;
    try {
      return await this.#wanted({ id, target, allow, open });
    } catch (cause) {
      if (!(cause instanceof EgressError) || cause.code !== "NO_SUCH_TARGET") throw cause;
      // It ended while nobody looked. What it left is counted.
      return {
        id,
        sources: [],
        policy: readPolicy({ allow, open }),
        given: { target, open, ...(allow ? { allow } : {}) },
      };
    }
  }

  async #wanted({ id, target, allow, open }: SandboxWish): Promise<Wanted> {
    if (!isSandboxId(id))
      throw new EgressError("BAD_SANDBOX", "a sandbox's id has letters, digits, `.`, `_` and `-`, at most 128");
    const given = { target, open: [...(open ?? [])], ...(allow ? { allow: [...allow] } : {}) };
    const { relay } = this.#options;
    const opened = relay ? [...given.open, ...relayRules(relay)] : given.open;
    return { id, given, sources: await findSources(target), policy: readPolicy({ allow, open: opened }) };
  }

  async #sweep(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleep(this.#limits.sweepMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#inTurn(() => this.#observer.sweep()).catch((cause: unknown) =>
        this.#options.log.error({ err: cause }, "flows couldn't be looked through"),
      );
    }
  }

  #writeAlive(): void {
    const blocked = Object.fromEntries(this.#observer.sandboxes.flatMap(({ blockedHeard }) => [...blockedHeard]));
    try {
      writeAlive(this.#alivePath, { atMs: Date.now(), blocked });
    } catch (cause) {
      this.#options.log.warn({ err: cause }, "it can't be written down that somebody looks");
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.catch(() => undefined).then(work);
    this.#turn = result;
    return result;
  }
}

/** It runs on the host, or elsewhere. */
function relayRules({ host, port }: { readonly host: string; readonly port: number }): string[] {
  return [`host:${port}/tcp`, `${host.includes(":") ? `[${host}]` : host}:${port}/tcp`];
}
