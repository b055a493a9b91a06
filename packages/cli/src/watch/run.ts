import { EXIT, type GlobalOptions, onSignals, userHome } from "../base/index.ts";
import { HubLink } from "./hub-link.ts";
import { firstState, type Key, KeyReader, type Now, update, type Want, type WatchEvent } from "./model/index.ts";
import { render } from "./render.ts";
import { SideEffects } from "./side-effects.ts";
import { Terminal } from "./terminal.ts";

const TICK_MS = 1_000;
/** What changes is told; this finds a hub that no longer answers. */
const FACTS_EVERY_MS = 30_000;
/** After news, so that a burst of them asks once. */
const FACTS_SOON_MS = 150;

/** The inbox in a terminal, until the person leaves it. */
export async function runWatch(options: GlobalOptions): Promise<number> {
  const colour = !process.env.NO_COLOR;
  const watch = new Watch(new Terminal(process.stdin, process.stdout, { colour }), options);
  const signals = onSignals(() => watch.stop());
  const onBug = (cause: unknown) => watch.fail(cause);
  const onContinue = () => watch.cameBack();
  process.on("uncaughtException", onBug);
  process.on("unhandledRejection", onBug);
  process.on("SIGCONT", onContinue);
  try {
    await watch.run();
    return EXIT.ok;
  } finally {
    watch.leave();
    signals.off();
    process.off("uncaughtException", onBug);
    process.off("unhandledRejection", onBug);
    process.off("SIGCONT", onContinue);
  }
}

type TimerName = "tick" | "facts" | "soon" | "keys" | "alive" | "paint";

/** Between the terminal, the hub and the state. Whatever is decided is decided in `update`. */
class Watch {
  readonly #terminal: Terminal;
  readonly #link: HubLink;
  readonly #keys = new KeyReader();
  readonly #over = Promise.withResolvers<void>();
  readonly #timers = new Map<TimerName, ReturnType<typeof setTimeout>>();
  readonly #sideEffects: SideEffects;
  #state;
  #left = false;

  constructor(terminal: Terminal, options: GlobalOptions) {
    this.#terminal = terminal;
    // Elsewhere `~` may be another directory.
    this.#state = firstState(terminal.size, options.url === undefined ? userHome() : undefined);
    this.#link = new HubLink(options, {
      asked: (card) => {
        this.#happen({ kind: "asked", card });
        this.#askFactsSoon();
      },
      counted: (counted) => this.#happen({ kind: "counted", counted }),
      closed: (closed, expired) => {
        this.#happen({ kind: "closed", closed, expired });
        this.#askFactsSoon();
      },
      known: () => this.#state.cards.filter(({ ended }) => ended === undefined).map(({ card }) => card.approvalId),
      gone: (approvalIds) => this.#happen({ kind: "gone", approvalIds }),
      changed: () => this.#askFactsSoon(),
      up: () => {
        this.#happen({ kind: "link", link: { up: true } });
        this.#askFacts(0);
        this.#link.attend().catch((cause: unknown) => this.fail(cause));
      },
      down: (why) => this.#happen({ kind: "link", link: { up: false, why } }),
      ledger: (alarm) => this.#happen({ kind: "ledger", alarm }),
      failed: (error) => this.fail(error),
    });
    this.#sideEffects = new SideEffects({
      link: this.#link,
      happen: (event) => this.#happen(event),
      fail: (cause) => this.fail(cause),
      askFacts: () => this.#askFacts(0),
    });
  }

  async run(): Promise<void> {
    // A failure to connect is told on the screen that the person has, not on one that vanishes.
    await Promise.race([this.#link.open(), this.#over.promise]);
    this.#terminal.enter({
      bytes: (chunk) => this.#press(this.#keys.push(chunk, performance.now())),
      resize: () => {
        this.#terminal.forget();
        this.#happen({ kind: "resize", size: this.#terminal.size });
      },
      gone: () => this.stop(),
    });
    this.#paint();
    this.#tick();
    await this.#over.promise;
  }

  stop(): void {
    this.#over.resolve();
  }

  fail(cause: unknown): void {
    // The terminal went away under us: nobody is there to be told.
    if ((cause as NodeJS.ErrnoException | null)?.code === "EIO") this.stop();
    else this.#over.reject(cause);
  }

  cameBack(): void {
    this.#terminal.enterAgain();
    this.#paint();
  }

  leave(): void {
    this.#left = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#link.close();
    this.#terminal.leave();
  }

  #happen(event: WatchEvent): void {
    const { state, wants } = update(this.#state, event, now());
    this.#state = state;
    for (const want of wants) this.#do(want);
    this.#paintSoon();
    const deadMs = state.deadUntilMs - performance.now();
    if (deadMs > 0) this.#later("alive", deadMs + 1, () => this.#paint());
  }

  #press(keys: readonly Key[]): void {
    for (const key of keys) this.#happen({ kind: "key", key });
    const dueInMs = this.#keys.dueInMs();
    if (dueInMs !== undefined) this.#later("keys", dueInMs, () => this.#press(this.#keys.flush(performance.now())));
  }

  #do(want: Want): void {
    switch (want.kind) {
      case "bell":
        return this.#terminal.bell();
      case "redraw":
        return this.#terminal.forget();
      case "quit":
        return this.stop();
      default:
        return this.#sideEffects.run(want);
    }
  }

  #askFacts(inMs: number): void {
    this.#later("facts", inMs, () => {
      this.#link.facts(Date.now()).then(
        (hub) => {
          if (hub) this.#happen({ kind: "hub", hub });
          this.#askFacts(FACTS_EVERY_MS);
        },
        (cause: unknown) => this.fail(cause),
      );
    });
  }

  #askFactsSoon(): void {
    if (!this.#timers.has("soon")) this.#later("soon", FACTS_SOON_MS, () => this.#askFacts(0));
  }

  #tick(): void {
    this.#later("tick", TICK_MS, () => {
      this.#happen({ kind: "tick" });
      this.#tick();
    });
  }

  /** A thousand cards that come at once are painted once. */
  #paintSoon(): void {
    if (!this.#timers.has("paint")) this.#later("paint", 0, () => this.#paint());
  }

  #paint(): void {
    this.#terminal.paint(render(this.#state, now()));
  }

  #later(name: TimerName, ms: number, call: () => void): void {
    // An answer that was under way may still come; it must not keep the process.
    if (this.#left) return;
    clearTimeout(this.#timers.get(name));
    const timer = setTimeout(() => {
      this.#timers.delete(name);
      call();
    }, ms);
    this.#timers.set(name, timer);
  }
}

function now(): Now {
  return { wallMs: Date.now(), monoMs: performance.now() };
}
