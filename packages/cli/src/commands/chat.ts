import { type ChatOptions, runChat, runPlain } from "../chat/index.ts";

/** A conversation in a terminal; where there's none to take, or with a message, without keys. */
export async function chat(words: readonly string[], options: ChatOptions): Promise<number> {
  const { stdin, stdout, env } = process;
  const message = words.length === 0 ? undefined : words.join(" ");
  const terminal = stdin.isTTY && stdout.isTTY && env.TERM !== "dumb";
  return terminal && message === undefined && !options.json ? await runChat(options) : await runPlain(message, options);
}
