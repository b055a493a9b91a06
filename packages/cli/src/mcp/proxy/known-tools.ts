import { createHash } from "node:crypto";
import type { PinToolsParams, SeenTool } from "@countersign/protocol/hub";
import { canonicalize, type Json } from "@countersign/receipts";
import { isObject } from "../../proxies/index.ts";

/** Longer ones are held by their hash alone. */
const MAX_TEXT = 65_536;
/** Bytes of all of them as they are told to the hub, so that they fit a frame. */
const MAX_TOLD = 768 * 1024;
const MAX_VERSIONS = 8;
const MAX_TOOLS = 4_096;
const MAX_NAME = 256;

/**
 * What the server said of its tools: to us, and to the client, which need not be the same. A tool that it never named isn't
 * called.
 */
export class KnownTools {
  /** By name: what was said since somebody last looked, the newest last. */
  readonly #seen = new Map<string, SeenTool[]>();
  /** Those of the newest list. */
  #listed = new Set<string>();
  /** Nothing was listed yet, or the server says that its list has changed. */
  stale = true;
  /** The hub has heard what the server offers: what it keeps of that is what it heard first. */
  told = false;

  versions(name: string): readonly SeenTool[] | undefined {
    return this.#listed.has(name) ? this.#seen.get(name) : undefined;
  }

  /** A whole list: what isn't on it is gone. */
  replace(tools: readonly unknown[]): void {
    this.#listed = new Set();
    for (const tool of tools) this.see(tool);
  }

  /** One more that the client was told of. */
  see(tool: unknown): void {
    if (!isObject(tool) || typeof tool.name !== "string" || tool.name === "" || tool.name.length > MAX_NAME) return;
    const seen = hashed(tool);
    if (!seen || (this.#listed.size >= MAX_TOOLS && !this.#listed.has(tool.name))) return;
    this.#listed.add(tool.name);
    const others = (this.#seen.get(tool.name) ?? []).filter(({ sha256 }) => sha256 !== seen.sha256);
    this.#seen.set(tool.name, [...others, seen].slice(-MAX_VERSIONS));
  }

  /** Somebody allowed it as it is now. */
  accepted(name: string): void {
    this.#seen.set(name, (this.#seen.get(name) ?? []).slice(-1));
  }

  /** As much as fits: a text gives way to its hash, and a tool that is left out asks once. */
  all(): PinToolsParams["tools"] {
    const tools = [...this.#listed].flatMap((name) => {
      const newest = this.#seen.get(name)?.at(-1);
      return newest ? [{ name, ...newest }] : [];
    });
    let room = MAX_TOLD;
    const fits = (part: object) => {
      const bytes = Buffer.byteLength(JSON.stringify(part)) + 1;
      if (bytes > room) return false;
      room -= bytes;
      return true;
    };
    const told = tools.filter(({ name, sha256 }) => fits({ name, sha256 }));
    return told.map(({ text, ...bare }) => (text !== undefined && fits({ text }) ? { ...bare, text } : bare));
  }
}

/** Undefined for what has no canonical form, such as half a character: nobody could say that it is the same again. */
function hashed(tool: Readonly<Record<string, unknown>>): SeenTool | undefined {
  try {
    const text = canonicalize(tool as Json);
    const sha256 = createHash("sha256").update(text).digest("hex");
    return text.length > MAX_TEXT ? { sha256 } : { sha256, text };
  } catch {
    return undefined;
  }
}
