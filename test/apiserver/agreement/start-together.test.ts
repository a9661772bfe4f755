/** Five servers that start at the same moment; `npm run test:starts` does it more often. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiServer } from '../../../src/entries/index.js';
import { kubernetes, silentLogger, systemClock, systemEntropy } from '../../../src/foundation/index.js';
import { GeneratedAuthority } from '../../../src/security/authorities/generated-authority.js';
import { SIGNING_KEY } from '../../../src/security/authorities/stored-key-record.js';
import type { Storage } from '../../../src/storage/storage.js';
import { ask } from '../../server/ask.js';
import { apiServer, asked } from '../../storage/remote/api-servers.js';
import { sharedEngines, type SharedDatabase } from '../../storage/remote/shared-engines.js';

const ROUNDS = Number(process.env['START_ROUNDS'] ?? 2);
const SERVERS = 5;
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
/** Records that must be made once, and then be the same for all. */
const MADE_ONCE = /^\/internal\/(?:store$|service-account-signing-key|.*-authority)/;

/** The revisions of a record. */
interface Made {
  readonly key: string;
  readonly createRevision: number;
  readonly modRevision: number;
}

async function madeOnce(storage: Storage): Promise<readonly Made[]> {
  const { records } = await storage.list('/internal/');
  return records
    .filter(({ key }) => MADE_ONCE.test(key))
    .map(({ key, createRevision, modRevision }) => ({ key, createRevision, modRevision }));
}

/** Lets each process make the authority of client certificates at once. Returns those that they then have. */
async function authoritiesOf(storages: readonly Storage[]): Promise<ReadonlySet<string>> {
  const parts = { clock: systemClock, entropy: systemEntropy, dialect: kubernetes };
  const authorities = storages.map((storage) => new GeneratedAuthority({ ...parts, storage }));
  const made = await Promise.all(authorities.map((authority) => authority.current()));
  for (const authority of authorities) authority.close();
  return new Set(made.map(({ certificatePem }) => certificatePem));
}

/** Returns the answers of all servers to the token of each. */
async function tokensAcross(servers: readonly ApiServer[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const issuer of servers) {
    const request = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} };
    const { status } = (await asked(issuer, 'POST', `${ACCOUNTS}/tester/token`, 201, request)) as {
      readonly status?: { readonly token: string };
    };
    const body = JSON.stringify({ kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' });
    for (const server of servers) {
      const given = { token: status?.token ?? '', body };
      statuses.push((await ask(server, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', given)).status);
    }
  }
  return statuses;
}

describe.each(sharedEngines)('five servers on $name that start at once', ({ start, isInstalled }) => {
  let database: SharedDatabase;
  beforeAll(async () => {
    if (isInstalled) database = await start();
  }, 300_000);
  afterAll(() => (isInstalled ? database.remove() : undefined));

  /** Starts all servers, which must all become ready, and closes them after the work. */
  async function together(
    store: string,
    work: (servers: readonly ApiServer[], storages: readonly Storage[]) => Promise<void>,
  ): Promise<void> {
    const open: ApiServer[] = [];
    const storages: Storage[] = [];
    try {
      const starts = await Promise.allSettled(
        Array.from({ length: SERVERS }, async () => {
          const storage = await database.open(store);
          storages.push(storage);
          const server = apiServer(storage, { observability: { logger: silentLogger } });
          open.push(server);
          await server.ready();
          return server;
        }),
      );
      expect(starts.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []))).toEqual([]);
      await work(open, storages);
    } finally {
      await Promise.all(open.map((server) => server.close()));
    }
  }

  const rounds = `${ROUNDS} times, on an empty store and on one that was used`;
  test.skipIf(!isInstalled)(
    `all start, with one authority and one set of keys: ${rounds}`,
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const store = `starts_${round}`;
        const direct = await database.open(store, { watchCache: false });
        let first: readonly Made[] = [];
        await together(store, async (servers, storages) => {
          expect((await authoritiesOf(storages)).size).toBe(1);
          for (const server of servers.slice(0, 1))
            await asked(server, 'POST', ACCOUNTS, 201, { metadata: { name: 'tester' } });
          expect(await tokensAcross(servers)).toEqual(Array.from({ length: SERVERS ** 2 }, () => 201));
          first = await madeOnce(direct);
          expect(first.map(({ key }) => key)).toEqual(
            expect.arrayContaining(['/internal/certificate-authority', SIGNING_KEY]),
          );
          for (const { createRevision, modRevision } of first) expect(modRevision).toBe(createRevision);
          expect((await direct.list('/internal/servers/')).records).toHaveLength(SERVERS);
        });
        await together(store, async (servers) => {
          expect(await madeOnce(direct)).toEqual(first);
          expect(await tokensAcross(servers)).not.toContain(401);
        });
        await direct.close();
      }
    },
    300_000 + ROUNDS * 60_000,
  );
});
