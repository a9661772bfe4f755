import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApiServer } from '../../../src/entries/index.js';
import { ConfigMap } from '../../../src/kinds/builtin/index.js';
import type { Storage } from '../../../src/storage/storage.js';
import { ask, jsonOf } from '../../server/ask.js';
import { apiServer, asked, MAPS } from './api-servers.js';
import { sharedEngines, type SharedDatabase } from './shared-engines.js';
import { PATIENCE } from '../../support/patience.js';

for (const engine of sharedEngines)
  describe.skipIf(!engine.isInstalled)(`two servers on one store in ${engine.name}`, () => {
    let database: SharedDatabase;
    let stores = 0;
    let storages: [Storage, Storage];
    let one: ApiServer;
    let other: ApiServer;
    beforeAll(async () => {
      database = await engine.start();
    });
    afterAll(() => database.remove());
    beforeEach(async () => {
      const store = `servers_${(stores += 1)}`;
      storages = [await database.open(store), await database.open(store)];
      [one, other] = [apiServer(storages[0]), apiServer(storages[1])];
      await Promise.all([one.ready(), other.ready()]);
    });
    afterEach(() => Promise.all([one.close(), other.close()]));

    const maps = (server: ApiServer) => server.client().resource(ConfigMap).namespace('default');

    test('a write acknowledged by one is read by the other, at the same version', async () => {
      for (let round = 0; round < 20; round += 1) {
        const created = await maps(one).create({ metadata: { name: `a-${round}` }, data: { round: String(round) } });
        expect(await maps(other).get(`a-${round}`)).toEqual(created);
        const updated = await maps(other).update({ ...created, data: { round: 'changed' } });
        expect(await maps(one).get(`a-${round}`)).toEqual(updated);
        expect(Number(updated.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
        expect((await maps(one).list()).metadata.resourceVersion).toBe(
          (await maps(other).list()).metadata.resourceVersion,
        );
        await maps(one).delete(`a-${round}`);
        await expect(maps(other).get(`a-${round}`)).rejects.toMatchObject({ code: 404 });
      }
    });

    test('watches of both receive every write of both, once, in one order and at the same versions', async () => {
      const { resourceVersion = '' } = (await maps(one).list()).metadata;
      const watched = [one, other].map(async (server) => {
        const seen: string[] = [];
        for await (const { type, object } of maps(server).watch({ resourceVersion })) {
          if (type === 'BOOKMARK' || type === 'ERROR') continue;
          seen.push(`${type} ${object.metadata.name}@${object.metadata.resourceVersion}`);
          if (object.metadata.name === 'w-last') return seen;
        }
        return seen;
      });
      const expected: string[] = [];
      const writer = async (server: ApiServer, name: string): Promise<void> => {
        for (let round = 0; round < 15; round += 1) {
          const created = await maps(server).create({ metadata: { name: `w-${name}-${round}` } });
          const updated = await maps(server).update({ ...created, data: { a: 'b' } });
          expected.push(
            `ADDED w-${name}-${round}@${created.metadata.resourceVersion}`,
            `MODIFIED w-${name}-${round}@${updated.metadata.resourceVersion}`,
          );
        }
      };
      await Promise.all([writer(one, 'a'), writer(one, 'b'), writer(other, 'c'), writer(other, 'd')]);
      const last = await maps(one).create({ metadata: { name: 'w-last' } });
      expected.push(`ADDED w-last@${last.metadata.resourceVersion}`);
      expected.sort((left, right) => Number(left.split('@')[1]) - Number(right.split('@')[1]));
      expect(await Promise.all(watched)).toEqual([expected, expected]);
    });

    test('a watch continues on one server where it stopped on the other', async () => {
      const created = await maps(one).create({ metadata: { name: 'a' } });
      for (const value of ['1', '2', '3'])
        await maps(one).update({ ...created, metadata: { name: 'a' }, data: { value } });
      const seen: unknown[] = [];
      for await (const { type, object } of maps(other).watch({
        resourceVersion: created.metadata.resourceVersion ?? '',
      })) {
        if (type !== 'MODIFIED') throw new Error(`expected MODIFIED, got ${type}`);
        seen.push(object.data);
        if (seen.length === 3) break;
      }
      expect(seen).toEqual([{ value: '1' }, { value: '2' }, { value: '3' }]);
    });

    test('one of two writes over the same version is a conflict, and no increment is lost', async () => {
      const created = await maps(one).create({ metadata: { name: 'counter' }, data: { value: '0' } });
      const rivals = await Promise.allSettled([
        maps(one).update({ ...created, data: { value: 'one' } }),
        maps(other).update({ ...created, data: { value: 'other' } }),
      ]);
      expect(rivals.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      await maps(one).update({ ...(await maps(one).get('counter')), data: { value: '0' } });
      const increment = async (server: ApiServer): Promise<void> => {
        for (let done = 0; done < 20;) {
          const current = await maps(server).get('counter');
          try {
            await maps(server).update({ ...current, data: { value: String(Number(current.data?.['value']) + 1) } });
            done += 1;
          } catch (error) {
            expect(error).toMatchObject({ reason: 'Conflict' });
          }
        }
      };
      await Promise.all([increment(one), increment(other)]);
      expect((await maps(one).get('counter')).data).toEqual({ value: '40' });
    });

    test('generated names already in use are generated again', async () => {
      // Both use the same entropy: the name that one generates first is in use when the other generates it.
      const entropy = () => {
        let draws = 0;
        return {
          uuid: () => `00000000-0000-4000-8000-${String((draws += 1)).padStart(12, '0')}`,
          bytes: (length: number) => new Uint8Array(length).fill((draws += 1)),
        };
      };
      await using twin = apiServer(await database.open(`servers_${stores}`), { entropy: entropy() });
      await using triplet = apiServer(await database.open(`servers_${stores}`), { entropy: entropy() });
      const names: (string | undefined)[] = [];
      for (const server of [twin, triplet])
        for (let count = 0; count < 3; count += 1)
          names.push((await maps(server).create({ metadata: { generateName: 'g-' } })).metadata.name);
      expect(new Set(names).size).toBe(6);
    });

    test('a paged list started on one continues on the other', async () => {
      for (const name of ['a', 'b', 'c', 'd']) await maps(one).create({ metadata: { name } });
      const first = await maps(one).list({ limit: 2 });
      await maps(other).create({ metadata: { name: 'aa' } });
      const rest = await maps(other).list({ limit: 10, continue: first.metadata.continue ?? '' });
      expect([...first.items, ...rest.items].map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c', 'd']);
      expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });

    test('a right granted on one takes effect there at once, and then on the other', async () => {
      const may = async (server: ApiServer): Promise<number> =>
        (await ask(server, 'GET', MAPS, { token: 'alice' })).status;
      expect([await may(one), await may(other)]).toEqual([403, 403]);
      const rbac = '/apis/rbac.authorization.k8s.io/v1';
      await asked(one, 'POST', `${rbac}/clusterroles`, 201, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'readers' },
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
      });
      await asked(one, 'POST', `${rbac}/clusterrolebindings`, 201, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'readers' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'readers' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'dev' }],
      });
      expect(await may(one)).toBe(200);
      await vi.waitFor(async () => expect(await may(other)).toBe(200), PATIENCE);
      await asked(other, 'DELETE', `${rbac}/clusterrolebindings/readers`, 200);
      expect(await may(other)).toBe(403);
      await vi.waitFor(async () => expect(await may(one)).toBe(403), PATIENCE);
    });

    test('a token signed by one is accepted by the other', async () => {
      await asked(one, 'POST', '/api/v1/namespaces/default/serviceaccounts', 201, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'builder' },
      });
      const request = await asked(one, 'POST', '/api/v1/namespaces/default/serviceaccounts/builder/token', 201, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: {},
      });
      const { token } = request['status'] as { token: string };
      const review = await ask(other, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
        token,
        body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
      });
      expect(jsonOf(review)).toMatchObject({
        status: { userInfo: { username: 'system:serviceaccount:default:builder' } },
      });
    });

    test('the health of a server names the engine', async () => {
      const verbose = new TextDecoder();
      for (const [path, checks] of [
        ['/readyz', [engine.check, `${engine.check}-readiness`]],
        ['/livez', [engine.check]],
      ] as const) {
        const { status, body } = await ask(one, 'GET', `${path}?verbose`);
        expect(status).toBe(200);
        const text = typeof body === 'string' ? body : verbose.decode(body as Uint8Array);
        for (const check of checks) expect(text).toContain(`[+]${check} ok`);
      }
    });
  });
