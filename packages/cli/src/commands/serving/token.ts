import { type NewToken, newTokenSchema, okSchema, type TokenView } from "@countersign/protocol/access";
import { visible } from "@countersign/protocol/text";
import { CliError, EXIT, type GlobalOptions, ourName } from "../../base/index.ts";
import { callHttp, findHub } from "../../connect/index.ts";
import { listTokens, pickToken, signatureOver } from "../../hub-calls/index.ts";
import { day } from "../../show/index.ts";
import { printJson, printLines, shortId, table } from "../../terminal/index.ts";

export type Role = NewToken["role"];

export interface TokenCreateOptions extends GlobalOptions {
  readonly role: Role;
  readonly name: string;
  readonly unattended?: boolean;
}

/** What a hub calls its first token, which it doesn't list. */
const BOOTSTRAP = "bootstrap";

const PURPOSE: Record<Role, string> = {
  approver: "It may see, allow and deny everything, and make tokens: keep it from agents.",
  agent: "It may propose commands and see what became of its own; it can never decide.",
  observer: "It may look at everything and change nothing.",
  hub: "It registers a hub with a gateway, and is good for nothing else.",
};

export async function createToken(options: TokenCreateOptions): Promise<number> {
  const hub = await findHub(options);
  const { role: wantedRole, unattended = false } = options;
  // As the hub reads it: the signature is over what is made.
  const wanted = { role: wantedRole, name: options.name.trim(), unattended };
  const signature = await signatureOver({ approvalId: `token:${wantedRole}`, content: wanted }, hub, options);
  const body = { ...wanted, ...signature };
  const { value } = await callHttp(hub, { method: "POST", path: "/api/v1/tokens", body }, newTokenSchema);
  const { id, token, role, name } = value;
  if (options.json) printJson({ id, token, role, name });
  else printLines(createdLines(value, unattended));
  return EXIT.ok;
}

function createdLines({ id, token, role, name }: NewToken, unattended: boolean): string[] {
  return [
    visible(token),
    "",
    `The token of ${visible(name)}, ${role === "hub" ? "a" : "an"} ${role}. ${PURPOSE[role]}`,
    ...(unattended ? ["Unattended: what the policy doesn't allow is denied at once instead of asked."] : []),
    "It isn't shown again: the hub keeps only its hash. Give it as COUNTERSIGN_TOKEN.",
    `Revoke it with: ${ourName()} token revoke ${shortId(id, [id])}`,
  ];
}

export async function listAllTokens(options: GlobalOptions): Promise<number> {
  const tokens = await listTokens(await findHub(options));
  if (options.json) printJson(tokens);
  else printLines(tokenLines(tokens));
  return EXIT.ok;
}

export function tokenLines(tokens: readonly TokenView[]): string[] {
  if (tokens.length === 0) {
    return [
      "There are no tokens but the hub's first one.",
      `Next: ${ourName()} token create --role agent --name <agent>`,
    ];
  }
  const ids = tokens.map(({ id }) => id);
  const rows = tokens.map(
    ({ id, role, name, unattended, createdAtMs, revokedAtMs, madeBy, connected, lastSeenAtMs }) => [
      shortId(id, ids),
      role,
      visible(name),
      day(createdAtMs),
      madeBy === null ? "?" : madeBy === BOOTSTRAP ? "the first token" : shortId(madeBy, ids),
      connected ? "connected" : lastSeenAtMs === null ? "never" : day(lastSeenAtMs),
      [...(unattended ? ["unattended"] : []), ...(revokedAtMs === null ? [] : [`REVOKED ${day(revokedAtMs)}`])].join(
        ", ",
      ),
    ],
  );
  return table([["ID", "ROLE", "NAME", "MADE", "WITH", "LAST SEEN", ""], ...rows]);
}

export async function revokeToken(id: string, options: GlobalOptions): Promise<number> {
  const hub = await findHub(options);
  const tokens = await listTokens(hub);
  const token = pickToken(tokens, id);
  if (token.revokedAtMs !== null) {
    throw new CliError("NOT_FOUND", `The token of ${token.name} was revoked on ${day(token.revokedAtMs)} already.`);
  }
  const path = `/api/v1/tokens/${encodeURIComponent(token.id)}`;
  await callHttp(hub, { method: "DELETE", path }, okSchema);
  const left = tokens.filter(({ madeBy, revokedAtMs }) => madeBy === token.id && revokedAtMs === null);
  if (options.json) printJson({ id: token.id, revoked: true, made: left.map(({ id }) => id) });
  else
    printLines([
      `Revoked: the token of ${visible(token.name)} (${token.role}). Whoever used it is cut off.`,
      ...left.map(({ id, name, role }) => {
        const how = `${ourName()} token revoke ${shortId(
          id,
          tokens.map((one) => one.id),
        )}`;
        return `It had made the token of ${visible(name)} (${role}), which is still good: ${how}`;
      }),
    ]);
  return EXIT.ok;
}
