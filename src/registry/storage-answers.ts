import { errors } from '../meta/api-error.js';
import { StorageError } from '../storage/storage.js';
import type { ResourceInfo } from './resource-info.js';

/** When a client that met a storage which cannot serve is told to come again. */
const RETRY_AFTER_SECONDS = 2;

/**
 * What a request is answered while the storage cannot serve, for each verb: 500 with reason `ServerTimeout`, and when to try
 * again. As with every answer of that kind, a write may have been made. Every other failure is thrown as it is.
 */
export function storageAnswers(info: ResourceInfo) {
  const answer =
    (verb: string) =>
    (error: unknown): never => {
      if (!(error instanceof StorageError) || error.code !== 'Unavailable') throw error;
      throw errors.serverTimeout(info, verb, RETRY_AFTER_SECONDS, { cause: error });
    };
  return {
    get: answer('get'),
    list: answer('list'),
    watch: answer('watch'),
    create: answer('create'),
    update: answer('update'),
    delete: answer('delete'),
  };
}
