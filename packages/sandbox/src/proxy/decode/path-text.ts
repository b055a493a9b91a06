import { isUtf8 } from "node:buffer";
import { goUtf8, readQuery } from "../../wire/index.ts";

/** A path is bytes. Where they aren't UTF-8 the text stands for several, so the bytes are told too. */
export function pathFields(bytes: Buffer, name = "path"): { readonly [field: string]: string } {
  const text = goUtf8(bytes);
  return isUtf8(bytes) ? { [name]: text } : { [name]: text, [`${name}_base64`]: bytes.toString("base64") };
}

/** All values of that name, in their order. */
export function queryValues(rawQuery: string, name: string): readonly Buffer[] {
  return readQuery(rawQuery).flatMap(([known, value]) => (known === name ? [value] : []));
}

/** The first value of that name, as gin's Query; empty where there is none. */
export function queryValue(rawQuery: string, name: string): Buffer {
  return queryValues(rawQuery, name)[0] ?? Buffer.alloc(0);
}
