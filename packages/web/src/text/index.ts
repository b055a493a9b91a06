export { AnsiReader, readAnsi } from "./ansi.ts";
export { AnsiLine, type Span } from "./ansi-line.ts";
export { lastPart, sessionName, shortPath } from "./short-names.ts";
export { clip, elide } from "./shorten.ts";
export { ago, clockTime, countdown, duration } from "./time.ts";
