import { MS } from "../base/index.ts";

/**
 * Proposals in the order in which they ended, and of all but the newest a summary to look through, see `block.ts`. What ended before
 * is taken over, with what its receipts tell.
 */
export const HISTORY = `
  ALTER TABLE proposal ADD COLUMN decided TEXT;

  CREATE TABLE history (
    place INTEGER NOT NULL PRIMARY KEY,
    proposal_key TEXT NOT NULL,
    ${MS("ended_at_ms")} NOT NULL,
    exit_code INTEGER,
    reason TEXT
  ) STRICT;

  CREATE TABLE history_block (
    first INTEGER NOT NULL PRIMARY KEY,
    last INTEGER NOT NULL,
    ${MS("from_ms")} NOT NULL,
    ${MS("to_ms")} NOT NULL,
    facets TEXT NOT NULL,
    codes BLOB NOT NULL,
    trigrams BLOB NOT NULL,
    begins BLOB NOT NULL,
    texts TEXT NOT NULL
  ) STRICT;

  UPDATE proposal SET decided = (
    SELECT json_object('atMs', at_ms, 'by', body ->> 'by', 'person', body ->> 'person',
      'asked', json(iif(body ->> 'approvalId' IS NULL, 'false', 'true')), 'verdict', body ->> 'verdict',
      'risk', body ->> 'riskLevel', 'agent', coalesce(body ->> 'agent', ''), 'repository', NULL,
      'entries', json(coalesce(body -> 'entries', '[]')), 'hosts', json('[]'), 'outside', json('[]'))
    FROM (SELECT at_ms, raw -> '$.issuer.runtime.decision' AS body FROM receipt
      WHERE proposal_key = proposal.key AND type = 'decided' AND emitter IS NULL AND json_valid(raw) LIMIT 1)
    WHERE body IS NOT NULL);

  INSERT INTO history (proposal_key, ended_at_ms, exit_code, reason)
    SELECT key, coalesce(ended_at_ms, created_at_ms), iif(json_valid(outcome), outcome ->> 'exitCode', NULL),
      substr(iif(json_valid(outcome), outcome ->> 'reason', NULL), 1, 300)
    FROM proposal WHERE state = 'ended' ORDER BY ended_at_ms, key;
`;
