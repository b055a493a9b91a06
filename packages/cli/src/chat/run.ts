import type { ChatEvent } from "@countersign/protocol/hub";
import { visible } from "@countersign/protocol/text";
import { CliError, EXIT, onSignals } from "../base/index.ts";
import {
  cellsOf,
  elide,
  IndentedText,
  type Line,
  line,
  paintLine,
  plain,
  preview,
  textOf,
  widthOf,
  wrap,
} from "../terminal/index.ts";
import { type Key, KeyReader, type RecentEvent, type Size } from "../watch/model/index.ts";
import { CardBlock } from "./card-block.ts";
import { type ChatOptions, ChatSession } from "./chat-session.ts";
import { callLines, endLines, resultLines } from "./event-lines.ts";
import { type Area, LiveArea } from "./live-area.ts";

const TICK_MS = 1_000;
const MAX_INPUT = 32_000;
/** Cursor hidden while something is drawn, pastes marked. */
const ENTER = "\x1b[?2004h";
const LEAVE = "\x1b[?2004l\x1b[?25h";

/** A conversation in a terminal, until the person leaves it. */
export async function runChat(options: ChatOptions): Promise<number> {
  const chat = new TerminalChat(options);
  const signals = onSignals(() => chat.leave(EXIT.ok));
  const giveBack = () => chat.giveBack();
  process.once("exit", giveBack);
  try {
    return await chat.run();
  } finally {
    chat.giveBack();
    process.off("exit", giveBack);
    signals.off();
  }
}

/** A command that runs, or waits to. */
interface Command {
  readonly proposalId: string;
  readonly sinceMs: number;
  /** The last line that it wrote. */
  last: string;
}

class TerminalChat {
  readonly #options: ChatOptions;
  readonly #colour = !process.env.NO_COLOR;
  readonly #area = new LiveArea(process.stdout, { colour: this.#colour });
  readonly #model = new IndentedText("  ", () => this.#size().columns);
  readonly #keys = new KeyReader();
  readonly #over = Promise.withResolvers<number>();
  #session: ChatSession | undefined;
  #cards: CardBlock | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #flushing: ReturnType<typeof setTimeout> | undefined;
  #taken = false;
  #input = "";
  #notice = "";
  #command: Command | undefined;
  #run: "none" | "sent" | "running" | "stopping" = "none";

  constructor(options: ChatOptions) {
    this.#options = options;
  }

