export { BundleSource } from "./bundle-source.ts";
export { readExpectedHead } from "./expected-head.ts";
export { type Filter, type FilterOptions, filterOf, isSelective, matches, readFilter } from "./filter.ts";
export { MEANINGS } from "./meanings.ts";
export { openSource } from "./open-source.ts";
export { type Recorded, RecordFile, type RecordOptions } from "./record-file.ts";
export type { Source, SourceKind } from "./source.ts";
export { localTrust, readTrust } from "./trust.ts";
export { unreadable } from "./unreadable.ts";
