export {
  generateSigningKey,
  nodeCrypto,
  pooledNodeCrypto,
  pooledSignerFromPem,
  signerFromPem,
} from "./crypto/node-crypto.ts";
