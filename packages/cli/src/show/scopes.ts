import type { ScopeOffer } from "@countersign/protocol/proposals";
import { quoteWords, visible } from "@countersign/protocol/text";
import { ourName } from "../base/index.ts";

/** What could be answered instead of once: the words first, then what to type, then what it would save. */
export function scopeLines(offers: readonly ScopeOffer[], shortId: string): string[] {
  if (offers.length === 0) return ["It can only be allowed once."];
  return offers.flatMap(({ scope, words, saves, note }) => [
    visible(words),
    `  ${ourName()} approve ${shortId} --scope ${visible(quoteWords([scope]))}`,
    ...saves.map((text) => `  saves: ${visible(text)}`),
    ...(note === undefined ? [] : [`  ${visible(note)}`]),
  ]);
}

/** What an answer has saved, by how far it goes. */
export function savedLines(saved: readonly string[], scope: string | undefined): string[] {
  return saved.map((text) => `${savedWhere(scope)}: ${visible(text)}`);
}

function savedWhere(scope: string | undefined): string {
  const extent = scope?.slice(scope.lastIndexOf("@") + 1) ?? "";
  if (extent === "session") return "Allowed in this session";
  const minutes = /^(\d+)m$/.exec(extent)?.[1];
  return minutes === undefined
    ? "Saved to the policy"
    : `Allowed for ${minutes} ${minutes === "1" ? "minute" : "minutes"}`;
}
