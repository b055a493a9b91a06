export { openModel } from "./open-model.ts";
