import type { DnsAnswer } from "./packets/index.ts";
import { type EgressPolicy, nameSet, TABLE } from "./rules/index.ts";

/** Programs keep addresses for longer than they are good. */
const SHORTEST_S = 60;
const LONGEST_S = 3_600;

/** An answer is read after it has passed, and a program that waits for it is fast. */
const HEARD_LATE_MS = 2_000;
const NAMES_OF_ONE = 4;

interface Learned {
  readonly name: string;
  readonly atMs: number;
}

/** What the sandbox was answered for which names, and which of those its policy lets through. */
export class Names {
  readonly #policy: EgressPolicy;
  readonly #most: number;
  /** By address, the newest last, and of each the newest first. */
  readonly #namesOf = new Map<string, readonly Learned[]>();
  /** Until when. */
  readonly #allowed = new Map<string, number>();

  constructor(policy: EgressPolicy, most: number) {
    this.#policy = policy;
    this.#most = most;
  }

  /** The newest that it had when a flow to it began. */
  nameOf(address: string, atMs: number): string | undefined {
    return this.#namesOf.get(address)?.find((learned) => learned.atMs - HEARD_LATE_MS <= atMs)?.name;
  }

  /** Whether rules let it through by now, or will in a moment. */
  isAllowed(address: string): boolean {
    return (this.#allowed.get(address) ?? 0) > performance.now();
  }

  /** Rules that let through what it answers, for as long as it is good; empty: none. */
  learn({ name, addresses }: DnsAnswer, number: number): string {
    const learned = { name, atMs: Date.now() };
    for (const { address } of addresses) {
      const others = (this.#namesOf.get(address) ?? []).filter((each) => each.name !== name);
      remember(this.#namesOf, address, [learned, ...others].slice(0, NAMES_OF_ONE), this.#most);
    }
    const names = (this.#policy.allow ?? []).filter((rule) => rule.kind === "name");
    return names
      .flatMap((rule, at) => (isMeant(rule.name, name) ? addresses.map((each) => this.#let(each, number, at)) : []))
      .join("\n");
  }

  #let({ address, ttlS }: DnsAnswer["addresses"][number], number: number, at: number): string {
    const goodS = Math.min(Math.max(ttlS, SHORTEST_S), LONGEST_S);
    remember(this.#allowed, address, performance.now() + 1_000 * goodS, this.#most);
    const set = `${TABLE} ${nameSet(number, at, address.includes(":") ? 6 : 4)}`;
    // One that is there would keep its time: it is taken out and put in anew, in one step.
    return [
      `add element ${set} { ${address} }`,
      `delete element ${set} { ${address} }`,
      `add element ${set} { ${address} timeout ${goodS}s }`,
    ].join("\n");
  }
}

function isMeant(wanted: string, name: string): boolean {
  return wanted.startsWith("*.") ? name.endsWith(wanted.slice(1)) : name === wanted;
}

function remember<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
