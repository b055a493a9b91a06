import { ALNUM, NOT_IN_A_WORD, type Rule, sample, WORD } from "./rule.ts";

const JWT = "[A-Za-z0-9_.=-]";
const JWT_REST = "\\.(?:eyJ[A-Za-z0-9_-]{4}|[A-Za-z0-9_-]{0,400}\\.[A-Za-z0-9_-]{8})";

/** Private keys, signed tokens, and hashes of passwords. */
export const KEYS: readonly Rule[] = [
  {
    id: "private-key",
    anchors: ["-----begin"],
    head: "-----BEGIN ?[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
    tail: "[A-Za-z0-9+/=\\s\\\\:,.()>|│#\"'_]",
    endLine: "-----END ?[A-Z0-9 ]{0,48}-----",
    finds: [
      `a\n«-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${sample(ALNUM, 64)}\nabc=\n-----END RSA PRIVATE KEY-----»\nb`,
      `{"private_key":"«-----BEGIN PRIVATE KEY-----\\n${sample(ALNUM, 64)}\\n-----END PRIVATE KEY-----»\\n"}`,
      `«-----BEGIN OPENSSH PRIVATE KEY-----\n${sample(ALNUM, 70)}\n»{}`,
      "«-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2 (x)\n\nabc\n-----END PGP PRIVATE KEY BLOCK-----»-",
    ],
    misses: [
      "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
      "-----BEGIN PUBLIC KEY-----",
      "grep 'BEGIN RSA PRIVATE KEY' -r .",
    ],
  },
  {
    id: "putty-key",
    anchors: ["private-lines:"],
    head: "(?<keep>Private-Lines: ?\\d{1,4})(?=[\\r\\n])",
    tail: "[A-Za-z0-9+/=\\s]",
    endLine: "Private-(?:MAC|Hash):",
    finds: [`Private-Lines: 2«\n${sample(ALNUM, 64)}\nabc=\n»`],
    misses: ["Private-Lines: many"],
  },
  {
    id: "age-key",
    anchors: ["AGE-SECRET-KEY-1"],
    exact: true,
    head: "AGE-SECRET-KEY-1[A-Z0-9]{20}",
    tail: ALNUM,
    finds: [`«AGE-SECRET-KEY-1${"Q2W3".repeat(14)}»`],
    misses: ["AGE-SECRET-KEY-1"],
  },
  {
    // Any JSON in base64 that begins a word: inside of one, a hostile text could have us look along the same run again
    // and again.
    id: "jwt",
    anchors: ["eyJ"],
    exact: true,
    head: `(?<!(?<!\\\\)[A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,1200}?${JWT_REST}`,
    tail: JWT,
    finds: [
      `«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${sample(WORD, 43)}»`,
      "\\n«eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.»",
      `t=«eyJhbGciOiJSU0EtT0FFUCJ9..${sample(WORD, 20)}.abc»,`,
    ],
    misses: ["eyJ", "data:application/json;base64,eyJ2ZXJzaW9uIjozfQ==", "eyJhbGciOiJIUzI1NiJ9.md"],
  },
  {
    // The usual headers, anywhere: `alg`, `typ`, `kid`, `enc` or `cty` comes first.
    id: "jwt-inside",
    anchors: ["eyJhbGci", "eyJ0eXAi", "eyJraWQi", "eyJlbmMi", "eyJjdHki"],
    exact: true,
    head: `eyJ[A-Za-z0-9_-]{8,192}?${JWT_REST}`,
    tail: JWT,
    finds: [`token%3D«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${sample(WORD, 43)}»`],
    misses: [],
  },
  {
    id: "password-hash",
    anchors: ["$1$", "$5$", "$6$", "$y$", "$2a$", "$2b$", "$2y$", "$7$", "$argon2", "$apr1$", "$scrypt$"],
    exact: true,
    head: "\\$(?:[1567]|y|2[aby]|argon2(?:id?|d)|apr1|scrypt)\\$[A-Za-z0-9./=,$]{20}",
    tail: "[A-Za-z0-9./=,$+]",
    finds: [`root:«$6$${sample(ALNUM, 16)}$${sample(ALNUM, 86)}»:19000:0:`, `«$2b$12$${sample(ALNUM, 53)}»`],
    misses: ["echo $1$2", "awk '{print $1$5}'", "$6$short"],
  },
  {
    id: "docker-auth",
    anchors: ['"auth"'],
    head: '(?<keep>"auth": ?")(?<value>[A-Za-z0-9+/=]{8})',
    tail: "[A-Za-z0-9+/=]",
    finds: ['{"auths":{"https://index.docker.io/v1/":{"auth": "«dXNlcjpwYXNzd29yZA==»"}}}'],
    misses: ['{"auth": "none"}', '"auth": true'],
  },
  {
    id: "azure-storage",
    anchors: ["accountkey=", "sharedaccesskey=", "sharedaccesssignature="],
    head: "(?<keep>(?:accountkey|sharedaccesskey|sharedaccesssignature)=)[a-z0-9+/=%&_.-]{8}",
    tail: "[A-Za-z0-9+/=%&_.-]",
    finds: [`DefaultEndpointsProtocol=https;AccountName=x;AccountKey=«${sample(ALNUM, 80)}==»;`],
    misses: ["AccountKey=", "AccountKey=<key>"],
  },
  {
    id: "signed-url",
    anchors: ["&sig=", "?sig=", "x-amz-signature=", "x-goog-signature="],
    head: "(?<keep>(?:[&?]sig|x-(?:amz|goog)-signature)=)[a-z0-9%+/=]{16}",
    tail: "[A-Za-z0-9%+/=_-]",
    finds: ["https://x.blob.core.windows.net/c?sv=1&sig=«aB3d%2FaB3daB3daB3d%3D»&se=2"],
    misses: ["?sig=abc"],
  },
  {
    id: "hmac-key-line",
    anchors: ['secret "'],
    head: `${NOT_IN_A_WORD}(?<keep>secret ")[a-z0-9+/=]{20}`,
    tail: "[A-Za-z0-9+/=]",
    finds: [`key "k" { algorithm hmac-sha256; secret "«${sample(ALNUM, 43)}=»"; };`],
    misses: ['a secret "thing"'],
  },
];
