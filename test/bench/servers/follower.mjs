// A process that follows the ConfigMaps of a server: with a controller, an informer, or the informer of client-node.
import { performance } from 'node:perf_hooks';

const [way = '', url = '', count = '0'] = process.argv.slice(2);
const now = () => performance.timeOrigin + performance.now();

/** Delays of the changes since the last report, in milliseconds. */
let delays = [];
let cpu = process.cpuUsage();

/** @param {{ data?: Record<string, string> }} object a change, with the time at which it was sent */
function seen({ data }) {
  const sent = Number(data?.sent ?? 0);
  if (sent > 0) delays.push(now() - sent);
}

/** Follows with this package. */
async function connected() {
  const { connect } = await import('orch-apiserver/client');
  const { ConfigMap } = await import('orch-apiserver/kinds');
  return { client: await connect({ url, token: 'bench' }), ConfigMap };
}

const ways = {
  async controller() {
    const { createController } = await import('orch-apiserver/controllers');
    const { client, ConfigMap } = await connected();
    const known = new Set();
    let ready = () => undefined;
    const all = new Promise((resolve) => (ready = resolve));
    const controller = createController({
      name: 'bench',
      kind: ConfigMap,
      concurrency: 10,
      async reconcile(object) {
        if (known.has(object.metadata.name)) return seen(object);
        known.add(object.metadata.name);
        if (known.size >= Number(count)) ready();
      },
    });
    void controller.run({ client });
    await all;
  },
  async informer() {
    const { Informer } = await import('orch-apiserver/client');
    const { systemClock } = await import('orch-apiserver');
    const { client, ConfigMap } = await connected();
    const informer = new Informer({ source: client.resource(ConfigMap).namespace('default'), clock: systemClock });
    informer.start();
    await informer.synced();
    informer.subscribe({ updated: (object) => seen(object) });
  },
  async 'client-node'() {
    const { CoreV1Api, KubeConfig, makeInformer } = await import('@kubernetes/client-node');
    const config = new KubeConfig();
    config.loadFromClusterAndUser(
      { name: 'bench', server: url, skipTLSVerify: true },
      { name: 'bench', token: 'bench' },
    );
    const api = config.makeApiClient(CoreV1Api);
    const list = () => api.listNamespacedConfigMap({ namespace: 'default' });
    const informer = makeInformer(config, '/api/v1/namespaces/default/configmaps', list);
    informer.on('update', seen);
    informer.on('error', (error) => console.error('the informer of client-node failed', error));
    await informer.start();
  },
};

const startedMs = now();
await ways[way]();
const readyMs = now() - startedMs;

process.on('message', () => {
  const used = process.cpuUsage(cpu);
  // Only so that the memory can be told.
  globalThis.gc?.();
  const report = { readyMs, delays, cpuUs: used.user + used.system, heapBytes: process.memoryUsage().heapUsed };
  delays = [];
  process.send?.(report, () => (cpu = process.cpuUsage()));
});
process.send?.({ ready: true });
