import {
  loading,
  type Clock,
  type Dialect,
  type MessageSocket,
  type OutboundStream,
  type UserInfo,
} from '../../foundation/index.js';
import type { ResourceDefinition } from '../../registry/index.js';
import { userOf } from '../../security/index.js';
import type { Call, CallVerb, ClientBackend } from '../backend.js';
import type { WatchEvent } from '../client.js';
import { deleteCollection, deleteObject } from './deletions.js';
import { readLog } from './logs.js';
import { getObject, listObjects } from './reads.js';
import { RunningCall } from './running-call.js';
import type { InProcessServices } from './services.js';
import { watchObjects } from './watches.js';
import { createObject, patchObject, updateObject } from './writes.js';

/** Makes a call. */
type Verb = (running: RunningCall) => Promise<unknown>;

const VERBS: Readonly<Record<Exclude<CallVerb, 'watch'>, Verb>> = {
  get: getObject,
  list: listObjects,
  create: createObject,
  update: updateObject,
  patch: patchObject,
  delete: deleteObject,
  deletecollection: deleteCollection,
};

/** The way to a server in the same process, without a socket or encoding. */
export class InProcessBackend implements ClientBackend {
  readonly remote = false;
  readonly #services: InProcessServices;

  constructor(services: InProcessServices) {
    this.#services = services;
  }

  get dialect(): Dialect {
    return this.#services.dialect;
  }

  get clock(): Clock {
    return this.#services.clock();
  }

  get closed(): AbortSignal | undefined {
    return this.#services.closed;
  }

  get opened(): ((what: string) => () => void) | undefined {
    return this.#services.opened;
  }

  userOf(user: UserInfo | string): UserInfo {
    return userOf(user);
  }

  expect(definition: ResourceDefinition): void {
    this.#services.operationsOf(definition);
  }

  call<Answer>(call: Call): Promise<Answer> {
    const running = new RunningCall(this.#services, call);
    // The schema of the kind, which decoded the objects, guarantees their type.
    return running.bounded(verbOf(call)) as Promise<Answer>;
  }

  watch<Item>(call: Call): AsyncGenerator<WatchEvent<Item>, void, undefined> {
    return watchObjects<Item>(this.#services, call);
  }

  log(call: Call): AsyncGenerator<Uint8Array, void, undefined> {
    return readLog(this.#services, call);
  }

  async openStreams(call: Call): Promise<MessageSocket> {
    const { openStreams } = await loading(import('./streams.js'));
    return openStreams(this.#services, call);
  }

  async proxy(call: Call): Promise<OutboundStream> {
    const { sendProxied } = await loading(import('./proxied.js'));
    return sendProxied(this.#services, call);
  }

  /** Does nothing: nothing is held open. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

function verbOf({ verb }: Call): Verb {
  if (verb === 'watch') throw new TypeError('a watch is not a call with one answer');
  return VERBS[verb];
}
