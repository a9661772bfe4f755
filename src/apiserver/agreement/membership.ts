import type { Storage } from '../../storage/index.js';
import { ExpiringKey } from './expiring-key.js';

/** Prefix of the keys by which servers show that they live. */
const MEMBERS = '/internal/servers/';

/** Time after which the key of a server that is gone expires, in milliseconds. */
const LIFE_MS = 60_000;
/** Time between two renewals of the key, in milliseconds. */
export const RENEW_MS = 20_000;

/** The key by which a server shows the other servers of its store that it runs. */
export class Membership extends ExpiringKey {
  readonly #storage: Storage;

  /** @param id identity of the server, which no other one has */
  constructor(storage: Storage, id: string) {
    super({
      storage,
      key: MEMBERS + id,
      lifeMs: LIFE_MS,
      text: (revision) =>
        JSON.stringify({
          kind: 'Server',
          apiVersion: 'internal/v1',
          metadata: { resourceVersion: String(revision) },
          identity: id,
        }),
    });
    this.#storage = storage;
  }

  /** Returns the identities of the servers that live. */
  async living(): Promise<ReadonlySet<string>> {
    const { records } = await this.#storage.list(MEMBERS);
    return new Set(records.map(({ key }) => key.slice(MEMBERS.length)));
  }
}
