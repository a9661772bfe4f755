/**
 * The tables and functions of a store in PostgreSQL. One schema holds one store.
 *
 * The order of the revisions is the order of the commits: a function takes the lock of the only row of `head`, and then
 * gives out the numbers after the newest one, so a number is never visible before a smaller one, and a refused write
 * costs none. Each function is one statement: a client that is stopped or cut off never holds the lock.
 *
 * @module
 */

/** Version of the tables and functions. A server refuses a schema with another one, and changes nothing in it. */
export const LAYOUT = 1;

/** SQLSTATE of a group that came too late. */
export const TOO_LATE = 'OR001';

/** Returns a quoted identifier. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Returns one statement that makes the tables and functions of a store, unless they exist. Servers that start together
 * take turns. The catalogue is read by a query: functions on names may answer from before the wait.
 *
 * @param schema name of the schema; it is made if it does not exist
 */
export function creation(schema: string): string {
  const name = identifier(schema);
  const steps = [`CREATE SCHEMA IF NOT EXISTS ${name}`, ...tables(name), ...functions(name)];
  return `DO $do$ BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('orch-apiserver'), hashtext(${literal(schema)}));
    IF EXISTS (SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ${literal(schema)} AND c.relname = 'head') THEN RETURN; END IF;
    ${steps.map((step) => `EXECUTE $step$${step}$step$;`).join('\n    ')}
  END $do$`;
}

/**
 * Returns the SQL that makes a store for servers whose role may not do so itself, for the owner of the database.
 *
 * @param schema name of the schema, as the option `schema` of the engine; `orch` by default there
 * @param role name of the role that the servers use; it gets the rights that they need. Without one, no rights are given
 * @throws TypeError for a name that the engine would refuse
 */
export function postgresSchemaSql(schema: string, role?: string): string {
  if (!isSchemaName(schema)) throw new TypeError(`schema must be ${SCHEMA_NAME}`);
  const [name, grantee] = [identifier(schema), role === undefined ? undefined : identifier(role)];
  const grants =
    grantee === undefined
      ? []
      : [
          `GRANT USAGE ON SCHEMA ${name} TO ${grantee}`,
          `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${name} TO ${grantee}`,
          `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${name} TO ${grantee}`,
        ];
  return [creation(schema), ...grants].map((statement) => `${statement};\n`).join('');
}

/** Returns whether a name of a schema needs no quotation marks: the names of channels and statements derive from it. */
export const isSchemaName = (name: unknown): boolean =>
  typeof name === 'string' && /^[a-z_][a-z0-9_]{0,30}$/.test(name);

/** The names that {@link isSchemaName} accepts, for messages. */
export const SCHEMA_NAME = 'a name of lower-case letters, digits and underscores, of at most 31 characters';

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function tables(schema: string): string[] {
  return [
    `CREATE TABLE ${schema}.head (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      layout integer NOT NULL,
      compacted bigint NOT NULL DEFAULT 0,
      cleaned bigint NOT NULL DEFAULT 0,
      floor bigint NOT NULL DEFAULT 0,
      compact_turn timestamptz NOT NULL DEFAULT '-infinity')`,
    `INSERT INTO ${schema}.head (layout) VALUES (${LAYOUT})`,
    // A delete has no value. The stamp is the position of the placeholder of the revision in the value.
    `CREATE TABLE ${schema}.versions (
      revision bigint PRIMARY KEY,
      key text COLLATE "C" NOT NULL,
      created bigint NOT NULL,
      previous bigint,
      written timestamptz NOT NULL,
      batch uuid,
      stamp integer,
      value text) WITH (autovacuum_vacuum_scale_factor = 0.02)`,
    // Room in each page lets an update stay in it and touch no index.
    `CREATE TABLE ${schema}.current (
      key text COLLATE "C" PRIMARY KEY,
      revision bigint NOT NULL,
      created bigint NOT NULL,
      expires timestamptz) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)`,
    `CREATE INDEX current_expires ON ${schema}.current (expires) WHERE expires IS NOT NULL`,
  ];
}

