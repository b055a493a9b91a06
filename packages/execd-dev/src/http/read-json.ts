import { decodeFirst, GoJsonError, type GoType } from "@countersign/sandbox";
import type { Exchange } from "./exchange.ts";
import { ExecdError } from "./execd-error.ts";
import { readBody } from "./read-body.ts";

const NO_GOOD = "error parsing request, MAYBE invalid body format.";

/** The body as Go would read it. */
export async function readJson<T>(exchange: Exchange, type: GoType<T>, maxBytes: number): Promise<T> {
  const bytes = await readBody(exchange.request, maxBytes);
  return decoded(() => decodeFirst(type, bytes), NO_GOOD);
}

/** Where an empty body stands for defaults. */
export async function readOptionalJson<T>(exchange: Exchange, type: GoType<T>, maxBytes: number): Promise<T> {
  const bytes = await readBody(exchange.request, maxBytes);
  return decoded(() => {
    try {
      return decodeFirst(type, bytes);
    } catch (cause) {
      if (cause instanceof GoJsonError && cause.code === "EMPTY") return type.zero();
      throw cause;
    }
  }, "error parsing request.");
}

function decoded<T>(decode: () => T, said: string): T {
  try {
    return decode();
  } catch (cause) {
    if (!(cause instanceof GoJsonError)) throw cause;
    const reason = cause.code === "EMPTY" ? "EOF" : cause.message;
    throw new ExecdError(400, "INVALID_REQUEST_BODY", `${said} ${reason}`, { cause });
  }
}
