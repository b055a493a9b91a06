import type { ProxyLimits } from "./http/index.ts";

interface IdleAgent {
  endIdle(): void;
}

/** Connections on which nothing is under way: limited in number, and each in time. */
export class IdleAgents {
  readonly #limits: Pick<ProxyLimits, "idleAgents" | "idleMs" | "headMs">;
  /** Those that have been so for longest come first. */
  readonly #timers = new Map<IdleAgent, NodeJS.Timeout>();

  constructor(limits: Pick<ProxyLimits, "idleAgents" | "idleMs" | "headMs">) {
    this.#limits = limits;
  }

  /** Nothing is under way from here on. */
  rests(agent: IdleAgent): void {
    this.#keep(agent, this.#limits.idleMs);
  }

  /** A connection or a head begins: it has less time, however slowly its bytes come. */
  speaks(agent: IdleAgent): void {
    this.#keep(agent, this.#limits.headMs);
  }

  isBusy(agent: IdleAgent): void {
    clearTimeout(this.#timers.get(agent));
    this.#timers.delete(agent);
  }

  #keep(agent: IdleAgent, ms: number): void {
    this.isBusy(agent);
    this.#timers.set(
      agent,
      setTimeout(() => this.#end(agent), ms),
    );
    const oldest = this.#timers.keys().next().value;
    if (this.#timers.size > this.#limits.idleAgents && oldest !== undefined) this.#end(oldest);
  }

  #end(agent: IdleAgent): void {
    this.isBusy(agent);
    agent.endIdle();
  }
}
