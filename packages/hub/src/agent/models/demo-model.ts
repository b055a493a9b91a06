import { setImmediate as turn } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import type { Model, ModelPart, ModelRequest, PromptEntry } from "./model.ts";

/** "Please run: …" or "Run: …", at the beginning of a line. */
const ASKS = /^[ \t]*(?:please[ \t]+)?run:[ \t]*/gim;
const CHARACTERS_PER_TOKEN = 4;
const HELP = [
  "I am the demo model: I work offline and understand one thing.\n",
  "Write `Run: ` and a command, such as `Run: ls`, and I propose it. ",
  "You are asked before it runs.\n",
];

/**
 * Replaces a model where there is no key and no network: proposes the command that it is given, and repeats the result.
 */
export const demoModel: Model = {
  async *stream({ system, entries, tools, signal }: ModelRequest): AsyncGenerator<ModelPart> {
    const answers = answersTo(entries);
    const commands = answers.length === 0 ? commandsIn(entries.at(-1)) : [];
    const canRun = tools.some(({ name }) => name === "bash");
    let said = 0;
    if (commands.length > 0 && canRun) {
      for (const command of commands) {
        const input = JSON.stringify({ command });
        said += input.length;
        yield { kind: "call", call: { callId: uuidv7(), tool: "bash", input } };
      }
    } else {
      for (const text of commands.length > 0 ? ["I have no tool to run that with.\n"] : wordsFor(answers)) {
        if (signal.aborted) return;
        said += text.length;
        yield { kind: "text", text };
        await turn();
      }
    }
    const inputTokens = tokens(system.length + entries.reduce((sum, entry) => sum + entry.text.length, 0));
    const outputTokens = tokens(said);
    yield { kind: "end", stop: "stop", usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } };
  },
};

/** Returns each requested command: the text after `Run:`, up to the next one. */
function commandsIn(entry: PromptEntry | undefined): string[] {
  if (entry?.role !== "user") return [];
  const found = [...entry.text.matchAll(ASKS)];
  return found
    .map(({ index, 0: words }, at) => entry.text.slice(index + words.length, found[at + 1]?.index).trim())
    .filter((command) => command !== "");
}

/** Returns the tools' results since the model's last turn. */
function answersTo(entries: readonly PromptEntry[]): string[] {
  const last = entries.findLastIndex(({ role }) => role !== "tool");
  return entries.slice(last + 1).map(({ text }) => text);
}

function wordsFor(answers: readonly string[]): string[] {
  return answers.length === 0 ? HELP : answers.flatMap(wordsForOne);
}

/** A denial is acknowledged; everything else is repeated, line by line. */
function wordsForOne(answer: string): string[] {
  if (answer.startsWith("Denied by ")) {
    return ["Understood, that was denied. ", `I was told: ${answer.trimEnd()}\n`, "I won't try it another way.\n"];
  }
  return answer.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function tokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
