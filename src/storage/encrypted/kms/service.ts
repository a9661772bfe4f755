import { messageOf, type Clock } from '../../../foundation/index.js';
import { Connection } from '../../etcd/rpc/connection.js';
import { GrpcCode, RpcError } from '../../etcd/rpc/rpc-error.js';
import type { EncryptionTally } from '../tally.js';
import {
  decodeDecrypted,
  decodeEncrypted,
  decodeStatus,
  decryptRequest,
  encryptRequest,
  statusRequest,
  type EncryptedSeed,
  type KmsStatus,
} from './messages.js';

/** Options of a {@link KmsService}. */
export interface KmsServiceOptions {
  /** Name of the provider, for metrics. */
  readonly name: string;
  /** Path of the socket; a leading NUL byte for Linux's abstract ones. */
  readonly socket: string;
  /** Timeout of a call, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly tally: EncryptionTally;
}

/** Longest answer, as gRPC for Go limits it. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const SERVICE = '/v2.KeyManagementService/';
const CODES = [
  ...['OK', 'Canceled', 'Unknown', 'InvalidArgument', 'DeadlineExceeded', 'NotFound', 'AlreadyExists'],
  ...['PermissionDenied', 'ResourceExhausted', 'FailedPrecondition', 'Aborted', 'OutOfRange', 'Unimplemented'],
  ...['Internal', 'Unavailable', 'DataLoss', 'Unauthenticated'],
];

/** A call to a key service that failed. */
export class KmsError extends Error {
  override readonly name = 'KmsError';
  /** Name of the gRPC code. */
  readonly code: string;
  /** Whether the service did not answer, so that a later call may succeed. */
  readonly isUnanswered: boolean;

  constructor(code: string, message: string, cause: unknown) {
    super(`rpc error: code = ${code} desc = ${message}`, { cause });
    this.code = code;
    this.isUnanswered = code === 'Unavailable' || code === 'DeadlineExceeded';
  }
}

/** Calls a key service by gRPC over a Unix socket. */
export class KmsService {
  readonly #options: KmsServiceOptions;
  #connection: Promise<Connection> | undefined;
  #isClosed = false;

  constructor(options: KmsServiceOptions) {
    this.#options = options;
  }

  /** @throws KmsError */
  async status(): Promise<KmsStatus> {
    return this.#call('Status', statusRequest(), decodeStatus);
  }

  /** @throws KmsError */
  async encrypt(plaintext: Uint8Array, uid: string): Promise<EncryptedSeed> {
    return this.#call('Encrypt', encryptRequest(plaintext, uid), decodeEncrypted);
  }

  /** @throws KmsError */
  async decrypt(seed: EncryptedSeed, uid: string): Promise<Buffer> {
    return this.#call('Decrypt', decryptRequest(seed, uid), decodeDecrypted);
  }

  /** Ends all calls. */
  close(): void {
    this.#isClosed = true;
    this.#connection?.then(
      (connection) => connection.destroy(),
      () => undefined,
    );
  }

  async #call<Answer>(method: string, message: Uint8Array, decode: (bytes: Buffer) => Answer): Promise<Answer> {
    const { name, clock, timeoutMs, tally } = this.#options;
    const beganMs = clock.now();
    let code = 'OK';
    try {
      const connection = await this.#connected();
      const left = Math.max(1, timeoutMs - (clock.now() - beganMs));
      return decode(await connection.call(`${SERVICE}${method}`, message, {}, left));
    } catch (error) {
      const failure = kmsErrorOf(error);
      code = failure.code;
      throw failure;
    } finally {
      tally.observe('apiserver_envelope_encryption_kms_operations_latency_seconds', (clock.now() - beganMs) / 1000, {
        provider_name: name,
        method_name: `${SERVICE}${method}`,
        grpc_status_code: code,
      });
    }
  }

  /** Returns the shared connection; makes one when there is none, or it is over. */
  async #connected(): Promise<Connection> {
    const { clock, timeoutMs, socket } = this.#options;
    if (this.#isClosed) throw new KmsError('Canceled', 'the provider is closed', undefined);
    const current = await this.#connection?.catch(() => undefined);
    if (current?.usable === true) return current;
    this.#connection = Connection.open(
      { origin: 'http://localhost', secure: false, socket },
      { clock, connectTimeoutMs: timeoutMs, tls: () => ({}), maxMessageBytes: MAX_ANSWER_BYTES },
    );
    const connection = await this.#connection;
    if (this.#isClosed) connection.destroy();
    return connection;
  }
}

function kmsErrorOf(error: unknown): KmsError {
  if (error instanceof KmsError) return error;
  if (!(error instanceof RpcError)) return new KmsError('Internal', messageOf(error), error);
  const message = error.code === GrpcCode.DeadlineExceeded ? 'context deadline exceeded' : error.message;
  return new KmsError(CODES[error.code] ?? 'Unknown', message, error);
}
