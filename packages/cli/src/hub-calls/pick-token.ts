import { type TokenView, tokenViewSchema } from "@countersign/protocol/access";
import { CliError, ourName } from "../base/index.ts";
import { callHttp, type HttpHub } from "../connect/index.ts";

const SHORTEST_END = 4;

export async function listTokens(hub: HttpHub): Promise<TokenView[]> {
  return (await callHttp(hub, { method: "GET", path: "/api/v1/tokens" }, tokenViewSchema.array())).value;
}

/** The token that a person means by its id, or by an end of it that only one has. Revoked ones count: ids are for ever. */
export function pickToken(tokens: readonly TokenView[], given: string): TokenView {
  const part = given.toLowerCase();
  if (part.length < SHORTEST_END) {
    const message = `"${given}" is too short for an id: give the last ${SHORTEST_END} characters or more.`;
    throw new CliError("ID_UNCLEAR", message);
  }
  const matches = tokens.filter(({ id }) => id.endsWith(part));
  const [match] = matches;
  if (matches.length > 1) {
    const message = `"${given}" fits ${matches.length} tokens. Give more of the id; \`${ourName()} token list\` shows enough.`;
    throw new CliError("ID_UNCLEAR", message);
  }
  if (match) return match;
  throw new CliError("NOT_FOUND", `There's no token whose id ends in "${given}". See \`${ourName()} token list\`.`);
}
