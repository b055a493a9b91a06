import { HubError } from "@countersign/core/errors";
import type { Context } from "hono";
import type * as z from "zod";
import { notJson, readJson } from "../index.ts";
import type { HttpVariables } from "./guard.ts";

export type HttpContext = Context<HttpVariables>;

/** An HTTP operation. Its schemas validate requests and make the OpenAPI document. */
export interface Route {
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** JSON of a 200. */
  readonly result?: z.ZodType;
  /** Data of each server-sent event, by its name. */
  readonly events?: Readonly<Record<string, z.ZodType>>;
  /** Content types of a file. */
  readonly files?: readonly string[];
  /** JSON of a 202, if there is one. */
  readonly later?: z.ZodType;
  handle(c: HttpContext): Promise<Response>;
}

/** Reads the body as JSON. `absent` replaces an empty body. */
export async function readBody(c: HttpContext, absent?: object): Promise<unknown> {
  try {
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    return bytes.length === 0 && absent !== undefined ? absent : readJson(bytes);
  } catch (cause) {
    if (cause instanceof HubError) throw cause;
    throw notJson("The body", cause);
  }
}

/** Returns a parameter of the path. */
export function param(c: HttpContext, name: string): string {
  return c.req.param(name) ?? "";
}
