import type { Readable } from "node:stream";
import { linesOf } from "./lines-of.ts";

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Server-sent events (WHATWG HTML, 9.2), as far as a hub sends them: one `data` line, and line ends that are `\n`. */
export async function* eventsOf(stream: Readable, maxBytes: number): AsyncGenerator<ServerEvent> {
  let event = "message";
  let data: string | undefined;
  for await (const line of linesOf(stream, maxBytes)) {
    if (line.startsWith("event: ")) event = line.slice("event: ".length);
    if (line.startsWith("data: ")) data = line.slice("data: ".length);
    if (line !== "") continue;
    if (data !== undefined) yield { event, data };
    event = "message";
    data = undefined;
  }
}
