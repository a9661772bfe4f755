import { describe, expect, test } from 'vitest';
import { Lease, Pod } from '../../src/kinds/builtin/index.js';
import { harness, kit, orAbsent, type Harness } from './harness.js';

const NAME = 'doomed';

async function makeNamespace(h: Harness, finalizers: string[] = []) {
  const inside = kit(h.client, NAME);
  await inside.namespaces.create({ metadata: { name: NAME }, spec: { finalizers } });
  return inside;
}

async function conditionsOf(h: Harness): Promise<Record<string, string>> {
  const { status } = await kit(h.client).namespaces.get(NAME);
  return Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status: value, reason, message }) => [
      type,
      `${value} ${reason}: ${message}`,
    ]),
  );
}

const GOOD = {
  NamespaceDeletionDiscoveryFailure: 'False ResourcesDiscovered: All resources successfully discovered',
  NamespaceDeletionGroupVersionParsingFailure: 'False ParsedGroupVersions: All legacy kube types successfully parsed',
  NamespaceDeletionContentFailure:
    'False ContentDeleted: All content successfully deleted, may be waiting on finalization',
  NamespaceContentRemaining: 'False ContentRemoved: All content successfully removed',
  NamespaceFinalizersRemaining: 'False ContentHasNoFinalizers: All content-preserving finalizers finished',
};

/** A pod on a node: it is deleted gracefully. */
async function runningPod(h: Harness, name: string, metadata: { finalizers?: string[] } = {}) {
  const pods = h.client.resource(Pod).namespace(NAME);
  return pods.create({
    metadata: { name, ...metadata },
    spec: { nodeName: 'n', terminationGracePeriodSeconds: 40, containers: [{ name: 'c', image: 'i' }] },
  });
}

