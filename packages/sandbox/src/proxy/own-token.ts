import { timingSafeEqual } from "node:crypto";
import { ACCESS_TOKEN, ACCESS_TOKEN_NAME as NAME } from "../wire/index.ts";
import { type Headers, headerOf } from "./http/index.ts";

/** A token for execd that no agent has, and the one that agents show to the proxy instead. */
export interface ProxyTokens {
  readonly execd: string;
  readonly agent: string;
}

export function showsToken(headers: Headers, { agent }: ProxyTokens): boolean {
  const [shown, wanted] = [headerOf(headers, NAME) ?? "", agent].map((text) => Buffer.from(text, "latin1"));
  return shown?.length === wanted?.length && timingSafeEqual(shown as Buffer, wanted as Buffer);
}

/** Whose token a call has: with what a terminal's socket offers, the one change that is ever made to a call. */
export function withOwnToken(head: Buffer, { execd }: ProxyTokens): Buffer {
  const [first, ...lines] = head.toString("latin1").split("\r\n");
  const others = lines.filter((line) => !line.toLowerCase().startsWith(`${NAME}:`));
  return Buffer.from([first, `${ACCESS_TOKEN}: ${execd}`, ...others].join("\r\n"), "latin1");
}

export function withOwnHeader(headers: Headers, { execd }: ProxyTokens): Headers {
  return [[NAME, execd], ...headers.filter(([name]) => name !== NAME)];
}
