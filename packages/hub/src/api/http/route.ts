import { HubError } from "@countersign/core/errors";
import type { Context } from "hono";
import type * as z from "zod";
import { notJson, readJson } from "../index.ts";
import type { HttpVariables } from "./guard.ts";

export type HttpContext = Context<HttpVariables>;

/** One operation over HTTP. The schemas check what comes and are what the OpenAPI file says. */
export interface Route {
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** What a 200 answers as JSON. */
  readonly result?: z.ZodType;
  /** What it answers as server-sent events: the data of each, by its name. */
  readonly events?: Readonly<Record<string, z.ZodType>>;
  /** What it answers as a file: the types that there are. */
  readonly files?: readonly string[];
  /** What a 202 answers, where there is one. */
  readonly later?: z.ZodType;
  handle(c: HttpContext): Promise<Response>;
}

/** `absent` is what no body at all stands for. */
export async function readBody(c: HttpContext, absent?: object): Promise<unknown> {
  try {
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    return bytes.length === 0 && absent !== undefined ? absent : readJson(bytes);
  } catch (cause) {
    if (cause instanceof HubError) throw cause;
    throw notJson("The body", cause);
  }
}

/** Of the path. */
export function param(c: HttpContext, name: string): string {
  return c.req.param(name) ?? "";
}
