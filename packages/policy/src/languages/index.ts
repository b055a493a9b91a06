export { findTextProblem, readText } from "./program-text.ts";
export type { TextReading } from "./text-reading.ts";