/**
 * Lock and reads are separate statements of a volatile function: at READ COMMITTED each has a snapshot of its own, so
 * the reads see every commit of whoever held the lock before. One statement for both would read the snapshot from before
 * its wait.
 */
const lockHead = (schema: string): string => `PERFORM 1 FROM ${schema}.head FOR UPDATE;`;

const newestInto = (schema: string, variable: string): string =>
  `SELECT greatest(h.floor, (SELECT max(v.revision) FROM ${schema}.versions v)) INTO ${variable} FROM ${schema}.head h;`;

/** Attributes of each function: it never waits long for the lock. */
const ATTRIBUTES = `LANGUAGE plpgsql VOLATILE SET lock_timeout = '5s'`;

function functions(schema: string): string[] {
  return [
    commitGroup(schema),
    groupOutcome(schema),
    expireKeys(schema),
    compactTo(schema),
    cleanHistory(schema),
    raiseFloor(schema),
  ];
}

/**
 * Commits a group of writes. A write whose key has another version is refused, and the others take effect; so is one
 * whose term, the version of another key, is over.
 */
function commitGroup(schema: string): string {
  return `CREATE FUNCTION ${schema}.commit_group(
      of_batch uuid, not_after float8, keys text[], expected float8[], texts text[], stamps integer[], lifetimes float8[],
      terms text[] DEFAULT NULL, term_revisions float8[] DEFAULT NULL)
    RETURNS TABLE (done boolean, at float8, origin float8, mark integer, content text) ${ATTRIBUTES} AS $body$
    DECLARE newest bigint; moment timestamptz; found bigint; begun bigint;
    BEGIN
      IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'the isolation of transactions must be read committed' USING ERRCODE = 'OR002';
      END IF;
      ${lockHead(schema)}
      moment := clock_timestamp();
      IF moment > to_timestamp(not_after / 1000) THEN
        RAISE EXCEPTION 'the group came too late' USING ERRCODE = '${TOO_LATE}';
      END IF;
      ${newestInto(schema, 'newest')}
      FOR i IN 1 .. cardinality(keys) LOOP
        found := NULL; begun := NULL; mark := NULL; content := NULL;
        IF terms[i] IS NOT NULL AND term_revisions[i] <>
            coalesce((SELECT c.revision FROM ${schema}.current c WHERE c.key = terms[i]), 0) THEN
          done := NULL; at := NULL; origin := NULL;
          RETURN NEXT;
          CONTINUE;
        END IF;
        SELECT c.revision, c.created INTO found, begun FROM ${schema}.current c WHERE c.key = keys[i];
        IF coalesce(found, 0) <> expected[i] THEN
          IF found IS NOT NULL THEN
            SELECT v.stamp, v.value INTO mark, content FROM ${schema}.versions v WHERE v.revision = found;
          END IF;
          done := false; at := found; origin := begun;
          RETURN NEXT;
          CONTINUE;
        END IF;
        newest := newest + 1;
        done := true; at := newest; origin := coalesce(begun, newest);
        INSERT INTO ${schema}.versions (revision, key, created, previous, written, batch, stamp, value)
          VALUES (newest, keys[i], coalesce(begun, newest), found, moment, of_batch, stamps[i], texts[i]);
        IF texts[i] IS NULL THEN
          DELETE FROM ${schema}.current c WHERE c.key = keys[i];
        ELSIF found IS NULL THEN
          INSERT INTO ${schema}.current (key, revision, created, expires)
            VALUES (keys[i], newest, newest, moment + lifetimes[i] * interval '1 ms');
        ELSE
          UPDATE ${schema}.current c SET revision = newest, expires = moment + lifetimes[i] * interval '1 ms'
            WHERE c.key = keys[i];
        END IF;
        RETURN NEXT;
      END LOOP;
    END $body$`;
}

/**
 * Returns the writes of a group that took effect, after whoever holds the lock; the first row says whether the group can
 * no longer begin.
 */
