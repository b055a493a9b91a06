export { type Coverage, cover } from "./cover.ts";
export { type DerivedEntries, type DeriveOptions, deriveEntries } from "./derive-entries.ts";
export { isNarrower } from "./is-narrower.ts";
export { type EntryFault, type EntryWarning, lintEntries } from "./lint-entries.ts";
export { describeScope, offerScopes, type ScopeOffer } from "./offer-scopes.ts";
export { type Planned, planScope, type ScopePlan, type ScopeSetting } from "./plan-scope.ts";
export { type Extent, MAX_SCOPE_MINUTES, type Match, readScope, type Scope, writeScope } from "./scope.ts";
