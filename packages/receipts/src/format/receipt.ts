import {
  anyObject,
  anyText,
  filledText,
  flag,
  integer,
  known,
  list,
  nullOr,
  object,
  oneOf,
  someText,
  type TypeOf,
  text,
  where,
  written,
} from "./shape.ts";

/** Agent Receipts, versions that are read, the newest last. */
const VERSIONS = ["0.1.0", "0.2.0", "0.2.1", "0.3.0", "0.4.0", "0.5.0", "0.6.0"] as const;
export const NEWEST_VERSION = "0.6.0";
/** The version that is written. */
export const VERSION = "0.5.0";
export const CONTEXT = ["https://www.w3.org/ns/credentials/v2", "https://agentreceipts.ai/context/v2"] as const;
/** Of 0.6.0, and of no version before it: v2 and the term `response_disclosure`. */
const CONTEXT_OF_0_6 = "https://agentreceipts.ai/context/v3";
export const TYPE = ["VerifiableCredential", "AgentReceipt"] as const;

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const receiptId = text({ read: /^urn:receipt:./, write: new RegExp(`^urn:receipt:${UUID}$`) });
const actionId = text({ read: /./, write: new RegExp(`^act_${UUID}$`) });
const SHA256 = /^sha256:[0-9a-f]{64}$/;
const sha256 = text({ read: SHA256, write: SHA256 });
/** RFC 3339, as the schema's `date-time`. */
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const dateTime = text({ read: DATE_TIME, write: DATE_TIME });
/** What a form's blank may stand for. Each is told from the others by its beginning, so that none is accepted in another's place. */
export const BLANKS = { receiptId, actionId, dateTime, sha256, text: someText } as const;
export type PlaceholderKind = keyof typeof BLANKS;
const MULTIBASE_URL = /^u[A-Za-z0-9_-]+$/;

/**
 * Open, and the only open place: the peer's verifiers drop what they don't know anywhere else, and then fail. These
 * members the peer gives a type.
 */
const runtime = written(anyObject, {
  check: (value) => peerRuntime.check(value, "read"),
});
const peerRuntime = object({}, { agent_id: someText, agent_type: someText, model: someText, capture_method: someText });

const issuer = object(
  { id: anyText },
  {
    type: filledText,
    name: filledText,
    operator: object({ id: anyText, name: anyText }, {}),
    model: filledText,
    session_id: filledText,
    runtime,
  },
);

export const RISK_LEVELS = ["low", "medium", "high", "critical"] as const;

const target = object({}, { system: filledText, resource: filledText });
const INT32 = 2 ** 31;
const UINT32_MAX = 2 ** 32 - 1;

/** Of the two forms in the schema the peer's libraries only take the newer. */
const disclosure = written(
  anyObject,
  object(
    {
      v: oneOf("1"),
      alg: oneOf("hpke-x25519-hkdf-sha256-aes-256-gcm"),
      recipients: where(list(object({ kid: someText, enc: someText }, {}), 1), ({ length }) => length === 1),
      ct: someText,
    },
    {},
  ),
);

const action = object(
  { id: actionId, type: someText, risk_level: oneOf(...RISK_LEVELS), timestamp: dateTime },
  {
    // The system is optional in the schema and not in the peer's libraries.
    target: where(target, ({ system }, level) => level === "read" || system !== undefined),
    parameters_hash: sha256,
    parameters_disclosure: disclosure,
    peer_credential: object(
      { platform: anyText, pid: integer(-INT32, INT32 - 1) },
      { uid: integer(0, UINT32_MAX), gid: integer(0, UINT32_MAX), exe_path: filledText },
    ),
    // Nothing dropped is nothing to say, and Go would leave the zero out.
    emitter_metadata: object({}, { drop_count: written(integer(0), integer(1)) }),
    trusted_timestamp: filledText,
    idempotency_key: someText,
  },
);

/** An action without a name in the taxonomy says which tool it was, so that it can be classified later. */
const namedAction = where(
  action,
  ({ type, target: at }, level) => level === "read" || type !== "unknown" || at !== undefined,
);

const outcome = object(
  { status: oneOf("success", "failure", "pending") },
  {
    error: filledText,
    reversible: flag,
    reversal_method: filledText,
    reversal_window_seconds: integer(0),
    reversal_of: receiptId,
    state_change: object({ before_hash: sha256, after_hash: sha256 }, {}),
    response_hash: sha256,
  },
);

/** `terminal` is never false: absence claims nothing. */
const ending = { terminal: oneOf(true), status: oneOf("complete", "interrupted") } as const;

