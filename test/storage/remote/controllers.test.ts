import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApiServer } from '../../../src/entries/index.js';
import {
  CertificateSigningRequest,
  ClusterTrustBundle,
  ConfigMap,
  Namespace,
  ServiceAccount,
} from '../../../src/kinds/builtin/index.js';
import type { Storage, StorageEvent } from '../../../src/storage/storage.js';
import { authority, base64, requestPem } from '../../support/certificates.js';
import { refusal } from '../../registry/registry.js';
import { apiServer } from './api-servers.js';
import { sharedEngines, type SharedDatabase } from './shared-engines.js';

const PATIENCE = { timeout: 20_000, interval: 20 };
/** How often both servers may find work that the other has created, before they must be idle. */
const MOST_ROUNDS = 20;

for (const engine of sharedEngines)
  describe.skipIf(!engine.isInstalled)(
    `the controllers of two servers on one store in ${engine.name}`,
    { timeout: 300_000 },
    () => {
      let database: SharedDatabase;
      let storages: [Storage, Storage];
      let servers: [ApiServer, ApiServer];
      /** Every write, in order. */
      let writes: StorageEvent[];
      let stores = 0;
      beforeAll(async () => {
        database = await engine.start();
      });
      afterAll(() => database.remove());
      beforeEach(async () => {
        const store = `controllers_${(stores += 1)}`;
        storages = [await database.open(store), await database.open(store)];
        writes = [];
        storages[0].watch('/registry/', await storages[0].currentRevision(), {
          events: (events) => void writes.push(...events),
          progress: () => undefined,
          end: () => undefined,
        });
        const { certificatePem } = await authority();
        const options = {
          controllers: { disable: [] },
          featureGates: { ClusterTrustBundle: true },
          runtimeConfig: 'api/alpha=true',
          certificates: { rootAuthority: () => certificatePem },
        };
        servers = [apiServer(storages[0], options), apiServer(storages[1], options)];
        await Promise.all(servers.map((server) => server.ready()));
      });
      afterEach(() => Promise.all(servers.map((server) => server.close())));

      const server = (index: number): ApiServer => servers[index % 2] as ApiServer;

      /** Waits until no server has work left: a round in which nothing was written. */
      async function atRest(): Promise<void> {
        for (let round = 0, before = -1; ; round += 1) {
          await Promise.all(servers.map((each) => each.settled()));
          const revision = await storages[0].currentRevision();
          if (revision === before) return;
          expect(round, 'the servers do not become idle').toBeLessThan(MOST_ROUNDS);
          before = revision;
        }
      }

      const writesOf = (part: string): string[] =>
        writes.filter(({ key }) => key.includes(part)).map(({ type, key }) => `${type} ${key}`);

      test('fill every namespace with its initial objects once, and empty it together', async () => {
        const names = Array.from({ length: 8 }, (_, index) => `shop-${index}`);
        await Promise.all(
          names.map((name, index) => server(index).client().resource(Namespace).create({ metadata: { name } })),
        );
        for (const [index, name] of names.entries()) {
          const client = server(index + 1).client();
          await expect
            .poll(
              () =>
                client
                  .resource(ServiceAccount)
                  .namespace(name)
                  .get('default')
                  .then(({ metadata }) => metadata.name),
              PATIENCE,
            )
            .toBe('default');
          await expect
            .poll(
              () =>
                client
                  .resource(ConfigMap)
                  .namespace(name)
                  .get('kube-root-ca.crt')
                  .then(({ metadata }) => metadata.name),
              PATIENCE,
            )
            .toBe('kube-root-ca.crt');
          await client
            .resource(ConfigMap)
            .namespace(name)
            .create({ metadata: { name: 'settings' } });
        }
        await atRest();
        for (const name of names) {
          expect(writesOf(`/serviceaccounts/${name}/`)).toEqual([`create /registry/serviceaccounts/${name}/default`]);
          expect(writesOf(`/configmaps/${name}/kube-root-ca.crt`)).toEqual([
            `create /registry/configmaps/${name}/kube-root-ca.crt`,
          ]);
        }
        await Promise.all(names.map((name, index) => server(index).client().resource(Namespace).delete(name)));
        for (const [index, name] of names.entries()) {
          await expect
            .poll(
              () =>
                refusal(
                  server(index + 1)
                    .client()
                    .resource(Namespace)
                    .get(name),
                ).then(
                  ({ code }) => code,
                  () => 200,
                ),
              PATIENCE,
            )
            .toBe(404);
        }
        await atRest();
        for (const name of names)
          expect((await storages[1].list('/registry/')).records.filter(({ key }) => key.includes(`/${name}/`))).toEqual(
            [],
          );
      });

      test('collect the dependents of an owner, whichever server deletes it', async () => {
        for (let round = 0; round < 4; round += 1) {
          const maps = server(round).client().resource(ConfigMap).namespace('default');
          const owner = await maps.create({ metadata: { name: `owner-${round}` } });
          const ownerReferences = [
            { apiVersion: 'v1', kind: 'ConfigMap', name: `owner-${round}`, uid: owner.metadata.uid ?? '' },
          ];
          await Promise.all(
            Array.from({ length: 10 }, (_, index) =>
              server(index)
                .client()
                .resource(ConfigMap)
                .namespace('default')
                .create({ metadata: { name: `part-${round}-${index}`, ownerReferences } }),
            ),
          );
          await server(round + 1)
            .client()
            .resource(ConfigMap)
            .namespace('default')
            .delete(`owner-${round}`, { propagationPolicy: round < 2 ? 'Background' : 'Foreground' });
          await expect
            .poll(
              async () =>
                (await maps.list()).items.filter(
                  ({ metadata }) =>
                    metadata.name?.startsWith(`part-${round}-`) === true || metadata.name === `owner-${round}`,
                ).length,
              PATIENCE,
            )
            .toBe(0);
        }
        await atRest();
        expect(writes.filter(({ type, key }) => type === 'delete' && key.includes('/part-'))).toHaveLength(40);
      });

      test('issue one certificate for a request, and publish one bundle', async () => {
        const requests = server(0).client().resource(CertificateSigningRequest);
        const spec = {
          request: base64(await requestPem({})),
          signerName: 'kubernetes.io/kube-apiserver-client',
          usages: ['digital signature', 'client auth'],
        };
        for (let index = 0; index < 6; index += 1) {
          const made = await server(index)
            .client()
            .resource(CertificateSigningRequest)
            .create({ metadata: { name: `request-${index}` }, spec });
          const condition = { type: 'Approved', status: 'True', reason: 'ByTheTest', message: 'decided by the test' };
          await server(index + 1)
            .client()
            .resource(CertificateSigningRequest)
            .updateSubresource('approval', { ...made, status: { ...made.status, conditions: [condition] } });
        }
        for (let index = 0; index < 6; index += 1)
          await expect
            .poll(() => requests.get(`request-${index}`).then(({ status }) => typeof status?.certificate), PATIENCE)
            .toBe('string');
        await atRest();
        for (let index = 0; index < 6; index += 1) {
          const key = `/registry/certificatesigningrequests/request-${index}`;
          expect(writesOf(key)).toEqual([`create ${key}`, `update ${key}`, `update ${key}`]);
        }
        const [one, other] = await Promise.all(
          servers.map(async (each) => (await each.client().resource(ClusterTrustBundle).list()).items),
        );
        expect(one).toHaveLength(1);
        expect(other).toEqual(one);
        expect(writesOf('/clustertrustbundles/')).toHaveLength(1);
      });
    },
  );
