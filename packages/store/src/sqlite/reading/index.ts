export { type Looked, Looker, type LookOrder } from "./look.ts";
export { RecordReader } from "./read-record.ts";
export { ReadingThread } from "./reading-thread.ts";
