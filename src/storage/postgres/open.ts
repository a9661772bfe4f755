import { delay, messageOf } from '../../foundation/index.js';
import { withDecorators } from '../decorate.js';
import { StorageError, type Revision, type Storage } from '../storage.js';
import { UnusableStoreError } from '../store-mark.js';
import { Connector } from './connector.js';
import { poolOf, type OwnPool, type PostgresPool } from './driver.js';
import { PostgresStorage, type PostgresConnections } from './engine.js';
import { SqlFailure, storageFailure } from './failure.js';
import { creation, identifier, LAYOUT } from './layout.js';
import { settingsOf, type PostgresSettings, type PostgresStorageOptions } from './options.js';
import { numberAt, textAt } from './rows.js';
import type { Session } from './session.js';
import { statementsOn } from './statements.js';

const PAUSE_MS = 500;
const LEAST_VERSION = 130_000;
/** Maximum number of past revisions that are read when a store is opened, so that watches may start from them. */
const MAX_PAST_REVISIONS = 10_000;
/** Classes of SQLSTATE with which opening may succeed later: connections, resources, and a database that starts. */
const TRANSIENT = /^(?:08|53|57P)/;

/**
 * Opens a store in PostgreSQL (version 13 or later), and makes its tables if they do not exist. Any number of processes
 * may open the same schema at the same time; all of them show one state.
 *
 * @throws TypeError when options contradict each other
 * @throws StorageError `Unavailable` when the database cannot be reached in time or refuses the user
 * @throws UnusableStoreError when the schema has no store and none may be made, or when it belongs to another program or another version of this one
 */
export async function openPostgresStorage(options: PostgresStorageOptions): Promise<Storage> {
  const settings = settingsOf(options);
  const connections = await connectionsOf(settings);
  const { connector, feed, ownPools } = connections;
  try {
    const start = await startOf(connector, settings);
    if (feed !== connector) await checkSameDatabase(connector, feed);
    const engine = new PostgresStorage(connections, settings, start);
    return withDecorators(engine, settings.decoratorsOn(engine.versions));
  } catch (error) {
    connector.close();
    feed.close();
    for (const pool of ownPools) await pool.end();
    throw storageFailure(error);
  }
}

async function connectionsOf(settings: PostgresSettings): Promise<PostgresConnections> {
  const { clock, requestTimeoutMs: timeoutMs, preparesStatements, connectTimeoutMs, pool } = settings;
  const poolsOf = (urls: readonly string[]): Promise<OwnPool[]> =>
    Promise.all(urls.map((url) => poolOf(url, connectTimeoutMs)));
  const [pools, listening] = [await poolsOf(settings.urls), await poolsOf(settings.listenUrls)];
  const connectorOf = (given: readonly PostgresPool[]): Connector =>
    new Connector(given, { clock, timeoutMs, preparesStatements });
  const connector = connectorOf(pool === undefined ? pools : [pool]);
  return {
    connector,
    feed: listening.length === 0 ? connector : connectorOf(listening),
    ownPools: [...pools, ...listening],
  };
}

/** Checks that the feed reads the database that is written. @throws UnusableStoreError */
async function checkSameDatabase(...connectors: readonly Connector[]): Promise<void> {
  const names = new Set<string>();
  for (const connector of connectors) {
    const session = await connector.connect();
    try {
      const [row = []] = await session.run(
        `SELECT (SELECT system_identifier FROM pg_control_system())::text || ' ' || current_database()`,
        [],
      );
      names.add(textAt(row, 0) ?? '');
    } finally {
      session.close();
    }
  }
  if (names.size > 1)
    throw new UnusableStoreError('listenUrl leads to another database than the other connections; nothing was changed');
}

/** Waits for the database, which may start at the same time as its clients. */
async function startOf(connector: Connector, settings: PostgresSettings): Promise<Revision> {
  const { clock, openTimeoutMs } = settings;
  const deadline = clock.now() + openTimeoutMs;
  for (;;) {
    try {
      const session = await connector.connect();
      try {
        return await prepare(session, settings);
      } finally {
        session.close();
      }
    } catch (error) {
      if (!isTransient(error) || clock.now() + PAUSE_MS >= deadline) throw error;
      await delay(clock, PAUSE_MS);
    }
  }
}

/** A failure without a state did not come from the database. */
function isTransient(error: unknown): boolean {
  return error instanceof SqlFailure && (error.state === undefined || TRANSIENT.test(error.state));
}

/** Checks the database, and makes the tables if it may. Returns the revision after which the history is read. */
async function prepare(session: Session, { schema, createsTables }: PostgresSettings): Promise<Revision> {
  await checkServer(session);
  await checkSchema(session, schema);
  if (!(await hasHead(session, schema))) {
    if (!createsTables)
      throw new UnusableStoreError(
        `there is no store in the schema ${schema} of the database, and createTables is false: let its owner run what "orch-apiserver postgres-schema" prints; nothing was changed`,
      );
    await makeTables(session, schema);
  }
  const [layout = []] = await session.run(`SELECT layout FROM ${identifier(schema)}.head`, []);
  if (layout[0] !== LAYOUT)
    throw new UnusableStoreError(
      `the store in the schema ${schema} has layout ${String(layout[0])}, but this program supports layout ${LAYOUT}: use the program that wrote it, or a newer one; nothing was changed`,
    );
  const [row = []] = await session.query(statementsOn(schema).revision, []);
  return Math.max(numberAt(row, 1), numberAt(row, 0) - MAX_PAST_REVISIONS);
}

async function checkServer(session: Session): Promise<void> {
  const [row = []] = await session.run(
    `SELECT current_setting('server_version_num')::float8, current_setting('server_encoding')`,
    [],
  );
  const encoding = textAt(row, 1);
  if (numberAt(row, 0) < LEAST_VERSION)
    throw new StorageError('Unavailable', { message: 'PostgreSQL must have version 13 or later' });
  if (encoding !== 'UTF8')
    throw new StorageError('Unavailable', {
      message: `the encoding of the database must be UTF8, not ${String(encoding)}: other encodings order keys in another way`,
    });
}

/** Refuses a schema that contains tables of another program. */
async function checkSchema(session: Session, schema: string): Promise<void> {
  const [row = []] = await session.run(
    `SELECT count(*)::float8, count(*) FILTER (WHERE c.relname IN ('head', 'versions', 'current'))::float8
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v')`,
    [schema],
  );
  if (numberAt(row, 0) > 0 && numberAt(row, 1) < 3)
    throw new UnusableStoreError(
      `the schema ${schema} contains tables of another program: give this server another schema; nothing was changed`,
    );
}

async function hasHead(session: Session, schema: string): Promise<boolean> {
  const [row = []] = await session.run(`SELECT to_regclass($1)::text`, [`${identifier(schema)}.head`]);
  return textAt(row, 0) !== undefined;
}

async function makeTables(session: Session, schema: string): Promise<void> {
  try {
    await session.run(creation(schema), []);
  } catch (error) {
    if (!(error instanceof SqlFailure) || !error.hasNoEffect || isTransient(error)) throw error;
    throw new StorageError('Unavailable', {
      message: `the tables of the store cannot be made in the schema ${schema}: ${messageOf(error)}; let its owner run what "orch-apiserver postgres-schema" prints`,
      cause: error,
    });
  }
}
