import { type Identity, sha256Hex } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { fileDiff } from "@countersign/core/redaction";
import type { PinToolsParams, SeenTool } from "@countersign/protocol/hub";
import type { Json } from "@countersign/receipts";
import type { Store } from "@countersign/store";
import * as z from "zod";

const pinSchema = z.object({ sha256: z.string(), text: z.string().optional() });
const pinsSchema = z.object({ server: z.string(), tools: z.array(z.tuple([z.string(), pinSchema])) });
type Pins = Map<string, z.infer<typeof pinSchema>>;

/** Why a person must look at a tool before it is called, and what has changed. */
export interface ToolChange {
  readonly mustAskReason: string;
  readonly diff?: string;
}

/** What is kept of one server's tools, in characters; a server that says more keeps the hashes. */
const MAX_TEXT = 2 * 1024 * 1024;

/**
 * What MCP servers said of their tools when they were first seen. A description is text that a model obeys, so one that
 * changes later is a person's to accept; and a tool that turns up later is one that nobody has allowed. Trust on first
 * use: that the first words were honest is not proved by this.
 */
export class ToolPins {
  readonly #store: Store;
  /** One change of a server's pins after the other. */
  #busy: Promise<unknown> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Keeps all of a server that was never seen before; of any other nothing. */
  pin({ server, tools }: PinToolsParams, { id }: Identity): Promise<void> {
    return this.#alone(async () => {
      if (await this.#pins(server, id)) return;
      await this.#keep({ server, id }, new Map(tools.map(({ name, ...seen }) => [name, seen])));
    });
  }

  /** `seen`: what the server said of the tool since somebody last looked, the newest last. */
  async changeOf(
    server: string,
    tool: string,
    { seen, by }: { seen: readonly SeenTool[]; by: Identity },
  ): Promise<ToolChange | undefined> {
    const pins = await this.#pins(server, by.id);
    const pin = pins?.get(tool);
    const newest = seen.at(-1);
    if (!pin) {
      const mustAskReason = `The server ${server} didn't have the tool ${tool} when it was first seen, and nobody has looked at it yet`;
      return { mustAskReason, ...(newest?.text === undefined ? {} : { diff: fileDiff("", shown(newest.text)) }) };
    }
    const other = seen.findLast(({ sha256 }) => sha256 !== pin.sha256);
    if (!other) return undefined;
    // Its hash stands for what is shown: an answer about one change is none about another.
    const now = other.sha256.slice(0, 8);
    const mustAskReason = `What the server ${server} says of its tool ${tool} isn't what it said when somebody last looked (${now})`;
    if (pin.text === undefined || other.text === undefined) return { mustAskReason };
    return { mustAskReason, diff: fileDiff(shown(pin.text), shown(other.text)) };
  }

  /** A person has looked, and allowed it. */
  accept(server: string, tool: string, { seen, by }: { seen: readonly SeenTool[]; by: Identity }): Promise<void> {
    return this.#alone(async () => {
      const newest = seen.at(-1);
      if (newest)
        await this.#keep(
          { server, id: by.id },
          new Map([...((await this.#pins(server, by.id)) ?? []), [tool, newest]]),
        );
    });
  }

  async #pins(server: string, id: string): Promise<Pins | undefined> {
    const kept = await this.#store.setting(keyOf(server, id));
    if (kept === undefined) return undefined;
    const reading = pinsSchema.safeParse(kept);
    // Going on without them would be to trust whatever comes.
    if (!reading.success) throw new HubError("INTERNAL", `What is kept of the tools of ${server} can't be read`);
    return new Map(reading.data.tools);
  }

  async #keep({ server, id }: { server: string; id: string }, pins: Pins): Promise<void> {
    let room = MAX_TEXT;
    const tools = [...pins].map(([name, { sha256, text }]) => {
      room -= text?.length ?? 0;
      return [name, text === undefined || room < 0 ? { sha256 } : { sha256, text }];
    });
    await this.#store.commit([{ op: "put-setting", key: keyOf(server, id), value: { server, tools } as Json }]);
  }

  #alone<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#busy.then(change);
    this.#busy = changed.catch(() => undefined);
    return changed;
  }
}

/** Names come from outside and may be anything. */
function keyOf(server: string, id: string): string {
  return `mcp.pins.${sha256Hex(JSON.stringify([id, server]))}`;
}

/** A line for each member, so that a diff says which of them changed. */
function shown(text: string): string {
  try {
    return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  } catch {
    // Not what a proxy of ours sends; it is shown as it is.
    return text;
  }
}
