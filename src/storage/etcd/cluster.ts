import { toError, type Clock } from '../../foundation/index.js';
import { StorageError, type Revision } from '../storage.js';
import type { EtcdClient } from './rpc/client.js';
import type { Connection, MessageStream } from './rpc/connection.js';
import { GrpcCode, lostCall, RpcError } from './rpc/rpc-error.js';
import {
  decodeHeader,
  decodeRange,
  decodeTxn,
  encodeCompaction,
  encodeRange,
  encodeTxn,
  rangesOf,
  type RangeRequest,
  type RangeResponse,
  type ResponseHeader,
  type TxnRequest,
  type TxnResponse,
} from './wire/key-values.js';
import {
  decodeLeaseGrant,
  decodeLeaseLeases,
  decodeLeaseTimeToLive,
  decodeStatus,
  encodeLeaseGrant,
  encodeLeaseTimeToLive,
  type GrantedLease,
  type LeaseState,
  type MemberStatus,
} from './wire/services.js';
import { decodeWatch, encodeWatchCreate, type WatchResponse } from './wire/watches.js';

const EMPTY = Buffer.alloc(0);
const READ = { repeatable: true };
const WRITE = { repeatable: false };
/** Timeout of requests that a member answers from its own memory. */
const PROBE_TIMEOUT_MS = 2_000;
const WATCH = '/etcdserverpb.Watch/Watch';

/** The requests to the etcd cluster. A response from another cluster is refused. */
export class Cluster {
  readonly client: EtcdClient;
  readonly #clock: Clock;
  #id: bigint | undefined;
  #newest: Revision = 0;

  constructor(client: EtcdClient, clock: Clock) {
    this.client = client;
    this.#clock = clock;
  }

  /** The newest revision in any response. */
  get newestRevision(): Revision {
    return this.#newest;
  }

  /** Reads a range. Sees every write that was acknowledged before the call. @throws RpcError */
  async range(request: RangeRequest, timeoutMs?: number): Promise<RangeResponse> {
    const response = decodeRange(
      await this.client.call(
        '/etcdserverpb.KV/Range',
        encodeRange(request),
        timeoutMs === undefined ? READ : { ...READ, timeoutMs },
      ),
    );
    this.note(response.header);
    return response;
  }

  /** Reads several ranges together, as {@link Cluster.range} reads one. @throws RpcError */
  async ranges(requests: readonly RangeRequest[]): Promise<readonly RangeResponse[]> {
    const success = requests.map((range) => ({ range }));
    const message = encodeTxn({ compare: [], success, failure: [] });
    const response = decodeTxn(await this.client.call('/etcdserverpb.KV/Txn', message, READ));
    this.note(response.header);
    return rangesOf(response);
  }

  /** Runs a transaction, at most once. @throws RpcError */
  async transact(request: TxnRequest): Promise<TxnResponse> {
    const response = decodeTxn(await this.client.call('/etcdserverpb.KV/Txn', encodeTxn(request), WRITE));
    this.note(response.header);
    return response;
  }

  /** Drops the history before a revision. @throws RpcError */
  async compact(revision: Revision): Promise<void> {
    this.note(decodeHeader(await this.client.call('/etcdserverpb.KV/Compact', encodeCompaction(revision), READ)));
  }

  /** Returns the oldest kept revision of a compacted store. @throws RpcError */
  async compactedRevision(key: Buffer): Promise<Revision> {
    const connection = await this.client.connection();
    const headers = await this.client.identify(connection);
    return new Promise((resolve, reject) => {
      const cleanUp = (): void => {
        timer.cancel();
        stream.cancel();
      };
      const timer = this.#clock.after(PROBE_TIMEOUT_MS, () => {
        cleanUp();
        reject(lostCall(`${connection.endpoint.origin}: etcd did not report the compacted revision`, 'none'));
      });
      // A watch from revision 1 is refused with the oldest kept revision.
      const stream = this.watch(connection, headers, {
        response: ({ compactRevision }) => {
          if (compactRevision === 0) return;
          cleanUp();
          resolve(compactRevision);
        },
        end: (error) => {
          timer.cancel();
          reject(error);
        },
      });
      stream.send(encodeWatchCreate({ key, startRevision: 1 }));
    });
  }

  /** Grants a lease. It may be repeated: an unused lease expires. @throws RpcError */
  async grantLease(seconds: number): Promise<GrantedLease> {
    return decodeLeaseGrant(await this.client.call('/etcdserverpb.Lease/LeaseGrant', encodeLeaseGrant(seconds), READ));
  }

  /** Returns the ids of all leases. @throws RpcError */
  async leases(): Promise<readonly bigint[]> {
    return decodeLeaseLeases(await this.client.call('/etcdserverpb.Lease/LeaseLeases', EMPTY, READ));
  }

  /** Returns the remaining time and the keys of a lease. @throws RpcError */
  async leaseState(id: bigint): Promise<LeaseState> {
    return decodeLeaseTimeToLive(
      await this.client.call('/etcdserverpb.Lease/LeaseTimeToLive', encodeLeaseTimeToLive(id), READ),
    );
  }

  /** Returns the version of the connected member, such as `3.5.13`. @throws RpcError */
  async versionOf(connection: Connection): Promise<string> {
    return (await this.#statusOf(connection)).version;
  }

  /** Returns the problems of the connected member, such as the alarm `NOSPACE` of the cluster. @throws RpcError */
  async problems(): Promise<readonly string[]> {
    return (await this.#statusOf(await this.client.connection())).errors;
  }

  async #statusOf(connection: Connection): Promise<MemberStatus> {
    const headers = await this.client.identify(connection);
    return decodeStatus(await connection.call('/etcdserverpb.Maintenance/Status', EMPTY, headers, PROBE_TIMEOUT_MS));
  }

  /** Opens a stream of watches. It ends when the member loses contact with the cluster. @throws RpcError */
  watch(connection: Connection, headers: Readonly<Record<string, string>>, sink: WatchStreamSink): MessageStream {
    const stream = connection.stream(
      WATCH,
      { ...headers, hasleader: 'true' },
      {
        message: (message) => {
          try {
            const response = decodeWatch(message);
            this.note(response.header);
            sink.response(response);
          } catch (error) {
            stream.cancel();
            sink.end(toError(error));
          }
        },
        end: sink.end,
      },
    );
    return stream;
  }

  /** Checks and records the header of a response. @throws StorageError when it comes from another cluster */
  note({ clusterId, revision }: ResponseHeader): void {
    this.#id ??= clusterId;
    if (this.#id !== clusterId)
      throw new StorageError('Unavailable', {
        message: `another etcd cluster responds (${clusterId.toString(16)} instead of ${this.#id.toString(16)})`,
      });
    if (revision > this.#newest) this.#newest = revision;
  }
}

/** Receives the messages of a watch stream. */
export interface WatchStreamSink {
  response(response: WatchResponse): void;
  /** Called once at the end, with an {@link RpcError} or the error of an invalid message. */
  end(error: Error): void;
}

/**
 * Translates the error of a call to the error of a storage operation. An invalid request (a programming error) is kept
 * as it is.
 */
export function storageFailure(error: unknown): Error {
  if (!(error instanceof RpcError) || error.code === GrpcCode.InvalidArgument) return toError(error);
  return new StorageError('Unavailable', { message: error.message, cause: error, isDiskFull: error.isDiskFull });
}
