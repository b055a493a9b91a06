import {
  approvalAskedSchema,
  type ChatEvent,
  type ChatResumed,
  chatEventSchema,
  chatResumedSchema,
  chatSentSchema,
  sessionKeySchema,
} from "@countersign/protocol/hub";
import { type ExecOutput, execOutputSchema } from "@countersign/protocol/proposals";
import type { RpcEvent } from "@countersign/sdk";
import { CliError, type GlobalOptions } from "../base/index.ts";
import { anything, findHub } from "../connect/index.ts";
import { openRpc, type Rpc } from "./open-rpc.ts";

export interface ChatOptions extends GlobalOptions {
  readonly agent?: string;
  /** One that was begun before. */
  readonly session?: string;
}

export interface ChatListener {
  event(event: ChatEvent): void;
  /** What a followed command writes. */
  output(output: ExecOutput): void;
  /** Somebody who may answer is asked about something in this session, here or elsewhere. */
  asked(approval: { readonly approvalId: string; readonly command: string }): void;
  lost(): void;
  /** Connected again; without `complete`, something was missed. */
  back(complete: boolean): void;
  /** It won't come back. */
  failed(error: CliError): void;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/** A session with an agent, over a connection that comes back and then has what was missed. */
export class ChatSession {
  readonly sessionKey: string;
  readonly #options: ChatOptions;
  readonly #listener: ChatListener;
  #link: Rpc | undefined;
  #stream = "";
  #seq = 0;
  #tries = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  private constructor(sessionKey: string, options: ChatOptions, listener: ChatListener) {
    this.sessionKey = sessionKey;
    this.#options = options;
    this.#listener = listener;
  }

  /** What fails here is the command's failure. */
  static async open(options: ChatOptions, listener: ChatListener): Promise<ChatSession> {
    const hub = await findHub(options);
    const silent = { event: () => undefined, closed: () => undefined };
    const link = await openRpc(hub, silent);
    try {
      const { agent, session } = options;
      const wanted = {
        ...(agent === undefined ? {} : { agent }),
        ...(session === undefined ? {} : { sessionKey: session }),
      };
      const known = session !== undefined && agent === undefined;
      const { sessionKey } = known
        ? await link.call("sessions.get", { sessionKey: session }, sessionKeySchema)
        : await link.call("sessions.create", wanted, sessionKeySchema);
      const chat = new ChatSession(sessionKey, options, listener);
      await chat.#connect();
      return chat;
    } finally {
      link.close();
    }
  }

  async send(message: string): Promise<string> {
    return (await this.#need().call("chat.send", { sessionKey: this.sessionKey, message }, chatSentSchema)).runId;
  }

  async abort(): Promise<void> {
    await this.#need().call("chat.abort", { sessionKey: this.sessionKey }, anything);
  }

  /** It may have ended by then, which is no failure. */
  follow(proposalId: string): void {
    this.#link?.call("exec.follow", { proposalId }, anything).catch(() => undefined);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#link?.close();
  }

  async #connect(): Promise<ChatResumed> {
    // What comes before the answer is newer than what was missed, which is in it.
    let early: RpcEvent[] | undefined = [];
    const link = await openRpc(await findHub(this.#options), {
      event: (frame) => (early ? early.push(frame) : this.#hear(frame)),
      closed: () => this.#lost(link),
    });
    const { sessionKey } = this;
    const before = this.#stream === "" ? {} : { stream: this.#stream, after: this.#seq };
    const resumed = await link.call("chat.resume", { sessionKey, ...before }, chatResumedSchema);
    if (this.#closed) link.close();
    this.#link = link;
    this.#tries = 0;
    this.#stream = resumed.stream;
    for (const event of resumed.events) this.#take(event);
    this.#seq = resumed.seq;
    const newer = early;
    early = undefined;
    for (const frame of newer) this.#hear(frame);
    return resumed;
  }

  #hear({ event, data }: RpcEvent): void {
    if (event.startsWith("chat.")) {
      const told = chatEventSchema.safeParse({ event, data });
      if (told.success && told.data.data.sessionKey === this.sessionKey) this.#take(told.data);
    } else if (event === "exec.output") {
      const output = execOutputSchema.safeParse(data);
      if (output.success) this.#listener.output(output.data);
    } else if (event === "exec.approval_request") {
      const asked = approvalAskedSchema.safeParse(data);
      if (asked.success && asked.data.sessionKey === this.sessionKey) this.#listener.asked(asked.data);
    }
  }

  /** In order, and each once. */
  #take(event: ChatEvent): void {
    if (event.data.seq <= this.#seq) return;
    this.#seq = event.data.seq;
    this.#listener.event(event);
  }

  #lost(link: Rpc): void {
    if (this.#closed || (this.#link !== link && this.#link !== undefined)) return;
    if (this.#link) this.#listener.lost();
    this.#link = undefined;
    clearTimeout(this.#retry);
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** this.#tries, LONGEST_WAIT_MS) * (0.5 + Math.random() / 2);
    this.#tries += 1;
    this.#retry = setTimeout(() => this.#comeBack(), waitMs);
  }

  #comeBack(): void {
    const before = this.#stream;
    this.#connect().then(
      ({ stream, complete }) => {
        // The numbers of another process begin anew.
        this.#listener.back(complete && stream === before);
      },
      (cause: unknown) => {
        if (this.#closed) return;
        const error = cause instanceof CliError ? cause : new CliError("FAILED", String(cause), { cause });
        if (error.code === "UNAUTHORIZED" || error.code === "INVALID_PARAMS") this.#listener.failed(error);
        else this.#lost(this.#link as unknown as Rpc);
      },
    );
  }

  #need(): Rpc {
    if (this.#link) return this.#link;
    throw new CliError("HUB_GONE", "There's no connection to the hub.");
  }
}