function groupOutcome(schema: string): string {
  return `CREATE FUNCTION ${schema}.group_outcome(of_batch uuid, after_revision float8, not_after float8)
    RETURNS TABLE (over boolean, at float8, name text, origin float8) ${ATTRIBUTES} AS $body$
    BEGIN
      ${lockHead(schema)}
      over := clock_timestamp() > to_timestamp(not_after / 1000);
      RETURN NEXT;
      RETURN QUERY SELECT over, v.revision::float8, v.key, v.created::float8 FROM ${schema}.versions v
        WHERE v.revision > after_revision::bigint AND v.batch = of_batch ORDER BY v.revision;
    END $body$`;
}

/** Deletes keys whose time has come by the database's clock, each with a revision of its own. Returns their number. */
function expireKeys(schema: string): string {
  return `CREATE FUNCTION ${schema}.expire_keys(most integer) RETURNS integer ${ATTRIBUTES} AS $body$
    DECLARE newest bigint; moment timestamptz; due record; expired integer := 0;
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM ${schema}.current c WHERE c.expires <= clock_timestamp()) THEN RETURN 0; END IF;
      ${lockHead(schema)}
      moment := clock_timestamp();
      ${newestInto(schema, 'newest')}
      FOR due IN SELECT c.key, c.revision, c.created FROM ${schema}.current c
          WHERE c.expires <= moment ORDER BY c.expires, c.key LIMIT most LOOP
        newest := newest + 1;
        expired := expired + 1;
        INSERT INTO ${schema}.versions (revision, key, created, previous, written)
          VALUES (newest, due.key, due.created, due.revision, moment);
        DELETE FROM ${schema}.current c WHERE c.key = due.key;
      END LOOP;
      RETURN expired;
    END $body$`;
}

/** Raises the compacted revision. Returns the newest revision, which may be less than the target: nothing changes then. */
function compactTo(schema: string): string {
  return `CREATE FUNCTION ${schema}.compact_to(target float8) RETURNS float8 ${ATTRIBUTES} AS $body$
    DECLARE newest bigint;
    BEGIN
      ${lockHead(schema)}
      ${newestInto(schema, 'newest')}
      IF target <= newest THEN
        UPDATE ${schema}.head SET compacted = target::bigint WHERE compacted < target;
      END IF;
      RETURN newest;
    END $body$`;
}

/**
 * Deletes versions that no readable revision shows: those that a version up to the compacted revision replaced, and
 * deletes up to it. The newest row stays, since the next number follows from it. Readers with an older snapshot still
 * have the rows, and newer ones see the compacted revision. Returns whether there may be more.
 */
function cleanHistory(schema: string): string {
  return `CREATE FUNCTION ${schema}.clean_history(most integer) RETURNS boolean ${ATTRIBUTES} AS $body$
    DECLARE since bigint; until bigint; seen integer;
    BEGIN
      SELECT h.cleaned, least(h.compacted, (SELECT max(v.revision) - 1 FROM ${schema}.versions v))
        INTO since, until FROM ${schema}.head h;
      SELECT max(part.revision), count(*) INTO until, seen FROM (
        SELECT v.revision FROM ${schema}.versions v WHERE v.revision > since AND v.revision <= until
          ORDER BY v.revision LIMIT most) part;
      IF seen = 0 THEN RETURN false; END IF;
      DELETE FROM ${schema}.versions v USING ${schema}.versions s
        WHERE s.revision > since AND s.revision <= until AND v.revision = s.previous;
      DELETE FROM ${schema}.versions v WHERE v.revision > since AND v.revision <= until AND v.value IS NULL;
      UPDATE ${schema}.head SET cleaned = until WHERE cleaned < until;
      RETURN seen = most;
    END $body$`;
}

/**
 * Continues at a much higher revision, and compacts up to it: for a database that has lost commits of which servers know.
 * Returns the new floor.
 */
function raiseFloor(schema: string): string {
  return `CREATE FUNCTION ${schema}.raise_floor(known float8, gap float8) RETURNS float8 ${ATTRIBUTES} AS $body$
    DECLARE newest bigint;
    BEGIN
      ${lockHead(schema)}
      ${newestInto(schema, 'newest')}
      newest := greatest(newest, known::bigint) + gap::bigint;
      UPDATE ${schema}.head SET floor = newest, compacted = newest;
      RETURN newest;
    END $body$`;
}
