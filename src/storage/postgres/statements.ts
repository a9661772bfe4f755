import { identifier } from './layout.js';

/** A statement, and the name under which a session prepares it. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** The statements on a store. Each reads one snapshot, so a page and its revision belong together. */
export interface Statements {
  readonly commit: Statement;
  readonly outcome: Statement;
  readonly expire: Statement;
  readonly compact: Statement;
  readonly clean: Statement;
  readonly claimCompaction: Statement;
  readonly raiseFloor: Statement;
  /** → newest revision, compacted revision */
  readonly revision: Statement;
  /** key → newest revision, then a version: key, revision, created, stamp, value */
  readonly get: Statement;
  /** first key, end, limit, bytes → newest revision, number of keys in the range, version, bytes of its value */
  readonly page: Statement;
  /** first key, end, limit, revision, whether to count, bytes → newest, compacted, number of keys, version, bytes */
  readonly pageAt: Statement;
  /** key, limit → newest, compacted, then key, revision, created of the next keys */
  readonly heads: Statement;
  /** key, limit, revision → newest, compacted, then key, revision, created of the next keys at the revision */
  readonly headsAt: Statement;
  /** position, limit → compacted revision, version, previous, batch */
  readonly feed: Statement;
  /** revisions → versions */
  readonly replaced: Statement;
  /** revisions → versions in the order of the revisions, each with the revision of the version that it replaced, or 0 */
  readonly written: Statement;
  /** revisions, bytes → versions in the order of the revisions, each with the bytes of its value */
  readonly versions: Statement;
  /** revision → newest revision, whether the version of the revision is there, its batch */
  readonly position: Statement;
  readonly expiries: Statement;
  /** channel → nothing; its transaction does not wait for the disk, since a notification need not survive a crash */
  readonly notify: Statement;
  /** Fails where the database refuses writes. */
  readonly probe: Statement;
  /**
   * number of pieces of 32 characters → nothing: it writes a version of that size, and fails with a division by zero, so
   * that nothing of it stays. Fails otherwise where the disk has no space for it.
   */
  readonly roomProbe: Statement;
}

/**
 * Returns the columns of a version and the bytes of its value. The value is there only if those of the rows up to this one
 * have at most so many bytes. PostgreSQL knows the length of a long value without reading it.
 *
 * @param order what the rows are ordered by
 * @param maxBytes the parameter with the bytes
 */
const fitting = (order: string, maxBytes: string): string =>
  `v.key, v.revision::float8, v.created::float8, v.stamp,
   CASE WHEN sum(octet_length(v.value)) OVER (ORDER BY ${order}) <= ${maxBytes}::float8 THEN v.value END,
   octet_length(v.value)::float8`;

/**
 * Lets the transaction of a statement not wait for the disk. A setting of the session would outlast it behind a pooler, for
 * other clients.
 */
const WITHOUT_WAIT = `set_config('synchronous_commit', 'off', true)`;

/**
 * Returns the statements on the store of a schema.
 *
 * @param options.isRelaxed whether a crash of the database may lose the last commits
 */
