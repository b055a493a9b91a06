import { connect } from "node:net";
import { visible } from "@countersign/protocol/text";
import type { ControlRequest } from "@countersign/sandbox";
import { CliError } from "../base/index.ts";

const LONGEST_ANSWER = 16 * 1024 * 1024;

interface Answer {
  readonly error?: { readonly code: string; readonly message: string };
}

/** One line of JSON to an observer that runs, and its answer. Throws CliError. */
export async function askObserver(path: string, request: ControlRequest): Promise<object> {
  const answer = JSON.parse(await ask(path, `${JSON.stringify(request)}\n`)) as Answer;
  if (!answer.error) return answer;
  const { code, message } = answer.error;
  throw new CliError({ server: visible(code) }, `${visible(message)} (${visible(code)})`);
}

function ask(path: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    let text = "";
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      if (text.length > LONGEST_ANSWER) socket.destroy(new Error("its answer is too long"));
    });
    socket.on("end", () => resolve(text));
    socket.on("error", (cause) =>
      reject(new CliError("UNREACHABLE", `No observer is running at ${visible(path)}: ${cause.message}`, { cause })),
    );
    socket.write(line);
  });
}
