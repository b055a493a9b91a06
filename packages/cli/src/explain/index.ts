export { explainHere } from "./explain-here.ts";
