export { commandRoutes, invalid, requiredField } from "./command-routes.ts";
export { Commands, killAfter, newId } from "./commands.ts";
