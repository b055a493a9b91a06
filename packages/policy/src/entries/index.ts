export { isOpenToCode } from "./code.ts";
export { type Coverage, cover } from "./covers.ts";
export { type DerivedEntries, type DeriveOptions, deriveEntries } from "./derive.ts";
export { isNamed, looseCandidates } from "./entry-index.ts";
export { type EntryFault, type EntryWarning, lintEntries } from "./lint.ts";
export {
  describeScope,
  type Extent,
  MAX_SCOPE_MINUTES,
  type Match,
  offerScopes,
  type Planned,
  planScope,
  readScope,
  type Scope,
  type ScopeOffer,
  type ScopePlan,
  type ScopeSetting,
  writeScope,
} from "./scopes.ts";
