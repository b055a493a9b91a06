export { hubTools, toolDefinitions } from "./hub-tools.ts";
export { ToolRegistry } from "./tool-registry.ts";