const chain = where(
  object({ sequence: integer(1), previous_receipt_hash: nullOr(sha256), chain_id: anyText }, ending),
  // Reading leaves the link to the chain's own check, which has a better name for what is wrong with it.
  ({ sequence, previous_receipt_hash, terminal, status }, level) =>
    (status == null || terminal === true) &&
    (level === "read" || (sequence === 1) === (previous_receipt_hash === null)),
);

const keyRotation = object(
  {
    event_type: oneOf("key_rotated"),
    new_public_key: text({ read: MULTIBASE_URL, write: MULTIBASE_URL }),
    old_key_fingerprint: sha256,
    new_key_fingerprint: sha256,
    old_algorithm: someText,
    new_algorithm: someText,
    signed_with: oneOf("old"),
  },
  {},
);

const subject = {
  principal: object({ id: anyText }, { type: known("HumanPrincipal", "OrganizationPrincipal") }),
  action: namedAction,
  outcome,
} as const;
const subjectOptions = {
  intent: object(
    {},
    { conversation_hash: sha256, prompt_preview: filledText, prompt_preview_truncated: flag, reasoning_hash: sha256 },
  ),
  authorization: object(
    { scopes: list(anyText, 1), granted_at: dateTime },
    { expires_at: dateTime, grant_ref: filledText },
  ),
  delegation: object(
    { parent_chain_id: anyText, parent_receipt_id: receiptId, delegator: object({ id: anyText }, {}) },
    {},
  ),
  keyRotation,
  correlation_id: someText,
} as const;

const proof = object(
  {
    type: oneOf("Ed25519Signature2020"),
    created: dateTime,
    verificationMethod: anyText,
    proofPurpose: oneOf("assertionMethod"),
    // 64 bytes are 86 characters and 4 bits that must be zero: the last is one of A, Q, g, w.
    proofValue: text({ read: /^u[A-Za-z0-9_-]{85}[AQgw]$/, write: /^u[A-Za-z0-9_-]{85}[AQgw]$/ }),
  },
  {},
);

const envelope = {
  "@context": list(anyText, 2),
  id: receiptId,
  type: where(list(anyText, 2), (names) => names.length === 2 && names.every((name, at) => name === TYPE[at])),
  version: oneOf(...VERSIONS),
  issuer,
  issuanceDate: dateTime,
  credentialSubject: object({ ...subject, chain }, subjectOptions),
} as const;

/** What is signed. */
const unsignedShape = object(envelope, {});
export const receiptShape = object({ ...envelope, proof }, {});
/** What a writer says; `createReceipt` adds the rest. */
export const draftShape = object(
  { id: receiptId, issuer, issuanceDate: dateTime, credentialSubject: object(subject, subjectOptions) },
  ending,
);

/** As far as the rules of the newest known version go. */
export const newerShape = object({ ...envelope, version: anyText, proof }, {});

/** What a version asks for besides its shape; null: fits. Else the path of what doesn't. */
export function checkVersion({ version, "@context": [, context], credentialSubject }: Receipt): string | null {
  const isNewest = version === NEWEST_VERSION;
  if ((context === CONTEXT_OF_0_6) !== isNewest) return ".@context";
  // An envelope, as `parameters_disclosure`: what it discloses is for who has the key to it.
  const { response_disclosure: disclosed } = credentialSubject.outcome as { readonly response_disclosure?: unknown };
  const isFitting = !isNewest || disclosed == null || anyObject.check(disclosed, "read") === null;
  return isFitting ? null : ".credentialSubject.outcome.response_disclosure";
}

const VERSION_TEXT = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})(?:[-+][0-9A-Za-z.+-]{1,64})?$/;

/** Whether a version comes after all that this library knows. */
export function isNewerVersion(version: string): boolean {
  const [, ...parts] = VERSION_TEXT.exec(version) ?? [];
  const known = NEWEST_VERSION.split(".").map(Number);
  const at = known.findIndex((number, index) => number !== Number(parts[index]));
  return at !== -1 && Number(parts[at]) > (known[at] as number);
}

export type UnsignedReceipt = TypeOf<typeof unsignedShape>;
export type Receipt = TypeOf<typeof receiptShape>;
export type ReceiptDraft = TypeOf<typeof draftShape>;
export type KeyRotation = TypeOf<typeof keyRotation>;
export type RiskLevel = (typeof RISK_LEVELS)[number];
export type OutcomeStatus = Receipt["credentialSubject"]["outcome"]["status"];
