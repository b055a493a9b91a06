export { HubError } from "./hub-error.ts";
export { describeIssues, readOrRefuse } from "./read-or-refuse.ts";
export { StartError } from "./start-error.ts";
