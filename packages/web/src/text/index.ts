export { AnsiReader, readAnsi } from "./ansi.ts";
export { AnsiLine, type Span } from "./ansi-line.ts";
export { clip, elide } from "./clip.ts";
export { lastPart, sessionName, shortPath } from "./short-path.ts";
export { ago, clockTime, countdown, duration } from "./time.ts";
