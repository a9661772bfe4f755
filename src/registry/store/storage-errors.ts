import { ApiError, errors } from '../../foundation/index.js';
import { StorageError, UnreadableValueError, UnwritableValueError } from '../../storage/index.js';
import type { ResourceInfo } from '../definition/resource-info.js';
import { UnreadableObjectError } from '../records/stored-form.js';

/** Value of `Retry-After`, in seconds, while the storage is unavailable. */
const RETRY_AFTER_SECONDS = 2;
/** Value of `Retry-After`, in seconds, while the storage is full. */
const RETRY_FULL_SECONDS = 1;

/** Message of a write whose condition does not hold: only the controllers of a server write under one. */
const FENCED = 'the write was refused: another server has taken over the controllers that made it';

/**
 * Returns an error handler for each verb. While the storage is unavailable, a request gets 500 with reason
 * `ServerTimeout` and a `Retry-After`; a write may have taken effect nevertheless. While the storage is full, a write
 * gets 429; while a disk of the store is full, 500 with the message of the engine. A value that cannot be decrypted or
 * encrypted gets 500, with the reason. Any other error is rethrown.
 */
export function storageErrorHandlers(info: ResourceInfo) {
  const handler =
    (verb: string) =>
    (error: unknown): never => {
      if (error instanceof UnreadableValueError)
        throw new UnreadableObjectError(errors.internal(error.message, { cause: error }));
      if (error instanceof UnwritableValueError) throw errors.internal(error.message, { cause: error });
      if (!(error instanceof StorageError)) throw error;
      if (error.code === 'Full') throw errors.tooManyRequests(error.message, RETRY_FULL_SECONDS);
      if (error.code === 'Fenced') throw errors.serviceUnavailable(FENCED);
      // Only a read of a past state finds its history gone; lists have their own message.
      if (error.code === 'Compacted')
        throw errors.expired('The requested state is too old: the history does not reach back to it.');
      if (error.code !== 'Unavailable') throw error;
      // Without a reason, as Kubernetes passes on what etcd says. Trying again does not help: somebody must make room.
      if (error.isDiskFull) throw new ApiError({ message: error.message, code: 500 }, { cause: error });
      throw errors.serverTimeout(info, verb, RETRY_AFTER_SECONDS, { cause: error });
    };
  return {
    get: handler('get'),
    list: handler('list'),
    watch: handler('watch'),
    create: handler('create'),
    update: handler('update'),
    delete: handler('delete'),
  };
}
