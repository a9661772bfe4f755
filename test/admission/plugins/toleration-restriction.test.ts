import { describe, expect, test } from 'vitest';
import { PluginWorld, type Answer, type PodSpec } from './support.js';

const enable = ['PodTolerationRestriction'] as const;
const disable = ['DefaultTolerationSeconds'] as const;
const tolerationsOf = ({ body }: Answer) => (body['spec'] as unknown as PodSpec).tolerations;
const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const WHITELIST = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const green = { key: 'green', operator: 'Exists' as const };
const blue = { key: 'blue', operator: 'Equal' as const, value: 'a', effect: 'NoExecute' as const };

describe('PodTolerationRestriction', () => {
  test('adds the defaults of the namespace, without those that the pod already has', async () => {
    await using world = await PluginWorld.start({ enable, disable });
    await world.namespace('a', {}, { [DEFAULTS]: JSON.stringify([green, { ...blue, tolerationSeconds: 30 }]) });
    expect(tolerationsOf(await world.pod('none', {}, 'a'))).toEqual([green, { ...blue, tolerationSeconds: 30 }]);
    const same = [{ ...green, effect: 'NoSchedule' as const }, blue];
    // The namespace tolerates more than the first, and the second tolerates for longer than the namespace.
    expect(tolerationsOf(await world.pod('own', { tolerations: same }, 'a'))).toEqual([blue, green]);
    expect(tolerationsOf(await world.pod('all', { tolerations: [{ operator: 'Exists' }] }, 'a'))).toEqual([
      { operator: 'Exists' },
    ]);
  });

  test('takes the defaults of the cluster where the namespace states none; an empty text states none at all', async () => {
    const podTolerationRestriction = { default: [green] };
    await using world = await PluginWorld.start({ enable, disable, podTolerationRestriction });
    await world.namespace('a');
    await world.namespace('empty', {}, { [DEFAULTS]: '' });
    expect(tolerationsOf(await world.pod('p', {}, 'a'))).toEqual([green]);
    expect(tolerationsOf(await world.pod('p', {}, 'empty'))).toBeUndefined();
  });

  test('lets pods that request resources tolerate memory pressure', async () => {
    await using world = await PluginWorld.start({ enable, disable });
    const containers = [{ name: 'c', image: 'i', resources: { requests: { memory: '1Mi' } } }];
    const pressure = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };
    expect(tolerationsOf(await world.pod('p', { containers }))).toEqual([pressure]);
  });

  test('refuses what the namespace, or the cluster, does not allow', async () => {
    const podTolerationRestriction = { whitelist: [green] };
    await using world = await PluginWorld.start({ enable, disable, podTolerationRestriction });
    await world.namespace('a', {}, { [WHITELIST]: JSON.stringify([{ ...blue, tolerationSeconds: 60 }]) });
    await world.namespace('open', {}, { [WHITELIST]: '' });
    const short = { ...blue, tolerationSeconds: 60 };
    expect((await world.pod('p', { tolerations: [short] }, 'a')).text).toBe('201');
    for (const toleration of [blue, { ...short, tolerationSeconds: 61 }, { ...short, value: 'b' }, green])
      expect((await world.pod('q', { tolerations: [toleration] }, 'a')).text).toBe(
        '500 pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
      );
    expect((await world.pod('p', { tolerations: [blue] })).text).toBe(
      '500 pod tolerations (possibly merged with namespace default tolerations) conflict with its cluster whitelist',
    );
    expect((await world.pod('p', { tolerations: [blue, green] }, 'open')).text).toBe('201');
    expect((await world.pod('p', { tolerations: [{ ...green, effect: 'NoSchedule' }] })).text).toBe('201');
  });

  test('checks updates, and what later plugins make of the pod', async () => {
    await using world = await PluginWorld.start({ enable, podTolerationRestriction: { whitelist: [green] } }, {});
    // DefaultTolerationSeconds runs before it.
    expect((await world.pod('p')).text).toContain('conflict with its cluster whitelist');
    await using other = await PluginWorld.start({ enable, disable });
    await other.pod('p');
    const add = { spec: { tolerations: [green] } };
    const path = '/api/v1/namespaces/default';
    await other.send(
      'PATCH',
      path,
      { metadata: { annotations: { [WHITELIST]: JSON.stringify([blue]) } } },
      'admin',
      MERGE,
    );
    expect((await other.send('PATCH', `${path}/pods/p`, add, 'admin', MERGE)).text).toContain('namespace whitelist');
    const status = { status: { message: 'm' } };
    expect((await other.send('PATCH', `${path}/pods/p/status`, status, 'admin', MERGE)).text).toBe('200');
  });

  test('fails for an annotation that is not a list of tolerations', async () => {
    await using world = await PluginWorld.start({ enable, disable });
    await world.namespace('a', {}, { [DEFAULTS]: '{' });
    await world.namespace('b', {}, { [DEFAULTS]: '[{"key": 1}]' });
    expect((await world.pod('p', {}, 'a')).text).toBe(`500 annotation ${DEFAULTS} of the namespace is not JSON`);
    expect((await world.pod('p', {}, 'b')).text).toMatch(
      /^500 json: cannot unmarshal number into .*key of type string$/,
    );
  });
});

const MERGE = 'application/merge-patch+json';
