/** Server-sent events, named or not. */
export function sse(events: readonly (Readonly<Record<string, unknown>> | string)[], named: "named" | "bare"): string {
  return events
    .map((event) => {
      if (typeof event === "string") return `data: ${event}\n\n`;
      const name = named === "named" ? `event: ${String(event.type)}\n` : "";
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join("");
}

/** The objects in an array that may be anything. */
export function objectsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}

/** Text of content that is a string, or parts with a `text` in each. */
export function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map((part) => (typeof part.text === "string" ? part.text : ""))
    .join("");
}
