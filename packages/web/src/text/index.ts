export { AnsiReader, readAnsi } from "./ansi.ts";
export { AnsiLine, type Span } from "./ansi-line.ts";
export { clip } from "./clip.ts";
export { elide } from "./elide.ts";
export { sessionName } from "./session-name.ts";
export { lastPart, shortPath } from "./short-path.ts";
export { ago, clockTime, countdown, duration } from "./time.ts";
