import { MS } from "../base/index.ts";

const DROPPED = "json_extract(raw, '$.credentialSubject.action.emitter_metadata.drop_count')";
const STATUS = "json_extract(raw, '$.credentialSubject.outcome.status')";
const CORRELATOR = "json_extract(raw, '$.credentialSubject.correlation_id')";

/** Their chains, with the sandbox's id, which has no colon in it. */
const OF_SANDBOX = `
  SELECT substr(begun.chain_id, instr(begun.chain_id, ':sandbox:') + 9) AS sandbox, receipt.*
    FROM receipt AS begun JOIN receipt ON receipt.chain_id = begun.chain_id
    WHERE begun.emitter IS NOT NULL AND begun.chain_seq = 1 AND instr(begun.chain_id, ':sandbox:') > 0`;

/**
 * What is on record about sandboxes, counted as it is written: a list of them reads no receipts, however many there are. All of it follows
 * from the receipts, and nothing rests on it. A sandbox has a chain for each key that signed meanwhile.
 */
export const SANDBOXES = `
  CREATE TABLE sandbox (
    id TEXT NOT NULL PRIMARY KEY,
    first_seq INTEGER NOT NULL,
    ${MS("first_at_ms")} NOT NULL,
    last_seq INTEGER NOT NULL,
    ${MS("last_at_ms")} NOT NULL,
    receipts INTEGER NOT NULL,
    dropped INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX sandbox_begins ON sandbox (first_seq);

  CREATE TABLE sandbox_chain (
    sandbox_id TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    chain_id TEXT NOT NULL,
    PRIMARY KEY (sandbox_id, first_seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sandbox_action (
    sandbox_id TEXT NOT NULL,
    type TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (sandbox_id, type)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sandbox_terminal (
    sandbox_id TEXT NOT NULL,
    correlation_id TEXT NOT NULL,
    opened_seq INTEGER NOT NULL,
    closed_seq INTEGER,
    PRIMARY KEY (sandbox_id, correlation_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sandbox_terminal_open ON sandbox_terminal (sandbox_id) WHERE closed_seq IS NULL;

  INSERT INTO sandbox
    SELECT sandbox, min(seq), 0, max(seq), 0, count(*),
      CAST(min(total(CASE type WHEN 'agent_receipts.events_dropped' THEN ${DROPPED} END), ${Number.MAX_SAFE_INTEGER}) AS INTEGER)
    FROM (${OF_SANDBOX}) GROUP BY sandbox;
  UPDATE sandbox SET
    first_at_ms = (SELECT at_ms FROM receipt WHERE seq = first_seq),
    last_at_ms = (SELECT at_ms FROM receipt WHERE seq = last_seq);
  INSERT INTO sandbox_chain SELECT sandbox, seq, chain_id FROM (${OF_SANDBOX}) WHERE chain_seq = 1;
  INSERT INTO sandbox_action
    SELECT sandbox, type, count(*) FROM (${OF_SANDBOX})
    WHERE type <> 'agent_receipts.events_dropped' GROUP BY sandbox, type;
  INSERT INTO sandbox_terminal
    SELECT sandbox, correlator, opened, CASE WHEN closed > opened THEN closed END FROM (
      SELECT sandbox, ${CORRELATOR} AS correlator,
        max(CASE type WHEN 'system.pty.open' THEN seq END) AS opened,
        max(CASE type WHEN 'system.pty.close' THEN seq END) AS closed
      FROM (${OF_SANDBOX}) WHERE type IN ('system.pty.open', 'system.pty.close') AND ${CORRELATOR} IS NOT NULL
      GROUP BY sandbox, correlator
    ) WHERE opened IS NOT NULL;
`;

/**
 * What stands where in a sandbox's story, from both of its sides, and what a flow is explained by. What was told from inside gets its place when the
 * story is read: `placed_seq` is how far that went.
 */
export const STORY = `
  CREATE TABLE sandbox_inside (
    sandbox_id TEXT NOT NULL PRIMARY KEY,
    placed_seq INTEGER NOT NULL,
    ${MS("first_ms")},
    ${MS("last_ms")}
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sandbox_step (
    sandbox_id TEXT NOT NULL,
    ${MS("at_ms")} NOT NULL,
    seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    receipts INTEGER NOT NULL,
    flow TEXT,
    to_explain INTEGER NOT NULL,
    PRIMARY KEY (sandbox_id, at_ms, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX sandbox_step_flow ON sandbox_step (sandbox_id, flow) WHERE flow IS NOT NULL;
  CREATE INDEX sandbox_step_to_explain ON sandbox_step (sandbox_id, at_ms) WHERE to_explain = 1;

  CREATE TABLE sandbox_span (
    sandbox_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    ${MS("from_ms")} NOT NULL,
    ${MS("to_ms")} NOT NULL,
    seq INTEGER NOT NULL,
    receipts INTEGER NOT NULL,
    PRIMARY KEY (sandbox_id, kind, from_ms)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sandbox_open (
    sandbox_id TEXT NOT NULL,
    correlation_id TEXT NOT NULL,
    ${MS("from_ms")} NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (sandbox_id, correlation_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sandbox_open_first ON sandbox_open (sandbox_id, from_ms);
`;

/** Nothing of before saw flows, and the rest is put there when it is read: so nothing of before is to be put here. */
export const SIDES = `
  CREATE TABLE sandbox_outside (
    sandbox_id TEXT NOT NULL PRIMARY KEY,
    flows INTEGER NOT NULL,
    blocked INTEGER NOT NULL,
    gaps INTEGER NOT NULL,
    dropped INTEGER NOT NULL,
    repeats INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  ${STORY}
`;

/** A sum of drops could once grow over what can be read as a number: its sandbox, and every list with it, couldn't be read any more. */
export const READABLE_DROPS = `
  UPDATE sandbox SET dropped = ${Number.MAX_SAFE_INTEGER} WHERE dropped > ${Number.MAX_SAFE_INTEGER};
`;

/** What was refused or denied was once taken for a terminal that nobody closed. */
export const OPENED_TERMINALS = `
  DELETE FROM sandbox_terminal;
  WITH
    told AS MATERIALIZED (
      SELECT sandbox, ${CORRELATOR} AS correlator, type, seq FROM (${OF_SANDBOX})
      WHERE ${CORRELATOR} IS NOT NULL AND (type = 'system.pty.close' OR type = 'system.pty.open' AND ${STATUS} = 'success')
    ),
    opened AS MATERIALIZED (
      SELECT sandbox, correlator, max(seq) AS seq FROM told WHERE type = 'system.pty.open' GROUP BY sandbox, correlator
    )
  INSERT INTO sandbox_terminal
    SELECT opened.sandbox, opened.correlator, opened.seq, min(closed.seq)
    FROM opened LEFT JOIN told AS closed ON closed.sandbox = opened.sandbox AND closed.correlator = opened.correlator
      AND closed.type = 'system.pty.close' AND closed.seq > opened.seq
    GROUP BY opened.sandbox, opened.correlator;
`;
