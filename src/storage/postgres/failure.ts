import { messageOf, toError } from '../../foundation/index.js';
import { StorageError } from '../storage.js';

/** A statement that failed. */
export class SqlFailure extends Error {
  override readonly name = 'SqlFailure';
  /** SQLSTATE; undefined when the database did not answer. */
  readonly state: string | undefined;
  /** Whether the statement certainly has no effect; otherwise it may have one, or still get one. */
  readonly hasNoEffect: boolean;
  /** Whether the connection ended, so that a statement that may be repeated can be sent on another one. */
  readonly isConnectionLost: boolean;

  /** Whether a disk of the database is full. */
  get isDiskFull(): boolean {
    return this.state === DISK_FULL;
  }

  constructor(
    message: string,
    details: {
      state?: string | undefined;
      hasNoEffect: boolean;
      isConnectionLost?: boolean | undefined;
      cause?: unknown;
    },
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.state = details.state;
    this.hasNoEffect = details.hasNoEffect;
    this.isConnectionLost = details.isConnectionLost ?? false;
  }
}

/** SQLSTATE of a statement for which a disk has no space (`disk_full`). */
const DISK_FULL = '53100';

/** The database did not answer in time. */
export class LateAnswer extends Error {
  override readonly name = 'LateAnswer';
}

/** Classes of SQLSTATE with which the connection ends, maybe after the commit: connection exceptions, and shutdowns. */
const ENDS_CONNECTION = /^(?:08|57P)/;

/** SQLSTATE of a prepared statement that the process of the database does not have, or has already. */
const MISPLACED_STATEMENT: ReadonlySet<string> = new Set(['26000', '42P05']);
const POOLER_HINT =
  ': behind a pooler in transaction mode, set preparedStatements to false (--postgres-prepared-statements=false)';

/** Returns the failure of a statement that was sent. */
export function failureOf(error: unknown): SqlFailure {
  const state = stateOf(error);
  const endsConnection = state === undefined || ENDS_CONNECTION.test(state);
  const hint = state !== undefined && MISPLACED_STATEMENT.has(state) ? POOLER_HINT : '';
  return new SqlFailure(messageOf(error) + hint, {
    state,
    hasNoEffect: !endsConnection,
    isConnectionLost: endsConnection && !(error instanceof LateAnswer),
    cause: error,
  });
}

/** Returns the failure to connect. */
export function connectFailure(error: unknown): SqlFailure {
  // Without a host name, Node joins the errors of all addresses of a name under an empty message.
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  const message = messageOf(errors[0] ?? error);
  return new SqlFailure(`PostgreSQL cannot be reached: ${message}`, {
    state: stateOf(error),
    hasNoEffect: true,
    cause: error,
  });
}

/** Returns the error of a storage operation for a statement that failed. */
export function storageFailure(error: unknown): Error {
  if (!(error instanceof SqlFailure)) return toError(error);
  return new StorageError('Unavailable', { message: error.message, cause: error, isDiskFull: error.isDiskFull });
}

/** An error of the database has a severity and a SQLSTATE; errors of the host have codes of their own. */
function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
