import { MS } from "./base/index.ts";
import { HISTORY } from "./history/index.ts";
import { SPANS } from "./ledger/index.ts";
import { OPENED_TERMINALS, READABLE_DROPS, SANDBOXES, SIDES } from "./sandboxes/index.ts";

/**
 * STRICT, so that a column holds what it says. The one exception is `expires_at_ms`, which takes ANY: were its type
 * enforced, quick_check would condemn the whole database for one approval that some tool has edited, where refusing that
 * approval is enough. JSON is text without a check for the same reason.
 *
 * No foreign keys: the contract puts no such condition on a write, and the ledger must take an entry whatever else is
 * there.
 *
 * The ledger's triggers protect it from our own bugs, not from a person who has the file: that is what the chain is for.
 * The one on INSERT also stops INSERT OR REPLACE, which deletes without firing a DELETE trigger.
 */
const TABLES = `
  CREATE TABLE session (
    id TEXT NOT NULL PRIMARY KEY,
    owner_id TEXT NOT NULL,
    agent_name TEXT NOT NULL,
    ${MS("created_at_ms")} NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE proposal (
    key TEXT NOT NULL PRIMARY KEY,
    owner_id TEXT NOT NULL,
    proposal_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'decided', 'started', 'ended')),
    attached INTEGER NOT NULL CHECK (attached IN (0, 1)),
    body_hash TEXT NOT NULL,
    command TEXT NOT NULL,
    cwd TEXT NOT NULL,
    env TEXT NOT NULL,
    details TEXT NOT NULL,
    approval_id TEXT,
    ${MS("created_at_ms")} NOT NULL,
    ${MS("ended_at_ms")},
    outcome TEXT,
    -- Apart from the outcome, so that pruning doesn't change the counts.
    outcome_kind TEXT,
    UNIQUE (owner_id, proposal_id)
  ) STRICT;
  CREATE INDEX proposal_open ON proposal (created_at_ms, key) WHERE state <> 'ended';
  CREATE INDEX proposal_ended ON proposal (ended_at_ms) WHERE state = 'ended';
  CREATE INDEX proposal_prunable ON proposal (ended_at_ms) WHERE state = 'ended' AND outcome IS NOT NULL;

  CREATE TABLE approval (
    id TEXT NOT NULL PRIMARY KEY,
    subject TEXT NOT NULL CHECK (subject IN ('exec', 'policy')),
    proposal_key TEXT,
    session_id TEXT NOT NULL,
    profile_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'resolved', 'expired', 'cancelled')),
    expires_at_ms ANY,
    ${MS("delivered_at_ms")},
    payload TEXT NOT NULL,
    resolution TEXT
  ) STRICT;
  CREATE INDEX approval_pending ON approval (id) WHERE state = 'pending';

  CREATE TABLE ledger (
    seq INTEGER NOT NULL PRIMARY KEY,
    prev TEXT,
    hash TEXT NOT NULL,
    type TEXT NOT NULL,
    session_id TEXT,
    proposal_key TEXT,
    ${MS("at_ms")} NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX ledger_of_proposal ON ledger (proposal_key, seq) WHERE proposal_key IS NOT NULL;
  CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
  CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
  CREATE TRIGGER ledger_in_order BEFORE INSERT ON ledger
    WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM ledger)
      OR NEW.prev IS NOT (SELECT hash FROM ledger ORDER BY seq DESC LIMIT 1)
    BEGIN SELECT RAISE(ABORT, 'the ledger only takes the next entry'); END;

  CREATE TABLE setting (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE entry_use (
    profile_id TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    hits INTEGER NOT NULL,
    ${MS("last_used_at_ms")} NOT NULL,
    PRIMARY KEY (profile_id, entry_id)
  ) STRICT, WITHOUT ROWID;
`;

/** Who may use the hub, from which device, and the nonces of signed decisions, each good for one use. */
const IDENTITY = `
  CREATE TABLE token (
    id TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('agent', 'observer', 'approver', 'hub')),
    name TEXT NOT NULL,
    unattended INTEGER NOT NULL CHECK (unattended IN (0, 1)),
    ${MS("created_at_ms")} NOT NULL,
    ${MS("revoked_at_ms")}
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE device (
    id TEXT NOT NULL PRIMARY KEY,
    token_id TEXT NOT NULL,
    name TEXT NOT NULL,
    public_key TEXT,
    ${MS("created_at_ms")} NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE nonce (
    nonce TEXT NOT NULL PRIMARY KEY,
    ${MS("used_at_ms")} NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX session_of_owner ON session (owner_id, created_at_ms);
`;

