import type { Client } from '../../src/client/client.js';
import { ConfigMap, ReplicaSet, Service } from '../../src/kinds/builtin/index.js';

/** Namespace of the objects that own others, and of those that they own. */
export const FAMILY = 'family';
/** Namespaces of the services, and of the replica sets. */
export const SERVED = 'served';
export const SETS = 'sets';
/** The namespace with a quota, and the quota. */
export const LIMITED = 'limited';
export const QUOTA = 3;

/** The deeds of clients besides reading and writing values: each has its consequences, whatever happens meanwhile. */
export const DEEDS = ['take', 'give back', 'found', 'dissolve', 'serve', 'unserve', 'scale', 'drop'] as const;
export type Deed = (typeof DEEDS)[number];

const PROPAGATION = ['Background', 'Foreground', 'Orphan'] as const;

/** Does a deed. @param amount number of replicas, or way of a deletion */
export const deeds: Readonly<Record<Deed, (client: Client, key: number, amount: number) => Promise<unknown>>> = {
  take: (client, key) =>
    client
      .resource(ConfigMap)
      .namespace(LIMITED)
      .create({ metadata: { name: `taken-${key}` } }),
  'give back': (client, key) => client.resource(ConfigMap).namespace(LIMITED).delete(`taken-${key}`),
  found: async (client, key, amount) => {
    const maps = client.resource(ConfigMap).namespace(FAMILY);
    const { metadata } = await maps.create({ metadata: { name: `owner-${key}` } });
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: `owner-${key}`, uid: metadata.uid ?? '' };
    for (let child = 0; child < amount; child += 1)
      await maps.create({
        metadata: {
          generateName: `child-${key}-`,
          ownerReferences: [child % 2 === 0 ? owner : { ...owner, blockOwnerDeletion: true }],
        },
      });
  },
  dissolve: (client, key, amount) =>
    client
      .resource(ConfigMap)
      .namespace(FAMILY)
      .delete(`owner-${key}`, { propagationPolicy: PROPAGATION[amount % PROPAGATION.length] }),
  serve: (client, key, amount) =>
    client
      .resource(Service)
      .namespace(SERVED)
      .create({
        metadata: { name: `service-${key}` },
        spec: { type: amount % 2 === 0 ? 'NodePort' : 'ClusterIP', ports: [{ port: 80 }] },
      }),
  unserve: (client, key) => client.resource(Service).namespace(SERVED).delete(`service-${key}`),
  scale: async (client, key, amount) => {
    const sets = client.resource(ReplicaSet).namespace(SETS);
    const labels = { set: `set-${key}` };
    const spec = {
      ...{ replicas: amount, selector: { matchLabels: labels } },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web' }] } },
    };
    const metadata = { name: `set-${key}` };
    const known = (await sets.list({ fieldSelector: `metadata.name=set-${key}` })).items[0];
    if (known === undefined) await sets.create({ metadata, spec });
    else await sets.patch(`set-${key}`, { spec: { replicas: amount } });
  },
  drop: (client, key) => client.resource(ReplicaSet).namespace(SETS).delete(`set-${key}`),
};
