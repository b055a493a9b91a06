export {
  generateSigningKey,
  nodeCrypto,
  pooledNodeCrypto,
  signerFromPem,
} from "./crypto/node-crypto.ts";