/** What people allowed beside the profiles, what they denied, and how often in a row. */
const ANSWERS = `
  CREATE TABLE answer_grant (
    id TEXT NOT NULL PRIMARY KEY,
    profile_id TEXT NOT NULL,
    session_id TEXT,
    ${MS("at_ms")} NOT NULL,
    ${MS("expires_at_ms")} NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('entry', 'effects')),
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE denial (
    approval_id TEXT NOT NULL PRIMARY KEY,
    session_id TEXT NOT NULL,
    ${MS("at_ms")} NOT NULL,
    proposal_hash TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX denial_of_session ON denial (session_id, proposal_hash);
  CREATE INDEX denial_by_age ON denial (at_ms);

  CREATE TABLE denial_count (
    session_id TEXT NOT NULL PRIMARY KEY,
    count INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

function appendOnly(table: string): string {
  return `
  CREATE TRIGGER ${table}_no_update BEFORE UPDATE ON ${table}
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
  CREATE TRIGGER ${table}_no_delete BEFORE DELETE ON ${table}
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;`;
}

/**
 * The ledger: receipts as they were signed, in the order in which they became leaves of the tree. The columns beside `raw` are
 * for finding one; nothing rests on them. What was there before, and isn't signed, stays under another name.
 */
const RECEIPTS = `
  DROP TRIGGER ledger_no_update;
  DROP TRIGGER ledger_no_delete;
  DROP TRIGGER ledger_in_order;
  DROP INDEX ledger_of_proposal;
  ALTER TABLE ledger RENAME TO unsigned_ledger;

  CREATE TABLE receipt (
    seq INTEGER NOT NULL PRIMARY KEY,
    chain_id TEXT NOT NULL,
    chain_seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    raw TEXT NOT NULL,
    type TEXT NOT NULL,
    session_id TEXT,
    proposal_key TEXT,
    ${MS("at_ms")} NOT NULL,
    UNIQUE (chain_id, chain_seq)
  ) STRICT;
  CREATE INDEX receipt_of_proposal ON receipt (proposal_key, seq) WHERE proposal_key IS NOT NULL;
  CREATE INDEX receipt_of_epoch ON receipt (seq) WHERE type = 'epoch-opened';
  CREATE INDEX receipt_by_age ON receipt (at_ms);
  CREATE INDEX receipt_by_hash ON receipt (hash);

  CREATE TABLE tree_node (
    level INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (level, idx)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE checkpoint (
    size INTEGER NOT NULL PRIMARY KEY,
    note TEXT NOT NULL,
    ${MS("at_ms")} NOT NULL
  ) STRICT;

  ${["receipt", "tree_node", "checkpoint"].map(appendOnly).join("")}
  CREATE TRIGGER receipt_in_order BEFORE INSERT ON receipt
    WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM receipt)
    BEGIN SELECT RAISE(ABORT, 'the ledger only takes the next receipt'); END;