  async run(): Promise<number> {
    this.#session = await ChatSession.open(this.#options, {
      event: (event) => this.#hear(event),
      output: ({ proposalId, text }) => this.#progress(proposalId, text),
      asked: () => undefined,
      lost: () => this.#say([line("! The connection to the hub is lost; trying again.", "danger")]),
      back: (complete) => this.#cameBack(complete),
      failed: (error) => this.#over.reject(error),
    });
    const { sessionKey } = this.#session;
    this.#cards = new CardBlock({ ...this.#options, sessionKey }, () => this.#size(), {
      changed: () => this.#paint(),
      ended: (event, note) => this.#answered(event, note),
      bell: () => process.stdout.write("\x07"),
      quit: () => this.leave(EXIT.ok),
      fail: (cause) => this.#over.reject(cause),
    });
    try {
      await this.#cards.open();
      this.#take();
      this.#say([line(`Session ${sessionKey}. Ctrl-C stops the agent, once more leaves.`, "dim")]);
      return await this.#over.promise;
    } finally {
      this.#session.close();
      this.#cards.close();
    }
  }

  leave(code: number): void {
    this.#over.resolve(code);
  }

  /** The terminal as it was, once. */
  giveBack(): void {
    if (!this.#taken) return;
    this.#taken = false;
    clearInterval(this.#timer);
    clearTimeout(this.#flushing);
    this.#area.paint();
    process.stdout.write(LEAVE);
    process.stdin.setRawMode(false);
    process.stdin.removeAllListeners("data");
    process.stdin.pause();
  }

  #take(): void {
    this.#taken = true;
    process.stdin.setRawMode(true);
    process.stdin.on("data", (chunk: Buffer) => this.#press(this.#keys.push(chunk, performance.now())));
    process.stdin.once("end", () => this.leave(EXIT.ok));
    process.stdin.resume();
    process.stdout.on("resize", () => this.#cards?.refresh());
    process.stdout.write(ENTER);
    this.#timer = setInterval(() => this.#cards?.refresh(), TICK_MS);
  }

  #size(): Size {
    return { columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 };
  }

  #press(keys: readonly Key[]): void {
    for (const key of keys) {
      if (key.kind === "interrupt") this.#interrupt();
      else if (this.#cards?.isWaiting) this.#cards.press(key);
      else if (this.#run === "none") this.#edit(key);
    }
    const dueInMs = this.#keys.dueInMs();
    clearTimeout(this.#flushing);
    if (dueInMs !== undefined) {
      this.#flushing = setTimeout(() => this.#press(this.#keys.flush(performance.now())), dueInMs);
    }
    this.#paint();
  }

  #interrupt(): void {
    if (this.#run === "none" && this.#input !== "") this.#input = "";
    else if (this.#run === "none") this.leave(EXIT.ok);
    else if (this.#run === "stopping") this.leave(EXIT.aborted);
    else {
      this.#run = "stopping";
      this.#session?.abort().catch((cause: unknown) => this.#tell(cause));
    }
  }

  #edit(key: Key): void {
    this.#notice = "";
    if (key.kind === "char") this.#input += key.char;
    else if (key.kind === "paste") this.#input += key.text.replaceAll("\r", "\n");
    else if (key.kind === "backspace") this.#input = [...this.#input].slice(0, -1).join("");
    else if (key.kind === "clear-line") this.#input = "";
    else if (key.kind === "enter") this.#send();
    if (this.#input.length > MAX_INPUT) {
      this.#input = this.#input.slice(0, MAX_INPUT).toWellFormed();
      this.#notice = `A message has ${MAX_INPUT} characters at the most.`;
    }
  }

  #send(): void {
    const message = this.#input;
    if (message.trim() === "") return;
    this.#run = "sent";
    this.#input = "";
    this.#session?.send(message).catch((cause: unknown) => {
      this.#run = "none";
      this.#input = message;
      this.#tell(cause);
    });
  }

  #hear(event: ChatEvent): void {
    switch (event.event) {
      case "chat.user":
        if (this.#run !== "stopping") this.#run = "running";
        return this.#say(messageLines(event.data));
      case "chat.delta":
        return this.#area.say(this.#model.push(event.data.text));
      case "chat.tool_call":
        return this.#say(callLines(event.data));
      case "chat.proposed": {
        const { proposalId } = event.data;
        this.#command = { proposalId, sinceMs: performance.now(), last: "" };
        this.#session?.follow(proposalId);
        return this.#paint();
      }
      case "chat.tool_result":
        this.#command = undefined;
        return this.#say(resultLines(event.data));
      default:
        this.#run = "none";
        this.#command = undefined;
        return this.#say(endLines(event));
    }
  }

  #progress(proposalId: string, text: string): void {
    if (this.#command?.proposalId !== proposalId) return;
    this.#command.last = text.trimEnd().split("\n").at(-1) ?? "";
    this.#paint();
  }

  #answered({ mark, how, command }: RecentEvent, note: string | undefined): void {
    const { columns } = this.#size();
    const said = `${mark} ${elide(how, columns - 4)}`;
    const style = mark === "✓" ? "good" : "warn";
    const what = line(`  ${preview(command, columns - 4)}`, "dim");
    this.#say([
      line(said, style),
      ...(mark === "✓" ? [] : [what]),
      ...(note ? [line(`  ${visible(note)}`, "dim")] : []),
    ]);
  }

  #cameBack(complete: boolean): void {
    this.#say([line("- Connected again.", "dim")]);
    if (complete) return;
    // What ran when the hub went has ended with it.
    this.#run = "none";
    this.#command = undefined;
    this.#say([line("! Something was missed meanwhile; the session's history has it.", "warn")]);
  }

  #tell(cause: unknown): void {
    if (!(cause instanceof CliError)) return this.#over.reject(cause);
    this.#say([line(`! ${visible(cause.message)}`, "danger")]);
  }

  /** Lines of ours: they begin where nothing of the model's can. So where one is too long, it goes on behind a margin. */
  #say(lines: readonly Line[]): void {
    const { columns } = this.#size();
    const rows = lines.flatMap((each) => {
      const broken = wrap(cellsOf(plain(each)), columns - 2).map(textOf);
      return broken.map((text, index) => line(index === 0 ? text : `  ${text}`, each[0]?.style));
    });
    const text = rows.map((each) => `${paintLine(each, { colour: this.#colour })}\r\n`).join("");
    this.#area.say(this.#model.end() + text);
    this.#paint();
  }

  /** In the middle of what the model says nothing is drawn: the next piece goes there. */
  #paint(): void {
    if (!this.#taken || (this.#model.isOpen && !this.#cards?.isWaiting)) return;
    if (this.#model.isOpen) this.#area.say(this.#model.end());
    this.#area.paint(this.#drawn());
  }

  #drawn(): Area {
    if (this.#cards?.isWaiting) return this.#cards.area();
    const { columns } = this.#size();
    if (this.#run === "stopping") return { lines: [line("… stopping; Ctrl-C leaves", "dim")] };
    if (this.#command) {
      const seconds = Math.round((performance.now() - this.#command.sinceMs) / 1_000);
      return { lines: [line(elide(`… ${seconds} s  ${preview(this.#command.last, columns)}`, columns - 1), "dim")] };
    }
    if (this.#run !== "none") return { lines: [line("…", "dim")] };
    const shown = visible(this.#input.replaceAll("\n", "⏎"));
    const room = columns - 4;
    const tail = widthOf(shown) > room ? `…${[...shown].slice(-(room - 1)).join("")}` : shown;
    const notice = this.#notice === "" ? [] : [line(this.#notice, "warn")];
    return { lines: [...notice, line(`> ${tail}`)], cursor: { row: notice.length, column: widthOf(tail) + 2 } };
  }
}

/** A message of this person's, or of another's in the same session. */
function messageLines({ text, by }: { readonly text: string; readonly by: string }): Line[] {
  const [first = "", ...rest] = text.split("\n").map(visible);
  return [line(`> ${first}`, "bold"), ...rest.map((each) => line(`: ${each}`)), line(`  (${visible(by)})`, "dim")];
}
