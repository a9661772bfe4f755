/**
 * The part of a PostgreSQL client that the engine uses. `Pool` of the package `pg` has it, and so may a pool of yours.
 *
 * @module
 */
import { messageOf } from '../../foundation/index.js';
import { StorageError } from '../storage.js';

/** A statement with its parameters. Rows are lists of columns. */
export interface PostgresQuery {
  /** Name under which the connection prepares the statement; absent: it is not kept. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: unknown[];
  readonly rowMode: 'array';
}

/** A connection, taken from a pool. */
export interface PostgresClient {
  /** Number of the process that serves the connection, as the server has announced it; a pooler announces one of its own. */
  readonly processID?: number | null | undefined;
  query(query: PostgresQuery): Promise<{ rows: unknown[][] }>;
  on(event: 'notification', listener: (notification: { readonly channel: string }) => void): unknown;
  on(event: 'notice', listener: (notice: { readonly message?: string | undefined }) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  /** Returns the connection to its pool. @param destroy closes it instead */
  release(destroy?: boolean): void;
}

/** A pool of connections. The engine holds up to {@link CONNECTIONS} of them as long as it is open. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
}

/** Number of connections that an engine holds: one writes, one listens, the others read. */
export const CONNECTIONS = 4;

/** A pool that the engine made, and closes. */
export interface OwnPool extends PostgresPool {
  end(): Promise<void>;
}

/**
 * Makes a pool for a URL with the package `pg`.
 *
 * @throws StorageError `Unavailable` when the package is not installed
 */
export async function poolOf(url: string, connectTimeoutMs: number): Promise<OwnPool> {
  const { default: pg } = await import('pg').catch((error: unknown) => {
    throw new StorageError('Unavailable', {
      message: `the package pg cannot be loaded (npm install pg): ${messageOf(error)}`,
      cause: error,
    });
  });
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    application_name: 'orch-apiserver',
    // An idle connection does not keep a program running whose work is done; the engine's timers decide.
    allowExitOnIdle: true,
  });
  // Each connection reports its end to its session; the pool repeats the errors of those that are idle.
  pool.on('error', () => undefined);
  // The pool hands a connection over one turn before its session listens: the database may announce its end right away,
  // and an error without a listener would end the program.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
