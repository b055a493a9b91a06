import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { dataJson } from "./shared-data.ts";

/** What the format's schema has against a receipt; null: nothing. */
export function schemaFaults(): (receipt: unknown) => string | null {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const validate = ajv.compile(schema());
  return (receipt) => (validate(receipt) ? null : JSON.stringify(validate.errors));
}

function schema(): { properties: unknown; $defs: unknown } {
  return dataJson("spec/schema/agent-receipt.schema.json");
}

type Schema = { $ref?: string; properties?: Record<string, Schema>; additionalProperties?: boolean };

/**
 * As a decoder into Go's structures and back does it: unknown and empty members vanish; only `issuer.runtime` is kept as
 * it is.
 */
export function keepKnown(value: unknown, root = schema(), schemaAt?: Schema): unknown {
  const found = schemaAt ?? (root as Schema);
  const here = found.$ref
    ? ((root.$defs as Record<string, Schema>)[found.$ref.split("/").at(-1) ?? ""] as Schema)
    : found;
  if (typeof value !== "object" || value === null || Array.isArray(value) || here.properties === undefined)
    return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (key === "runtime") return [[key, member]];
      if (member === "" || (key === "drop_count" && member === 0)) return [];
      const known = here.properties?.[key];
      return known === undefined ? [] : [[key, keepKnown(member, root, known)]];
    }),
  );
}
