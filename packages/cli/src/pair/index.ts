export { hubDesk } from "./hub-desk.ts";
export { keepAddress } from "./keep-address.ts";
export { linkLines, pairWhileServing } from "./pair-while-serving.ts";
export { qrLines } from "./qr-lines.ts";
export { runPairing } from "./run-pairing.ts";
