export type { Language, Tool, Usage } from "./tool.ts";
export { TOOLS } from "./tools.ts";