describe('the deletion of a namespace', () => {
  test('deletes all content: kinds with and without deletion of collections', async () => {
    await using h = harness();
    const { map, widgets, namespaces, maps } = await makeNamespace(h);
    await map('a');
    await map('b');
    await widgets.create({ metadata: { name: 'w' } });
    await h.client
      .resource(Lease)
      .namespace(NAME)
      .create({ metadata: { name: 'l' } });
    const elsewhere = await kit(h.client).map('elsewhere');
    await namespaces.delete(NAME);
    await h.settled();
    expect(await orAbsent(namespaces.get(NAME))).toBeUndefined();
    expect((await maps.list()).items).toEqual([]);
    expect((await widgets.list()).items).toEqual([]);
    expect((await kit(h.client).maps.get('elsewhere')).metadata.uid).toBe(elsewhere.metadata.uid);
    expect(h.errors).toEqual([]);
  });

  test('removes an empty one at once, and frees its name', async () => {
    await using h = harness();
    const { namespaces } = await makeNamespace(h);
    await namespaces.delete(NAME);
    await h.settled();
    const again = await namespaces.create({ metadata: { name: NAME } });
    await h.settled();
    expect((await namespaces.get(NAME)).metadata.uid).toBe(again.metadata.uid);
    expect((await namespaces.get(NAME)).status?.phase).toBe('Active');
  });

  test('waits for another finalizer of the spec, with all conditions good', async () => {
    await using h = harness();
    const { namespaces, map, names } = await makeNamespace(h, ['example.com/hold']);
    await map('a');
    await namespaces.delete(NAME);
    await h.settled();
    const held = await namespaces.get(NAME);
    expect(held.spec?.finalizers).toEqual(['example.com/hold']);
    expect(held.status?.phase).toBe('Terminating');
    expect(await names()).toEqual([]);
    expect(await conditionsOf(h)).toEqual(GOOD);
    await namespaces.updateSubresource('finalize', { ...held, spec: { finalizers: [] } });
    await h.settled();
    expect(await orAbsent(namespaces.get(NAME))).toBeUndefined();
  });

  test('reports content with finalizers in the conditions, and watches it', async () => {
    await using h = harness();
    const { namespaces, map, maps, widgets } = await makeNamespace(h);
    await map('a', { finalizers: ['example.com/x'] });
    await map('b', { finalizers: ['example.com/x', 'example.com/y'] });
    await map('free');
    await widgets.create({ metadata: { name: 'w', finalizers: ['example.com/x'] } });
    await namespaces.delete(NAME);
    await h.settled();
    expect(await conditionsOf(h)).toEqual({
      ...GOOD,
      NamespaceContentRemaining:
        'True SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource instances, widgets.example.com has 1 resource instances',
      NamespaceFinalizersRemaining:
        'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/x in 3 resource instances, example.com/y in 1 resource instances',
    });
    expect((await namespaces.get(NAME)).spec?.finalizers).toEqual(['kubernetes']);

    const release = async (name: string): Promise<void> => {
      const held = await maps.get(name);
      delete held.metadata.finalizers;
      await maps.update(held);
      await h.settled();
    };
    await release('b');
    expect((await conditionsOf(h))['NamespaceContentRemaining']).toContain(
      'configmaps. has 1 resource instances, widgets.',
    );
    await release('a');
    expect((await conditionsOf(h))['NamespaceContentRemaining']).toContain(
      'remaining: widgets.example.com has 1 resource instances',
    );
    const widget = await widgets.get('w');
    delete widget.metadata.finalizers;
    await widgets.update(widget);
    await h.settled();
    expect(await orAbsent(namespaces.get(NAME))).toBeUndefined();
    expect(h.errors).toEqual([]);
  });

  test('keeps the time of a condition while its status stays', async () => {
    await using h = harness();
    const { namespaces, map, maps } = await makeNamespace(h);
    await map('a', { finalizers: ['example.com/x'] });
    await map('b', { finalizers: ['example.com/x'] });
    await namespaces.delete(NAME);
    await h.settled();
    const timesOf = async () =>
      (await namespaces.get(NAME)).status?.conditions?.map(({ lastTransitionTime }) => lastTransitionTime);
    const before = await timesOf();
    h.clock.advance(60_000);
    const a = await maps.get('a');
    delete a.metadata.finalizers;
    await maps.update(a);
    await h.settled();
    expect((await conditionsOf(h))['NamespaceContentRemaining']).toContain('has 1 resource instances');
    expect(await timesOf()).toEqual(before);
  });

  test.each([
    ['waits', true],
    ['does not wait', false],
  ])('gives pods their grace period; the rest %s when ordered is %s', async (_what, orderedNamespaceDeletion) => {
    await using h = harness({ orderedNamespaceDeletion });
    const { namespaces, map, names } = await makeNamespace(h);
    await map('a');
    await runningPod(h, 'p');
    await namespaces.delete(NAME);
    await h.settled();
    const pods = h.client.resource(Pod).namespace(NAME);
    const pod = await pods.get('p');
    expect(pod.metadata.deletionGracePeriodSeconds).toBe(40);
    expect((await conditionsOf(h))['NamespaceContentRemaining']).toBe(
      'True SomeResourcesRemain: Some resources are remaining: pods. has 1 resource instances',
    );
    expect(await names()).toEqual(orderedNamespaceDeletion ? ['a'] : []);
    await pods.delete('p', { gracePeriodSeconds: 0 });
    await h.settled();
    expect(await orAbsent(namespaces.get(NAME))).toBeUndefined();
    expect(h.errors).toEqual([]);
  });

  test('reports pods that exceed their grace period as a failure', async () => {
    await using h = harness();
    const { namespaces } = await makeNamespace(h);
    await runningPod(h, 'p');
    await namespaces.delete(NAME);
    await h.settled();
    h.clock.advance(41_000);
    await h.settled();
    const conditions = await conditionsOf(h);
    expect(conditions['NamespaceDeletionContentFailure']).toBe(
      'True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: doomed for gvr: /v1, Resource=pods',
    );
    expect(new Set(h.errors.map(String))).toEqual(
      new Set(['Error: unexpected items still remain in namespace: doomed for gvr: /v1, Resource=pods']),
    );
    await h.client.resource(Pod).namespace(NAME).delete('p', { gracePeriodSeconds: 0 });
    await h.settled();
    expect(await orAbsent(namespaces.get(NAME))).toBeUndefined();
  });

  test('keeps the delay', async () => {
    await using h = harness({ namespaceDeletionDelayMs: 5_000 });
    const { namespaces, map, names } = await makeNamespace(h);
    await map('a');
    await namespaces.delete(NAME);
    await h.settled();
    expect(await names()).toEqual(['a']);
    h.clock.advance(5_000);
    await h.settled();
    expect(await orAbsent(namespaces.get(NAME))).toBeUndefined();
  });

  test('handles many at once', async () => {
    await using h = harness();
    const { namespaces } = kit(h.client);
    for (let index = 0; index < 30; index += 1) {
      await namespaces.create({ metadata: { name: `n${index}` } });
      for (let object = 0; object < 5; object += 1) await kit(h.client, `n${index}`).map(`m${object}`);
    }
    await Promise.all(Array.from({ length: 30 }, (_, index) => namespaces.delete(`n${index}`)));
    await h.settled();
    const left = (await namespaces.list()).items.map(({ metadata }) => metadata.name);
    expect(left.filter((name) => name?.startsWith('n'))).toEqual([]);
    expect(h.errors).toEqual([]);
  });

  test('does not happen if the controller is disabled', async () => {
    await using h = harness({ disabled: ['namespace'] });
    const { namespaces } = await makeNamespace(h);
    await namespaces.delete(NAME);
    await h.settled();
    expect((await namespaces.get(NAME)).status).toEqual({ phase: 'Terminating' });
  });
});