`;

/**
 * Which emitter's frame a receipt is of; NULL: the hub's own. A key is kept as long as the receipt is, so that a frame that is sent again
 * after any time finds it.
 */
const FRAMES = `
  ALTER TABLE receipt ADD COLUMN emitter TEXT;
  ALTER TABLE receipt ADD COLUMN idempotency_key TEXT;
  CREATE UNIQUE INDEX receipt_once ON receipt (emitter, idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX receipt_of_hub ON receipt (seq) WHERE emitter IS NULL;
  CREATE INDEX receipt_begins_chain ON receipt (emitter, at_ms) WHERE emitter IS NOT NULL AND chain_seq = 1;
`;

/** Who signs is looked up at every start, and where a chain goes on under another key. */
const ROTATIONS = `
  CREATE INDEX receipt_of_key ON receipt (seq) WHERE type = 'key-rotated' AND emitter IS NULL;
`;

/**
 * Where another process signs: what is to be put on record, in order, until its receipt has come back. A draft's key stands beside its
 * receipt, so that one that is delivered again finds it.
 */
const DRAFTS = `
  CREATE TABLE outbox (
    place INTEGER NOT NULL PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    draft TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX receipt_of_draft ON receipt (idempotency_key) WHERE emitter IS NULL AND idempotency_key IS NOT NULL;
`;

/** Who answers in a session, and what was said in it. Bodies are JSON without a check: a spoilt one costs that row alone. */
const CHATS = `
  CREATE TABLE chat (
    session_id TEXT NOT NULL PRIMARY KEY,
    agent TEXT NOT NULL,
    proposer TEXT NOT NULL,
    unattended INTEGER NOT NULL CHECK (unattended IN (0, 1))
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE message (
    session_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    ${MS("at_ms")} NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (session_id, seq)
  ) STRICT;
`;

/**
 * A hash is found by its leaf: reading a million of those takes a tenth of a second, now and then. An index by hash is written at another page for
 * every receipt, which cost more than all the rest of writing it.
 */
const BY_LEAF = `
  DROP INDEX receipt_by_hash;
`;

/** What is allowed for when it asks again; and what nobody answered, for those who come late. */
const LATE = `
  CREATE TABLE answer_grant_new (
    id TEXT NOT NULL PRIMARY KEY,
    profile_id TEXT NOT NULL,
    session_id TEXT,
    ${MS("at_ms")} NOT NULL,
    ${MS("expires_at_ms")} NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('entry', 'effects', 'once')),
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO answer_grant_new SELECT * FROM answer_grant WHERE kind IN ('entry', 'effects');
  DROP TABLE answer_grant;
  ALTER TABLE answer_grant_new RENAME TO answer_grant;
  CREATE INDEX approval_expired ON approval (expires_at_ms) WHERE state = 'expired';
`;

/** How people answered, by what it is called; and what they were asked about, newest first. */
const ASKED = `
  CREATE TABLE answer_count (
    profile_id TEXT NOT NULL,
    shape TEXT NOT NULL,
    directory TEXT NOT NULL,
    allowed INTEGER NOT NULL,
    denied INTEGER NOT NULL,
    ${MS("last_at_ms")} NOT NULL,
    PRIMARY KEY (profile_id, shape, directory)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX proposal_asked ON proposal (ended_at_ms) WHERE state = 'ended' AND approval_id IS NOT NULL;
`;

/** Where chains begin, and what they are looked for by: few rows, so that a list of them reads no others. */
const CHAINS = `
  CREATE INDEX receipt_begins ON receipt (seq, chain_id, session_id) WHERE chain_seq = 1;
`;

/** By which token each was made. */
const PARENTS = `
  ALTER TABLE token ADD COLUMN made_by TEXT;
`;

/**
 * Nodes by the leaf that completed them, and then by their level: what a receipt adds stands at the end. By level and index it stood on as many pages as
 * the tree has levels, all of which a commit had to write.
 */
const BY_COMPLETION = `
  CREATE TABLE tree_node_new (
    id INTEGER NOT NULL PRIMARY KEY,
    hash BLOB NOT NULL,
    level INTEGER AS (id & 63) VIRTUAL,
    idx INTEGER AS ((((id >> 6) + 1) >> (id & 63)) - 1) VIRTUAL
  ) STRICT;
  INSERT INTO tree_node_new (id, hash)
    SELECT ((((idx + 1) << level) - 1) << 6) | level AS id, hash FROM tree_node ORDER BY 1;
  DROP TABLE tree_node;
  ALTER TABLE tree_node_new RENAME TO tree_node;
  ${appendOnly("tree_node")}
`;

/** What lists are read by, so that no page of one reads or sorts all the rows that there are. */
export const PAGES = `
  ${SPANS}
  ${appendOnly("receipt_span")}
  CREATE INDEX receipt_of_type ON receipt (type);
  CREATE INDEX receipt_of_session ON receipt (session_id) WHERE session_id IS NOT NULL;

  DROP INDEX proposal_ended;
  CREATE INDEX proposal_ended ON proposal (ended_at_ms, key) WHERE state = 'ended';
  CREATE INDEX proposal_by_outcome ON proposal (outcome_kind, ended_at_ms) WHERE state = 'ended';
  CREATE INDEX proposal_named ON proposal (proposal_id, key);
  CREATE INDEX session_by_age ON session (created_at_ms);
  CREATE INDEX device_by_age ON device (created_at_ms);
  CREATE INDEX device_that_signs ON device (created_at_ms) WHERE public_key IS NOT NULL;
  CREATE INDEX answer_count_by_age ON answer_count (profile_id, shape, last_at_ms DESC, directory);

  ALTER TABLE chat ADD COLUMN owner_id TEXT NOT NULL DEFAULT '';
  ALTER TABLE chat ADD COLUMN last_at_ms INTEGER NOT NULL DEFAULT 0;
  UPDATE chat SET
    owner_id = coalesce((SELECT owner_id FROM session WHERE id = session_id), ''),
    last_at_ms = coalesce((SELECT at_ms FROM message WHERE message.session_id = chat.session_id ORDER BY seq DESC LIMIT 1),
      (SELECT created_at_ms FROM session WHERE id = chat.session_id), 0);
  CREATE INDEX chat_by_use ON chat (last_at_ms, session_id);
  CREATE INDEX chat_of_owner ON chat (owner_id, last_at_ms, session_id);
`;

/** Step n brings a database from schema n to n + 1. Steps that were released are never edited: add one. */
export const MIGRATIONS: readonly string[] = [
  TABLES,
  IDENTITY,
  ANSWERS,
  RECEIPTS,
  FRAMES,
  ROTATIONS,
  DRAFTS,
  CHATS,
  BY_LEAF,
  LATE,
  ASKED,
  CHAINS,
  HISTORY,
  SANDBOXES,
  PARENTS,
  BY_COMPLETION,
  READABLE_DROPS,
  OPENED_TERMINALS,
  SIDES,
  PAGES,
];

/** The schema that first had receipts as they are read. One that is older has none, or was cut off while it was made. */
export const SIGNED_SINCE = 5;
