export { keepAddress } from "./keep-address.ts";
export { linkLines, pairWhileServing } from "./pair-while-serving.ts";
export { qrLines } from "./qr-lines.ts";
export { remotePairing } from "./remote-pairing.ts";
export { runPairing } from "./run-pairing.ts";
