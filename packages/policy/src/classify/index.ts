export { classify, isCall } from "./classify.ts";
