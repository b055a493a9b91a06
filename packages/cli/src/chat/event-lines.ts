import type { ChatEvent } from "@countersign/protocol/hub";
import { visible } from "@countersign/protocol/text";
import { commandLines } from "../show/index.ts";
import { type Line, line } from "../terminal/index.ts";

/** Of what a tool wrote, so many lines are shown: the record has the rest. */
const MOST_RESULT_LINES = 12;

type Call = Extract<ChatEvent, { event: "chat.tool_call" }>["data"];
type Result = Extract<ChatEvent, { event: "chat.tool_result" }>["data"];

/** A tool that the model calls. Whatever it wrote stands behind a mark of ours. */
export function callLines({ tool, input }: Call): Line[] {
  const { command } = (input ?? {}) as { command?: unknown };
  if (tool === "bash" && typeof command === "string") return commandLines(command).map((text) => line(text, "bold"));
  return [line(`* ${visible(tool)} ${visible(JSON.stringify(input))}`, "bold")];
}

/** What the model is told of it: its end, where errors stand. */
export function resultLines({ text }: Pick<Result, "text">): Line[] {
  const lines = text.replace(/\n$/, "").split("\n");
  const hidden = lines.length - MOST_RESULT_LINES;
  const shown = hidden > 0 ? [`… ${hidden} more lines …`, ...lines.slice(-MOST_RESULT_LINES)] : lines;
  return shown.map((each) => line(`| ${visible(each)}`, "dim"));
}

/** How a run ended, where the answer itself doesn't say it. */
export function endLines(ended: ChatEvent): Line[] {
  if (ended.event === "chat.error") return [line(`! ${visible(ended.data.message)} (${ended.data.code})`, "danger")];
  if (ended.event !== "chat.final") return [];
  switch (ended.data.stop) {
    case "aborted":
      return [line("- Stopped.", "warn")];
    case "length":
      return [line("- The model ran out of room here.", "warn")];
    case "filtered":
      return [line("- The model's provider held the rest back.", "warn")];
    default:
      return [];
  }
}