export function statementsOn(
  schemaName: string,
  { isRelaxed = false }: { readonly isRelaxed?: boolean | undefined } = {},
): Statements {
  const schema = identifier(schemaName);
  const newest = `greatest(h.floor, (SELECT max(n.revision) FROM ${schema}.versions n))::float8`;
  const version = 'v.key, v.revision::float8, v.created::float8, v.stamp, v.value';
  const named = (name: string, text: string): Statement => ({ name: `orch_${schemaName}_${name}`, text });
  return {
    commit: named(
      isRelaxed ? 'commit_relaxed' : 'commit',
      `SELECT g.* FROM ${isRelaxed ? `(SELECT ${WITHOUT_WAIT}) relaxed CROSS JOIN LATERAL ` : ''}${schema}.commit_group($1, $2, $3, $4, $5, $6, $7, $8, $9) g`,
    ),
    outcome: named('outcome', `SELECT * FROM ${schema}.group_outcome($1, $2, $3)`),
    expire: named('expire', `SELECT ${schema}.expire_keys($1)`),
    compact: named('compact', `SELECT ${schema}.compact_to($1)`),
    clean: named('clean', `SELECT ${schema}.clean_history($1)`),
    claimCompaction: named(
      'claim_compaction',
      `UPDATE ${schema}.head SET compact_turn = clock_timestamp()
       WHERE compact_turn < clock_timestamp() - $1::float8 * interval '1 ms' RETURNING true`,
    ),
    notify: named('notify', `SELECT ${WITHOUT_WAIT}, pg_notify($1, '')`),
    raiseFloor: named('raise_floor', `SELECT ${schema}.raise_floor($1, $2)`),
    revision: named('revision', `SELECT ${newest}, h.compacted::float8 FROM ${schema}.head h`),
    get: named(
      'get',
      `SELECT ${newest}, ${version} FROM ${schema}.head h
       LEFT JOIN (${schema}.current c JOIN ${schema}.versions v ON v.revision = c.revision) ON c.key = $1`,
    ),
    page: named(
      'page',
      `SELECT ${newest}, (SELECT count(*)::float8 FROM ${schema}.current WHERE key >= $1 AND key < $2),
         ${fitting('p.key', '$4')}
       FROM ${schema}.head h LEFT JOIN (
         (SELECT key, revision FROM ${schema}.current WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3) p
         JOIN ${schema}.versions v ON v.revision = p.revision) ON true
       ORDER BY p.key`,
    ),
    pageAt: named('page_at', pageAt(schema, newest)),
    heads: named(
      'heads',
      `SELECT ${newest}, h.compacted::float8, p.key, p.revision::float8, p.created::float8
       FROM ${schema}.head h LEFT JOIN (
         SELECT key, revision, created FROM ${schema}.current WHERE key > $1 ORDER BY key LIMIT $2) p ON true
       ORDER BY p.key`,
    ),
    headsAt: named('heads_at', headsAt(schema, newest)),
    feed: named(
      'feed',
      `SELECT h.compacted::float8, ${version}, v.previous::float8, v.batch::text
       FROM ${schema}.head h LEFT JOIN (
         SELECT * FROM ${schema}.versions WHERE revision > $1::bigint ORDER BY revision LIMIT $2) v ON true
       ORDER BY v.revision`,
    ),
    replaced: named('replaced', `SELECT ${version} FROM ${schema}.versions v WHERE v.revision = ANY ($1::bigint[])`),
    written: named(
      'written',
      `SELECT ${version}, coalesce(v.previous, 0)::float8
       FROM ${schema}.versions v WHERE v.revision = ANY ($1::bigint[]) ORDER BY v.revision`,
    ),
    versions: named(
      'versions',
      `SELECT ${fitting('asked.place', '$2')}
       FROM unnest($1::bigint[]) WITH ORDINALITY asked (revision, place)
       JOIN ${schema}.versions v ON v.revision = asked.revision ORDER BY asked.place`,
    ),
    position: named(
      'position',
      `SELECT ${newest}, v.revision IS NOT NULL, v.batch::text
       FROM ${schema}.head h LEFT JOIN ${schema}.versions v ON v.revision = $1::bigint`,
    ),
    expiries: named(
      'expiries',
      `SELECT key, (extract(epoch FROM expires) * 1000)::float8 FROM ${schema}.current
       WHERE expires IS NOT NULL AND key >= $1 AND key < $2 ORDER BY key LIMIT $3`,
    ),
    probe: named('probe', `UPDATE ${schema}.head SET layout = layout RETURNING true`),
    roomProbe: named(
      'room_probe',
      `INSERT INTO ${schema}.versions (revision, key, created, written, value)
       SELECT -1, '', 0, clock_timestamp(), string_agg(md5(piece::text), '') FROM generate_series(1, $1::integer) piece
       RETURNING 1 / (revision + 1)`,
    ),
  };
}

/**
 * The state at a revision: the current versions that are not newer, and for each key that has changed since, the version
 * that its first change replaced. It is written out twice, so that a page without a count reads no more than its keys.
 */
function pageAt(schema: string, newest: string): string {
  const state = `(
      SELECT key, revision FROM ${schema}.current WHERE key >= $1 AND key < $2 AND revision <= $4::bigint
      UNION ALL
      SELECT key, previous FROM (
        SELECT DISTINCT ON (key) key, previous FROM ${schema}.versions
        WHERE revision > $4::bigint AND key >= $1 AND key < $2 ORDER BY key, revision) changed
      WHERE previous IS NOT NULL) state`;
  return `SELECT ${newest}, h.compacted::float8, CASE WHEN $5 THEN (SELECT count(*)::float8 FROM ${state}) END,
      ${fitting('p.key', '$6')}
    FROM ${schema}.head h LEFT JOIN (
      (SELECT key, revision FROM ${state} ORDER BY key LIMIT $3) p
      JOIN ${schema}.versions v ON v.revision = p.revision) ON true
    ORDER BY p.key`;
}

/**
 * The keys at a revision, as {@link pageAt}. Either side has its own limit, so that the current keys are read in their
 * order and no further than needed.
 */
function headsAt(schema: string, newest: string): string {
  return `SELECT ${newest}, h.compacted::float8, p.key, p.revision::float8, p.created::float8
    FROM ${schema}.head h LEFT JOIN (
      SELECT key, revision, created FROM (
        (SELECT key, revision, created FROM ${schema}.current
         WHERE key > $1 AND revision <= $3::bigint ORDER BY key LIMIT $2)
        UNION ALL
        (SELECT v.key, v.revision, v.created FROM (
          SELECT DISTINCT ON (key) key, previous FROM ${schema}.versions
          WHERE revision > $3::bigint AND key > $1 ORDER BY key, revision) changed
         JOIN ${schema}.versions v ON v.revision = changed.previous ORDER BY v.key LIMIT $2)) state
      ORDER BY key LIMIT $2) p ON true
    ORDER BY p.key`;
}
