import type { JsonArray, JsonNode, JsonObject } from "./parse.ts";

/** A piece of a text and what takes its place. */
interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** How a file is laid out; what is added to it looks the same. */
export interface Layout {
  /** Empty: everything stands on one line. */
  readonly indent: string;
  readonly newline: string;
}

export function layoutOf(text: string): Layout {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const indent = /^[{[][^\S\n]*\r?\n([ \t]+)\S/.exec(text.trimStart().replace(/^\uFEFF/, ""))?.[1];
  if (indent !== undefined) return { indent, newline };
  const isOneLine = /^\{.*\S.*\}\s*$/.test(text) && !text.trimEnd().includes("\n");
  return { indent: isOneLine ? "" : "  ", newline };
}

export function splice(text: string, { start, end, text: instead }: Splice): string {
  return text.slice(0, start) + instead + text.slice(end);
}

/** As JSON that fits in where it stands so deep. */
export function write(value: unknown, { indent, newline }: Layout, depth: number): string {
  if (indent === "") return JSON.stringify(value);
  return JSON.stringify(value, null, indent).replaceAll("\n", newline + indent.repeat(depth));
}

/** After the last item, before whatever comment follows it. */
export function append(
  container: JsonArray | JsonObject,
  added: string,
  { indent, newline }: Layout,
  depth: number,
): Splice {
  const last = partsOf(container).at(-1);
  const inner = indent === "" ? "" : newline + indent.repeat(depth);
  if (last !== undefined) return { start: last.end, end: last.end, text: `,${inner}${added}` };
  const outer = indent === "" ? "" : newline + indent.repeat(depth - 1);
  return { start: container.start + 1, end: container.end - 1, text: inner + added + outer };
}

/** With one of the commas beside it. Comments around it stay. */
export function remove(text: string, container: JsonArray | JsonObject, index: number): Splice {
  const parts = partsOf(container);
  const [part, next] = [parts[index], parts[index + 1]];
  if (part === undefined) throw new RangeError(`there's no item ${index}`);
  const before = container.commas[index - 1];
  if (before !== undefined)
    return { start: before, end: part.end, text: onlyComments(text.slice(before + 1, part.start)) };
  const after = container.commas[index];
  if (after !== undefined && next !== undefined)
    return { start: part.start, end: next.start, text: onlyComments(text.slice(after + 1, next.start)) };
  const whole = text.slice(container.start + 1, part.start) + text.slice(part.end, container.end - 1);
  return { start: container.start + 1, end: container.end - 1, text: onlyComments(whole) };
}

function onlyComments(between: string): string {
  return between.trim() === "" ? "" : between;
}

function partsOf(container: JsonArray | JsonObject): readonly Pick<JsonNode, "start" | "end">[] {
  return container.kind === "array" ? container.items : container.members;
}
