export interface ProsePart {
  readonly kind: "text" | "code";
  readonly text: string;
}

/** ``` or ~~~ at the start of a line, as in Markdown. */
const FENCE = /^ {0,3}(`{3,}|~{3,})[^`\n]*$/;

/** Splits a model's answer into text and code blocks. An unclosed block extends to the end, since more may be streamed. */
export function cutProse(text: string): readonly ProsePart[] {
  const parts: { kind: ProsePart["kind"]; lines: string[] }[] = [{ kind: "text", lines: [] }];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const found = FENCE.exec(line)?.[1];
    const closes = fence !== undefined && found?.startsWith(fence) && line.trim() === found;
    if (fence === undefined && found !== undefined) {
      fence = found;
      parts.push({ kind: "code", lines: [] });
    } else if (closes) {
      fence = undefined;
      parts.push({ kind: "text", lines: [] });
    } else parts.at(-1)?.lines.push(line);
  }
  return parts
    .map(({ kind, lines }) => ({ kind, text: kind === "code" ? lines.join("\n") : lines.join("\n").trim() }))
    .filter(({ kind, text: words }) => kind === "code" || words !== "");
}
