import { once } from "node:events";
import type { Writable } from "node:stream";
import { visibleJson } from "@countersign/protocol/text";
import { EXIT, readLines } from "../base/index.ts";
import { answerLine, MAX_LINE_BYTES } from "./answer-line.ts";

/** One line of JSON for each line that comes, in order and at once, but no faster than they are taken. */
export async function explainBatch(input: AsyncIterable<Buffer>, output: Writable): Promise<number> {
  let refused = false;
  let number = 0;
  for await (const lines of readLines(input, MAX_LINE_BYTES)) {
    const answers = lines.map((line) => {
      number += 1;
      return answerLine(line, number);
    });
    refused ||= answers.some(({ cmd }) => cmd === null);
    const text = answers.map((answer) => `${visibleJson(answer)}\n`).join("");
    if (!output.write(text)) await once(output, "drain");
  }
  return refused ? EXIT.usage : EXIT.ok;
}
