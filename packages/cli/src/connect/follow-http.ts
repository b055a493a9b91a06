import { endSchema, type Outcome, outputEventSchema, problemSchema } from "@countersign/protocol/proposals";
import { CliError } from "../base/index.ts";
import { eventsOf } from "./events-of.ts";
import type { HttpHub } from "./find-hub.ts";
import { collect, type HttpCall, openHttp, refusal, unreachable } from "./http.ts";
import { parseAnswer, readAnswer } from "./read-answer.ts";
import type { OnOutput } from "./socket.ts";

/** Far more than one event takes. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;

/** A proposal whose output is told as it comes. */
export async function followHttp(hub: HttpHub, call: HttpCall, onOutput: OnOutput): Promise<Outcome> {
  const response = await openHttp(hub, { ...call, accept: "text/event-stream" });
  if (response.statusCode !== 200) {
    const { status, text } = await collect(hub, response);
    throw refusal(status, parseAnswer(text));
  }
  try {
    for await (const { event, data } of eventsOf(response, MAX_EVENT_BYTES)) {
      const json = parseAnswer(data);
      if (event === "output") await onOutput(readAnswer(json, outputEventSchema));
      if (event === "end") return readAnswer(json, endSchema);
      if (event === "problem") throw asCliError(json);
    }
  } catch (cause) {
    throw cause instanceof CliError ? cause : unreachable(hub, cause);
  }
  throw new CliError(
    "HUB_GONE",
    "The hub stopped before it replied. Run `countersign receipts list` to see whether the command ran.",
  );
}

function asCliError(json: unknown): CliError {
  const { code, message } = readAnswer(json, problemSchema);
  return new CliError(code, message);
}
