/** The tests with a fake client: a Map behind the few methods that the code calls. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { CoreV1Api, V1ConfigMap } from '@kubernetes/client-node';
import { claimTask, claimTaskFirstVersion, TASK, WORKER } from './queue.js';

class FakeCoreApi {
  readonly maps = new Map<string, V1ConfigMap>();

  async createNamespacedConfigMap({ body }: { body: V1ConfigMap }): Promise<V1ConfigMap> {
    this.maps.set(body.metadata?.name ?? '', body);
    return body;
  }

  async readNamespacedConfigMap({ name }: { name: string }): Promise<V1ConfigMap> {
    const found = this.maps.get(name);
    if (found === undefined) throw Object.assign(new Error('not found'), { code: 404 });
    return found;
  }

  async listNamespacedConfigMap({ labelSelector }: { labelSelector?: string }): Promise<{ items: V1ConfigMap[] }> {
    const matches = ({ metadata }: V1ConfigMap): boolean =>
      labelSelector === undefined || metadata?.labels?.[labelSelector] !== undefined;
    return { items: [...this.maps.values()].filter(matches) };
  }

  async replaceNamespacedConfigMap({ name, body }: { name: string; body: V1ConfigMap }): Promise<V1ConfigMap> {
    if (!this.maps.has(name)) throw Object.assign(new Error('not found'), { code: 404 });
    this.maps.set(name, body);
    return body;
  }
}

const namespace = 'default';
let api: CoreV1Api;

beforeEach(async () => {
  // The fake has four of the methods of the type.
  api = new FakeCoreApi() as unknown as CoreV1Api;
  for (const name of ['one', 'two'])
    await api.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { [TASK]: '' } } } });
  await api.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'settings' } } });
});

// Both versions pass: the fake has no versions of objects, so it cannot tell them apart.
for (const claim of [claimTask, claimTaskFirstVersion]) {
  test(`${claim.name}: a worker claims a task`, async () => {
    assert.equal(await claim(api, namespace, 'alice'), 'one');
    const { metadata } = await api.readNamespacedConfigMap({ name: 'one', namespace });
    assert.equal(metadata?.annotations?.[WORKER], 'alice');
  });

  test(`${claim.name}: each task is claimed once`, async () => {
    const claimed = [];
    for (const worker of ['alice', 'bob', 'carol']) claimed.push(await claim(api, namespace, worker));
    assert.deepEqual(claimed, ['one', 'two', undefined]);
  });
}
