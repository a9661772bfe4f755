import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ApiServer } from '../../../src/entries/index.js';
import { ConfigMap, ResourceQuota, Service } from '../../../src/kinds/builtin/index.js';
import { sharedEngines, type SharedDatabase } from './shared-engines.js';

const LIMIT = 8;
const PORTS = 10;

for (const engine of sharedEngines)
  describe.skipIf(!engine.isInstalled)(`concurrent writes through two servers on ${engine.name}`, () => {
    let database: SharedDatabase;
    let stores = 0;
    let servers: ApiServer[];
    beforeAll(async () => {
      database = await engine.start();
    });
    afterAll(() => database.remove());
    beforeEach(async () => {
      const store = `writes_${(stores += 1)}`;
      servers = [];
      for (let count = 0; count < 2; count += 1)
        servers.push(
          new ApiServer({
            dialect: 'kubernetes',
            storage: await database.open(store),
            network: { clusterIPRange: '10.0.0.0/27', nodePortRange: `30000-${30_000 + PORTS - 1}` },
            observability: { logger: { info: () => undefined, error: () => undefined } },
          }),
        );
      await Promise.all(servers.map((server) => server.ready()));
    });
    afterEach(() => Promise.all(servers.map((server) => server.close())));

    const turn = (index: number): ApiServer => servers[index % servers.length] as ApiServer;
    const services = (index: number) => turn(index).client().resource(Service).namespace('default');
    const maps = (index: number) => turn(index).client().resource(ConfigMap).namespace('default');
    const quotas = (index: number) => turn(index).client().resource(ResourceQuota).namespace('default');

    /** Makes calls through both servers at once. @returns what succeeded, and why the others failed */
    async function together<Made>(count: number, call: (index: number) => Promise<Made>) {
      const outcomes = await Promise.allSettled(Array.from({ length: count }, (_, index) => call(index)));
      return {
        made: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
        problems: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : [])),
      };
    }

    test('never give an address or a node port twice, and use all of them', async () => {
      const ports = [{ port: 80 }];
      const node = (index: number) =>
        services(index).create({ metadata: { name: `node-${index}` }, spec: { type: 'NodePort', ports } });
      const first = await together(2 * PORTS, node);
      const numbers = first.made.map(({ spec }) => spec?.ports?.[0]?.nodePort);
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(first.problems.every((problem) => problem.includes('range is full'))).toBe(true);
      expect(numbers).toHaveLength(PORTS);

      const plain = await together(40, (index) =>
        services(index).create({ metadata: { name: `plain-${index}` }, spec: { ports } }),
      );
      const all = (await services(0).list()).items;
      const addresses = all.map(({ spec }) => spec?.clusterIP);
      expect(new Set(addresses).size).toBe(addresses.length);
      expect(plain.problems.every((problem) => problem.includes('range is full'))).toBe(true);
      // All addresses but the first and the last one.
      expect(addresses).toHaveLength(30);

      // The other server can give at once the numbers that one frees.
      const [gone] = first.made;
      await services(0).delete(gone?.metadata.name ?? '');
      const again = await services(1).create({
        metadata: { name: 'again' },
        spec: { type: 'NodePort', ports: [{ port: 80, nodePort: gone?.spec?.ports?.[0]?.nodePort ?? 0 }] },
      });
      expect(again.spec?.clusterIP).toBe(gone?.spec?.clusterIP);
      await services(1).delete('again');
      const dry = await services(0).create(
        { metadata: { name: 'dry' }, spec: { type: 'NodePort', ports: again.spec?.ports ?? [] } },
        { dryRun: true },
      );
      expect(dry.spec?.ports?.[0]?.nodePort).toBe(again.spec?.ports?.[0]?.nodePort);
    });

    test('never overrun a quota, and use all of it', async () => {
      await quotas(0).create({ metadata: { name: 'quota' }, spec: { hard: { configmaps: String(LIMIT) } } });
      // Each server enforces a quota from the moment on at which it knows of its status, as in Kubernetes.
      const isCounted = (count: string) =>
        Promise.all(
          [0, 1].map((index) =>
            quotas(index).waitFor('quota', (quota) => quota?.status?.used?.['configmaps'] === count),
          ),
        );
      await isCounted('0');
      for (let round = 0; round < 6; round += 1) {
        const { made, problems } = await together(3 * LIMIT, (index) =>
          maps(index).create({ metadata: { name: `map-${round}-${index}` } }),
        );
        expect(made.length).toBeLessThanOrEqual(LIMIT);
        for (const problem of problems) expect(problem).toMatch(/exceeded quota|the object has been modified/);
        expect((await maps(round).list()).items).toHaveLength(made.length);
        await isCounted(String(made.length));
        const { problems: undeleted } = await together(made.length, (index) =>
          maps(index).delete(made[index]?.metadata.name ?? ''),
        );
        expect(undeleted).toEqual([]);
        await isCounted('0');
      }
    });
  });
