import { createHash } from "node:crypto";
import { type SeenTool, toolCallAnswerSchema } from "@countersign/protocol/hub";
import { anything, HubLine } from "../../connect/index.ts";
import type { Message } from "../../proxies/index.ts";
import type { KnownTools } from "./known-tools.ts";

export interface GateSetting {
  readonly homeDir: string;
  readonly server: string;
  readonly session: string;
}

export interface CallAsked {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly seen: readonly SeenTool[];
}

/** Versions of a tool whose text the hub is told, so that it can show what changed. */
const SHOWN = 2;

/** What became of the question; without words it is permitted. */
export type Answered = { readonly permitted: true } | { readonly permitted: false; readonly words: string };

/**
 * One call at the hub's gate, on a connection of its own: closing that before it is permitted withdraws it, and closing it
 * later without a report says that nobody knows how it ended.
 */
export class GatedCall {
  readonly #setting: GateSetting;
  #line: HubLine | undefined;
  #permit: string | undefined;
  #closed = false;

  constructor(setting: GateSetting) {
    this.#setting = setting;
  }

  async ask(call: CallAsked, book: KnownTools, onWaiting: () => void): Promise<Answered> {
    const { homeDir, server, session } = this.#setting;
    const line = await HubLine.open(homeDir);
    this.#line = line;
    if (this.#closed) line.close();
    if (!book.told) await line.ask({ method: "pinTools", params: { server, tools: book.all() } }, anything);
    book.told = true;
    // Only the newest texts: all of them might not fit a frame.
    const seen = call.seen.map((one, at) => (at < call.seen.length - SHOWN ? { sha256: one.sha256 } : one));
    const params = { server, session, cwd: process.cwd(), ...call, seen };
    const onStage = (stage: string) => stage === "waiting" && onWaiting();
    const answer = await line.ask({ method: "proposeToolCall", params }, toolCallAnswerSchema, { onStage });
    if (!("permit" in answer)) {
      this.close();
      return { permitted: false, words: answer.words };
    }
    this.#permit = answer.permit;
    book.accepted(call.tool);
    return { permitted: true };
  }

  /** How the server answered. Only a hash of it goes on record. */
  async report({ result, error }: Pick<Message, "result" | "error">): Promise<void> {
    const text = JSON.stringify(result ?? error ?? null);
    const hash = createHash("sha256").update(text).digest("hex");
    const failed = error !== undefined || (result as { readonly isError?: unknown } | null)?.isError === true;
    const stdout = `sha256:${hash} of ${Buffer.byteLength(text)} bytes`;
    await this.#end({ kind: "exited", exitCode: failed ? 1 : 0, stdout });
  }

  async abort(reason: string): Promise<void> {
    if (this.#permit !== undefined) await this.#end({ kind: "aborted", reason });
    else this.close();
  }

  close(): void {
    this.#closed = true;
    this.#line?.close();
  }

  async #end(outcome: object): Promise<void> {
    const permit = this.#permit;
    if (permit === undefined || this.#closed) return;
    this.#permit = undefined;
    try {
      await this.#line?.ask({ method: "reportToolCall", params: { permit, outcome } }, anything);
    } finally {
      this.close();
    }
  }
}
