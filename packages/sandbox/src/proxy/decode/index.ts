export { BodyTap, DecodeBudget } from "./body-tap.ts";
export { decodeCall, LONGEST_INPUT, undecoded } from "./decode-call.ts";
export { isolatedIn, rightsIn } from "./decode-paths.ts";
export type { Decoded, PathItem } from "./decoded.ts";
export { FormTap } from "./form-tap.ts";
export { pathFields, queryValue } from "./path-text.ts";
export { strangeQuery } from "./strange-query.ts";
