import { ApiServer } from '../../src/apiserver/api-server.js';
import { ConfigMap, Namespace, ResourceQuota } from '../../src/kinds/builtin/index.js';
import { decorateStorage } from '../../src/storage/decorate.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import type { Storage } from '../../src/storage/storage.js';
import { seededEntropy } from '../../src/testing/time/seeded-entropy.js';
import { FAMILY, LIMITED, QUOTA, SERVED, SETS } from './deeds.js';
import { Scheduler } from './scheduler.js';
import { serverOptions } from './server-options.js';
import { Trace } from './trace.js';
import { VALUES } from './value-client.js';

/** Time at which all worlds begin: 2024-01-01T00:00:00Z. */
export const START_MS = 1_704_067_200_000;
/** The store that the worlds begin with: one that a server has filled. */
export async function createTemplate(): Promise<Storage> {
  const scheduler = new Scheduler(0, START_MS, new Trace());
  const clock = scheduler.clock('template');
  const engine = createMemoryStorage({ clock, history: '24h' });
  await scheduler.run(async () => {
    const server = new ApiServer({
      ...serverOptions,
      ...{ clock, entropy: seededEntropy('template') },
      storage: decorateStorage(engine, { isShared: true, close: () => Promise.resolve() }),
    });
    const client = server.client();
    for (const name of [VALUES, LIMITED, FAMILY, SERVED, SETS])
      await client.resource(Namespace).create({ metadata: { name } });
    await client
      .resource(ResourceQuota)
      .namespace(LIMITED)
      .create({ metadata: { name: 'quota' }, spec: { hard: { configmaps: String(QUOTA) } } });
    await scheduler.pause(60_000, 'the template');
    // It must be counted before clients use it up.
    const quota = await client.resource(ResourceQuota).namespace(LIMITED).get('quota');
    if (quota.status?.used?.['configmaps'] === undefined) throw new Error('the quota of the template is not counted');
    await client.resource(ConfigMap).namespace(VALUES).list();
    await server.close();
  });
  return engine;
}
