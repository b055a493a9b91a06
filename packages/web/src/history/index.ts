export { type Filters, hrefWith } from "./filters.ts";
