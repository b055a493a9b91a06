import { GatewayError } from "@countersign/sdk";
import { CliError } from "../base/index.ts";
import { savedLines } from "../show/index.ts";
import type { HubLink } from "./hub-link.ts";
import type { Want, WatchEvent } from "./model/index.ts";

type SideEffect = Exclude<Want, { readonly kind: "bell" | "redraw" | "quit" }>;
type CardWant = Want & { kind: "scopes" | "preview" | "cancel-preview" | "reveal" | "allow-late" };

interface SideEffectsOptions {
  readonly link: HubLink;
  happen(event: WatchEvent): void;
  /** Something that nobody foresaw. */
  fail(cause: unknown): void;
  /** What is known of the hub may be old. */
  askFacts(): void;
}

/** What the state wants of the hub; what comes of it happens to the state. */
export class SideEffects {
  readonly #options: SideEffectsOptions;
  #previewing = new AbortController();

  constructor(options: SideEffectsOptions) {
    this.#options = options;
  }

  run(want: SideEffect): void {
    this.#run(want).catch((cause: unknown) => this.#options.fail(cause));
  }

  #run(want: SideEffect): Promise<void> {
    switch (want.kind) {
      case "decide":
        return this.#decide(want);
      case "scopes":
        return this.#askScopes(want);
      case "preview":
        return this.#preview(want);
      case "cancel-preview":
        return this.#cancelPreview(want);
      case "reveal":
        return this.#reveal(want);
      case "explain":
        return this.#explain(want);
      case "allow-late":
        return this.#allowLate(want);
      case "pause":
      case "resume":
        return this.#pause(want.kind);
    }
  }

  async #decide({ kind: _, card, ...decided }: Want & { kind: "decide" }): Promise<void> {
    const { link, happen } = this.#options;
    const { approvalId } = card;
    const { decision, scope, command } = decided;
    const edited = command === undefined ? {} : { edited: true as const };
    try {
      const { note, saved = [] } = await link.decide(card, decided);
      const told = [...savedLines(saved, scope), ...(note === undefined ? [] : [note])].join(". ");
      happen({ kind: "answered", approvalId, decision, ...edited, ...(told === "" ? {} : { note: told }) });
    } catch (cause) {
      const why = sentenceOf(cause);
      const gone = cause instanceof GatewayError && cause.code === "NOT_FOUND";
      happen({ kind: "not-answered", approvalId, gone, why: gone ? "Too late: it was answered or has expired." : why });
    }
  }

  async #preview({ card }: CardWant): Promise<void> {
    const { link, happen } = this.#options;
    this.#previewing = new AbortController();
    const { signal } = this.#previewing;
    try {
      happen({ kind: "previewed", result: await link.preview(card, signal) });
    } catch (cause) {
      // Another one of the same card may have been asked for since.
      if (!signal.aborted) happen({ kind: "not-previewed", approvalId: card.approvalId, why: sentenceOf(cause) });
    }
  }

  async #cancelPreview({ card }: CardWant): Promise<void> {
    const { link, happen } = this.#options;
    this.#previewing.abort();
    try {
      await link.cancelPreview(card);
    } catch (cause) {
      happen({ kind: "not-previewed", approvalId: card.approvalId, why: sentenceOf(cause) });
    }
  }

  async #askScopes({ card }: CardWant): Promise<void> {
    const { link, happen } = this.#options;
    const { approvalId } = card;
    try {
      happen({ kind: "scopes", approvalId, offers: await link.scopes(card) });
    } catch (cause) {
      happen({ kind: "no-scopes", approvalId, why: sentenceOf(cause) });
    }
  }

  async #explain({ card, command }: Want & { kind: "explain" }): Promise<void> {
    const { link, happen } = this.#options;
    const about = { kind: "explained", approvalId: card.approvalId, command } as const;
    try {
      happen({ ...about, explained: { kind: "known", explanation: await link.explain(card, command) } });
    } catch (cause) {
      happen({ ...about, explained: { kind: "unknown", why: sentenceOf(cause) } });
    }
  }

  async #allowLate({ card }: CardWant): Promise<void> {
    const { link, happen } = this.#options;
    const { approvalId } = card;
    try {
      await link.allowLate(card);
      happen({ kind: "late", approvalId, over: true, note: "If it asks again within 30 min, it is allowed once." });
    } catch (cause) {
      const over = cause instanceof GatewayError && cause.code === "NOT_FOUND";
      const note = over ? "Too late: somebody was first, or it is too long ago." : sentenceOf(cause);
      happen({ kind: "late", approvalId, over, note });
    }
  }

  async #reveal({ card }: CardWant): Promise<void> {
    const { link, happen } = this.#options;
    try {
      happen({ kind: "revealed", card: await link.reveal(card) });
    } catch (cause) {
      happen({ kind: "not-revealed", why: sentenceOf(cause) });
    }
  }

  async #pause(kind: "pause" | "resume"): Promise<void> {
    const { link, happen, askFacts } = this.#options;
    try {
      await link[kind]();
      happen({ kind: "paused" });
    } catch (cause) {
      happen({ kind: "paused", why: sentenceOf(cause) });
    }
    askFacts();
  }
}

function sentenceOf(cause: unknown): string {
  if (cause instanceof GatewayError || cause instanceof CliError) return cause.message;
  throw cause;
}
