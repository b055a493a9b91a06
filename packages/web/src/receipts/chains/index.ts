export { ChainList } from "./chain-list.tsx";
export { ChainPage } from "./chain-page.tsx";
export { lineIn, lineWords } from "./line-words.ts";
export { useChains } from "./use-chains.ts";
