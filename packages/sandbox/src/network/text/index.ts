export { addressText } from "./address-text.ts";
export { hasPorts, protocolName } from "./protocol-name.ts";
