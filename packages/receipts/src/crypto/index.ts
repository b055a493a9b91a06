export { fromBase64, fromBase64Url, toBase64, toBase64Url, writeBase64Url } from "./base64.ts";
export { ByteSlab, concatBytes, equalBytes, fromHex, utf8Bytes } from "./bytes.ts";
export { type DidDocument, didDocumentOfKey, didOfKey, didUrlOfKey, isDidKey, keyOfDid } from "./did-key.ts";
export { publicKeyFromPem, publicKeyToPem } from "./pem.ts";
export { PUBLIC_KEY_BYTES, type ReceiptCrypto, SIGNATURE_BYTES, type SignatureCheck, type Signer } from "./port.ts";
export { webCrypto, webSigner } from "./web-crypto.ts";
