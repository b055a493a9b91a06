import { plain, type Screen } from "../terminal/index.ts";
import { DEAD_MS, firstState, type Key, update, type Want, type WatchEvent, type WatchState } from "./model/index.ts";
import { render } from "./render.ts";
import { sampleCard } from "./sample-card.ts";

/** For tests: a watch whose clock and events are the test's. */
export class Played {
  state: WatchState;
  wants: Want[] = [];
  #nowMs = 10_000;

  constructor(size = { columns: 80, rows: 24 }) {
    this.state = firstState(size);
  }

  after(ms: number): this {
    this.#nowMs += ms;
    return this;
  }

  event(...events: WatchEvent[]): this {
    for (const event of events) {
      const { state, wants } = update(this.state, event, { wallMs: this.#nowMs, monoMs: this.#nowMs });
      this.state = state;
      this.wants.push(...wants);
    }
    return this;
  }

  ask(...ids: string[]): this {
    return this.event(...ids.map((id): WatchEvent => ({ kind: "asked", card: cardOf(id) })));
  }

  keys(...keys: (string | Exclude<Key["kind"], "char" | "paste">)[]): this {
    return this.event(
      ...keys.map((key): WatchEvent => {
        const named = key.length === 1 ? { kind: "char" as const, char: key } : { kind: key as "enter" };
        return { kind: "key", key: named };
      }),
    );
  }

  paste(text: string): this {
    return this.event({ kind: "key", key: { kind: "paste", text } });
  }

  /** Long enough for every key to live. */
  settle(): this {
    return this.after(DEAD_MS);
  }

  taken(): Want[] {
    return this.wants.splice(0).filter(({ kind }) => kind !== "bell");
  }

  get screen(): Screen {
    return render(this.state, { wallMs: this.#nowMs, monoMs: this.#nowMs });
  }

  get text(): string {
    return this.screen.lines.map(plain).join("\n");
  }

  get selected(): string | undefined {
    return this.state.selectedId;
  }
}

export function cardOf(id: string) {
  const dangerous = id.startsWith("dangerous");
  const command = id.startsWith("long") ? "x ".repeat(4_000) : `run ${id}`;
  const jail = id.endsWith("jailed") ? ({ jail: "workspace", enforcement: "jail" } as const) : {};
  return sampleCard({ approvalId: id, command, riskLevel: dangerous ? "dangerous" : "needs-review", ...jail });
}
