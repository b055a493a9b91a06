-- user_version 20
CREATE INDEX answer_count_by_age ON answer_count (profile_id, shape, last_at_ms DESC, directory);
CREATE INDEX approval_expired ON approval (expires_at_ms) WHERE state = 'expired';
CREATE INDEX approval_pending ON approval (id) WHERE state = 'pending';
CREATE INDEX chat_by_use ON chat (last_at_ms, session_id);
CREATE INDEX chat_of_owner ON chat (owner_id, last_at_ms, session_id);
CREATE INDEX denial_by_age ON denial (at_ms);
CREATE INDEX denial_of_session ON denial (session_id, proposal_hash);
CREATE INDEX device_by_age ON device (created_at_ms);
CREATE INDEX device_that_signs ON device (created_at_ms) WHERE public_key IS NOT NULL;
CREATE INDEX proposal_asked ON proposal (ended_at_ms) WHERE state = 'ended' AND approval_id IS NOT NULL;
CREATE INDEX proposal_by_outcome ON proposal (outcome_kind, ended_at_ms) WHERE state = 'ended';
CREATE INDEX proposal_ended ON proposal (ended_at_ms, key) WHERE state = 'ended';
CREATE INDEX proposal_named ON proposal (proposal_id, key);
CREATE INDEX proposal_open ON proposal (created_at_ms, key) WHERE state <> 'ended';
CREATE INDEX proposal_prunable ON proposal (ended_at_ms) WHERE state = 'ended' AND outcome IS NOT NULL;
CREATE INDEX receipt_begins ON receipt (seq, chain_id, session_id) WHERE chain_seq = 1;
CREATE INDEX receipt_begins_chain ON receipt (emitter, at_ms) WHERE emitter IS NOT NULL AND chain_seq = 1;
CREATE INDEX receipt_by_age ON receipt (at_ms);
CREATE UNIQUE INDEX receipt_of_draft ON receipt (idempotency_key) WHERE emitter IS NULL AND idempotency_key IS NOT NULL;
CREATE INDEX receipt_of_epoch ON receipt (seq) WHERE type = 'epoch-opened';
CREATE INDEX receipt_of_hub ON receipt (seq) WHERE emitter IS NULL;
CREATE INDEX receipt_of_key ON receipt (seq) WHERE type = 'key-rotated' AND emitter IS NULL;
CREATE INDEX receipt_of_proposal ON receipt (proposal_key, seq) WHERE proposal_key IS NOT NULL;
CREATE INDEX receipt_of_session ON receipt (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX receipt_of_type ON receipt (type);
CREATE UNIQUE INDEX receipt_once ON receipt (emitter, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX sandbox_begins ON sandbox (first_seq);
CREATE INDEX sandbox_open_first ON sandbox_open (sandbox_id, from_ms);
CREATE UNIQUE INDEX sandbox_step_flow ON sandbox_step (sandbox_id, flow) WHERE flow IS NOT NULL;
CREATE INDEX sandbox_step_to_explain ON sandbox_step (sandbox_id, at_ms) WHERE to_explain = 1;
CREATE INDEX sandbox_terminal_open ON sandbox_terminal (sandbox_id) WHERE closed_seq IS NULL;
CREATE INDEX session_by_age ON session (created_at_ms);
CREATE INDEX session_of_owner ON session (owner_id, created_at_ms);
CREATE TABLE answer_count (
    profile_id TEXT NOT NULL,
    shape TEXT NOT NULL,
    directory TEXT NOT NULL,
    allowed INTEGER NOT NULL,
    denied INTEGER NOT NULL,
    last_at_ms INTEGER CHECK (last_at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    PRIMARY KEY (profile_id, shape, directory)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE "answer_grant" (
    id TEXT NOT NULL PRIMARY KEY,
    profile_id TEXT NOT NULL,
    session_id TEXT,
    at_ms INTEGER CHECK (at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    expires_at_ms INTEGER CHECK (expires_at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('entry', 'effects', 'once')),
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE approval (
    id TEXT NOT NULL PRIMARY KEY,
    subject TEXT NOT NULL CHECK (subject IN ('exec', 'policy')),
    proposal_key TEXT,
    session_id TEXT NOT NULL,
    profile_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'resolved', 'expired', 'cancelled')),
    expires_at_ms ANY,
    delivered_at_ms INTEGER CHECK (delivered_at_ms BETWEEN -9007199254740991 AND 9007199254740991),
    payload TEXT NOT NULL,
    resolution TEXT
  ) STRICT;
CREATE TABLE chat (
    session_id TEXT NOT NULL PRIMARY KEY,
    agent TEXT NOT NULL,
    proposer TEXT NOT NULL,
    unattended INTEGER NOT NULL CHECK (unattended IN (0, 1))
  , owner_id TEXT NOT NULL DEFAULT '', last_at_ms INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoint (
    size INTEGER NOT NULL PRIMARY KEY,
    note TEXT NOT NULL,
    at_ms INTEGER CHECK (at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL
  ) STRICT;
CREATE TABLE denial (
    approval_id TEXT NOT NULL PRIMARY KEY,
    session_id TEXT NOT NULL,
    at_ms INTEGER CHECK (at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    proposal_hash TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE denial_count (
    session_id TEXT NOT NULL PRIMARY KEY,
    count INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE device (
    id TEXT NOT NULL PRIMARY KEY,
    token_id TEXT NOT NULL,
    name TEXT NOT NULL,
    public_key TEXT,
    created_at_ms INTEGER CHECK (created_at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE entry_use (
    profile_id TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    hits INTEGER NOT NULL,
    last_used_at_ms INTEGER CHECK (last_used_at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    PRIMARY KEY (profile_id, entry_id)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE history (
    place INTEGER NOT NULL PRIMARY KEY,
    proposal_key TEXT NOT NULL,
    ended_at_ms INTEGER CHECK (ended_at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    exit_code INTEGER,
    reason TEXT
  ) STRICT;
CREATE TABLE history_block (
    first INTEGER NOT NULL PRIMARY KEY,
    last INTEGER NOT NULL,
    from_ms INTEGER CHECK (from_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    to_ms INTEGER CHECK (to_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    facets TEXT NOT NULL,
    codes BLOB NOT NULL,
    trigrams BLOB NOT NULL,
    begins BLOB NOT NULL,
    texts TEXT NOT NULL
  ) STRICT;
CREATE TABLE message (
    session_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    at_ms INTEGER CHECK (at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (session_id, seq)
  ) STRICT;
CREATE TABLE nonce (
    nonce TEXT NOT NULL PRIMARY KEY,
    used_at_ms INTEGER CHECK (used_at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE outbox (
    place INTEGER NOT NULL PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    draft TEXT NOT NULL
  ) STRICT;
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
    created_at_ms INTEGER CHECK (created_at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    ended_at_ms INTEGER CHECK (ended_at_ms BETWEEN -9007199254740991 AND 9007199254740991),
    outcome TEXT,
    -- Apart from the outcome, so that pruning doesn't change the counts.
    outcome_kind TEXT, decided TEXT,
    UNIQUE (owner_id, proposal_id)
  ) STRICT;
CREATE TABLE receipt (
    seq INTEGER NOT NULL PRIMARY KEY,
    chain_id TEXT NOT NULL,
    chain_seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    raw TEXT NOT NULL,
    type TEXT NOT NULL,
    session_id TEXT,
    proposal_key TEXT,
    at_ms INTEGER CHECK (at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL, emitter TEXT, idempotency_key TEXT,
    UNIQUE (chain_id, chain_seq)
  ) STRICT;
CREATE TABLE receipt_span (
    first INTEGER NOT NULL PRIMARY KEY,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL
  ) STRICT;
CREATE TABLE sandbox (
    id TEXT NOT NULL PRIMARY KEY,
    first_seq INTEGER NOT NULL,
    first_at_ms INTEGER CHECK (first_at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    last_seq INTEGER NOT NULL,
    last_at_ms INTEGER CHECK (last_at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    receipts INTEGER NOT NULL,
    dropped INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE sandbox_action (
    sandbox_id TEXT NOT NULL,
    type TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (sandbox_id, type)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE sandbox_chain (
    sandbox_id TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    chain_id TEXT NOT NULL,
    PRIMARY KEY (sandbox_id, first_seq)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE sandbox_inside (
    sandbox_id TEXT NOT NULL PRIMARY KEY,
    placed_seq INTEGER NOT NULL,
    first_ms INTEGER CHECK (first_ms BETWEEN -9007199254740991 AND 9007199254740991),
    last_ms INTEGER CHECK (last_ms BETWEEN -9007199254740991 AND 9007199254740991)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE sandbox_open (
    sandbox_id TEXT NOT NULL,
    correlation_id TEXT NOT NULL,
    from_ms INTEGER CHECK (from_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (sandbox_id, correlation_id)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE sandbox_outside (
    sandbox_id TEXT NOT NULL PRIMARY KEY,
    flows INTEGER NOT NULL,
    blocked INTEGER NOT NULL,
    gaps INTEGER NOT NULL,
    dropped INTEGER NOT NULL,
    repeats INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE sandbox_span (
    sandbox_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    from_ms INTEGER CHECK (from_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    to_ms INTEGER CHECK (to_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    seq INTEGER NOT NULL,
    receipts INTEGER NOT NULL,
    PRIMARY KEY (sandbox_id, kind, from_ms)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE sandbox_step (
    sandbox_id TEXT NOT NULL,
    at_ms INTEGER CHECK (at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    receipts INTEGER NOT NULL,
    flow TEXT,
    to_explain INTEGER NOT NULL,
    PRIMARY KEY (sandbox_id, at_ms, seq)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE sandbox_terminal (
    sandbox_id TEXT NOT NULL,
    correlation_id TEXT NOT NULL,
    opened_seq INTEGER NOT NULL,
    closed_seq INTEGER,
    PRIMARY KEY (sandbox_id, correlation_id)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE session (
    id TEXT NOT NULL PRIMARY KEY,
    owner_id TEXT NOT NULL,
    agent_name TEXT NOT NULL,
    created_at_ms INTEGER CHECK (created_at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE setting (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE token (
    id TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('agent', 'observer', 'approver', 'hub')),
    name TEXT NOT NULL,
    unattended INTEGER NOT NULL CHECK (unattended IN (0, 1)),
    created_at_ms INTEGER CHECK (created_at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    revoked_at_ms INTEGER CHECK (revoked_at_ms BETWEEN -9007199254740991 AND 9007199254740991)
  , made_by TEXT) STRICT, WITHOUT ROWID;
CREATE TABLE "tree_node" (
    id INTEGER NOT NULL PRIMARY KEY,
    hash BLOB NOT NULL,
    level INTEGER AS (id & 63) VIRTUAL,
    idx INTEGER AS ((((id >> 6) + 1) >> (id & 63)) - 1) VIRTUAL
  ) STRICT;
CREATE TABLE "unsigned_ledger" (
    seq INTEGER NOT NULL PRIMARY KEY,
    prev TEXT,
    hash TEXT NOT NULL,
    type TEXT NOT NULL,
    session_id TEXT,
    proposal_key TEXT,
    at_ms INTEGER CHECK (at_ms BETWEEN -9007199254740991 AND 9007199254740991) NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
CREATE TRIGGER checkpoint_no_delete BEFORE DELETE ON checkpoint
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER checkpoint_no_update BEFORE UPDATE ON checkpoint
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER receipt_in_order BEFORE INSERT ON receipt
    WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM receipt)
    BEGIN SELECT RAISE(ABORT, 'the ledger only takes the next receipt'); END;
CREATE TRIGGER receipt_no_delete BEFORE DELETE ON receipt
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER receipt_no_update BEFORE UPDATE ON receipt
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER receipt_span_no_delete BEFORE DELETE ON receipt_span
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER receipt_span_no_update BEFORE UPDATE ON receipt_span
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER tree_node_no_delete BEFORE DELETE ON tree_node
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER tree_node_no_update BEFORE UPDATE ON tree_node
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
