import { isJsonObject, parsedJson, stringOrEmpty } from '../../foundation/index.js';
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
  /**
   * @param server.id identity of the server, which no other one has
   * @param server.build version of the package
   */
  constructor(storage: Storage, { id, build }: { readonly id: string; readonly build: string | undefined }) {
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
          build,
        }),
    });
  }
}

/** Returns the servers that live, by identity: the version of the package of each, or an empty text. */
export async function livingServers(storage: Storage): Promise<ReadonlyMap<string, string>> {
  const { records } = await storage.list(MEMBERS);
  return new Map(records.map(({ key, text }) => [key.slice(MEMBERS.length), buildIn(text)]));
}

function buildIn(text: string): string {
  const value = parsedJson(text);
  return isJsonObject(value) ? stringOrEmpty(value['build']) : '';
}
