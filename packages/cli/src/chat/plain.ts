import { createInterface } from "node:readline";
import type { ChatEvent } from "@countersign/protocol/hub";
import { visible, visibleLines } from "@countersign/protocol/text";
import { EXIT, onSignals, ourName } from "../base/index.ts";
import { type Line, plain, printJson, shortId } from "../terminal/index.ts";
import { type ChatOptions, ChatSession } from "./chat-session.ts";
import { callLines, endLines, resultLines } from "./event-lines.ts";

/**
 * Without a terminal: one message from the command line, or one for each line of the input, each after the answer to the one before. What
 * the model says goes to stdout, everything else to stderr; with `--json` all of it is events on stdout. Whoever may answer does so elsewhere.
 */
export async function runPlain(message: string | undefined, options: ChatOptions): Promise<number> {
  const talk = new PlainChat(options);
  const signals = onSignals(() => talk.stop());
  try {
    return await talk.run(message === undefined ? createInterface(process.stdin) : [message]);
  } finally {
    signals.off();
  }
}

class PlainChat {
  readonly #options: ChatOptions;
  #session: ChatSession | undefined;
  #failed = false;
  #stopped = false;
  #ended = Promise.withResolvers<void>();

  constructor(options: ChatOptions) {
    this.#options = options;
  }

  async run(messages: Iterable<string> | AsyncIterable<string>): Promise<number> {
    const fail = (cause: unknown) => this.#ended.reject(cause);
    this.#session = await ChatSession.open(this.#options, {
      event: (event) => this.#hear(event),
      output: () => undefined,
      asked: ({ approvalId, command }) => this.#asked(approvalId, command),
      lost: () => this.#note("The connection to the hub is lost; trying again."),
      back: (complete) => {
        if (!complete) fail(new Error("The hub was restarted; what ran has ended with it."));
      },
      failed: fail,
    });
    try {
      for await (const message of messages) {
        if (this.#stopped) break;
        if (message.trim() === "") continue;
        this.#ended = Promise.withResolvers<void>();
        await this.#session.send(message);
        await this.#ended.promise;
      }
      return this.#stopped ? EXIT.aborted : this.#failed ? EXIT.failed : EXIT.ok;
    } finally {
      this.#session.close();
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#session?.abort().catch((cause: unknown) => this.#ended.reject(cause));
  }

  #hear(event: ChatEvent): void {
    if (this.#options.json) printJson(event);
    else this.#show(event);
    if (event.event === "chat.error") this.#failed = true;
    if (event.event === "chat.error" || event.event === "chat.final") this.#ended.resolve();
  }

  #show(event: ChatEvent): void {
    if (event.event === "chat.delta") process.stdout.write(visibleLines(event.data.text).join("\n"));
    else if (event.event === "chat.tool_call") this.#lines(callLines(event.data));
    else if (event.event === "chat.tool_result") this.#lines(resultLines(event.data));
    else this.#lines(endLines(event));
  }

  #asked(approvalId: string, command: string): void {
    const id = shortId(approvalId, []);
    if (!this.#options.json) {
      this.#note(`waits for an answer: ${visible(command)}`);
      this.#note(`\`${ourName()} approve ${id}\`, \`${ourName()} deny ${id}\`, or \`${ourName()} watch\``);
    }
  }

  #lines(lines: readonly Line[]): void {
    for (const each of lines) process.stderr.write(`${plain(each)}\n`);
  }

  #note(text: string): void {
    process.stderr.write(`countersign: ${text}\n`);
  }
}
