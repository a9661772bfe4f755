import { describe, expect, test } from 'vitest';
import { ConfigMap, Deployment } from '../../src/entries/index.js';
import { startTestServer } from '../../src/entries/testing.js';
import { matchers, type ApiMatchers } from '../../src/testing/matchers/index.js';

declare module 'vitest' {
  // The runner's own type has this parameter.
  interface Matchers<T> extends ApiMatchers<T> {}
}

expect.extend(matchers);

const DEFAULT = 'default';

/** Returns the message of an assertion that must fail. */
async function messageOf(assertion: () => unknown): Promise<string> {
  try {
    await assertion();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the assertion holds');
}

describe('the matchers', () => {
  test('are about requests by verb, resource, name, user and body', async () => {
    await using test = await startTestServer();
    const maps = test.server
      .client({ user: { username: 'alice', groups: ['system:masters'] } })
      .resource(ConfigMap)
      .namespace(DEFAULT);
    await maps.create({ metadata: { name: 'a' }, data: { x: '1' } });
    await maps.update({ metadata: { name: 'a' }, data: { x: '2' } });
    await maps.patch('a', { data: { x: '3' } });
    await maps.apply({ metadata: { name: 'a' }, data: { y: '1' } }, { fieldManager: 'm' });
    await maps.delete('a');
    expect(test).toHaveCreated({ resource: 'configmaps', name: 'a', user: 'alice', body: { data: { x: '1' } } });
    expect(test).toHaveUpdated({ resource: 'cm', namespace: DEFAULT });
    expect(test).toHavePatched({ name: 'a' }, { times: 2 });
    expect(test).toHaveApplied({ name: 'a' }, { times: 1 });
    expect(test).toHaveDeleted({ name: 'a' });
    expect(test).not.toHaveRequested({ verb: 'get' });
    expect(test.requests().by('bob')).not.toHaveRequested();
    expect(test).not.toHaveCreated({ body: { data: { x: '2' } } });
  });

  test('count what succeeded, and tell what there was', async () => {
    await using test = await startTestServer();
    const maps = test.client.resource(ConfigMap).namespace(DEFAULT);
    await maps.create({ metadata: { name: 'a' } });
    await maps.update({ metadata: { name: 'a' }, data: { x: '2' } });
    await maps.create({ metadata: { name: 'a' } }).catch(() => undefined);
    expect(test).toHaveCreated({ name: 'a' }, { times: 1 });
    expect(test).toHaveCreated({ name: 'a', status: 409 });
    const message = await messageOf(() => expect(test).toHaveApplied({ resource: 'configmaps', name: 'a' }));
    expect(message).toContain('toHaveApplied: expected a request that applies {"resource":"configmaps","name":"a"}');
    expect(message).toContain('system:apiserver update configmaps default/a → 200');
    expect(message).toContain('system:apiserver create configmaps default/a → 409');
    const twice = await messageOf(() =>
      expect(test).toHaveUpdated({ resource: 'configmaps', name: 'a' }, { times: 2 }),
    );
    expect(twice).toContain('2 times');
    expect(twice).toContain('there were 1:');
    expect(await messageOf(() => expect(test).toHaveCreated({ resource: 'secrets' }))).toContain(
      'there was none among 3',
    );
    expect(await messageOf(() => expect(test).toHaveCreated({ verb: 'get' }))).toContain('leave the verb out');
    expect(await messageOf(() => expect({}).toHaveRequested())).toContain('must get a test server');
  });

  test('print the last versions of the object', async () => {
    await using test = await startTestServer();
    const maps = test.client.resource(ConfigMap).namespace(DEFAULT);
    await maps.create({ metadata: { name: 'a' }, data: { x: '1' } });
    await maps.update({ metadata: { name: 'a' }, data: { x: '2' } });
    const message = await messageOf(() => expect(test).toHaveDeleted({ resource: 'configmaps', name: 'a' }));
    expect(message).toContain('the last versions of ConfigMap a:');
    expect(message).toContain('/data/x: "1" → "2"');
  });

  test('are about Events', async () => {
    await using test = await startTestServer({ simulate: true });
    const deployment = await test.client
      .resource(Deployment)
      .namespace(DEFAULT)
      .create({
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: { app: 'web' } },
          template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      });
    await test.settled();
    expect(test).toHaveRecordedEvent({ reason: 'ScalingReplicaSet', object: deployment });
    expect(test.events({ object: 'web', reason: 'Scaling*' })).toMatchObject([
      { type: 'Normal', object: { kind: 'Deployment', namespace: DEFAULT, name: 'web' }, count: 1 },
    ]);
    expect(test).not.toHaveRecordedEvent({ type: 'Warning' });
    const message = await messageOf(() => expect(test).toHaveRecordedEvent({ reason: 'Failed' }));
    expect(message).toContain('Normal ScalingReplicaSet Deployment default/web: Scaled up replica set');
    await test.advance(2 * 3_600_000);
    expect(test).toHaveRecordedEvent({ reason: 'ScalingReplicaSet' });
    expect(() => test.events({ why: 'x' } as never)).toThrow('unknown option "why"');
  });

  test('compare a recording with a role', async () => {
    await using test = await startTestServer({ dialect: 'kubernetes' });
    const record = test.recordAccess('alice');
    const maps = test.server
      .client({ user: { username: 'alice', groups: ['system:masters'] } })
      .resource(ConfigMap)
      .namespace(DEFAULT);
    await maps.create({ metadata: { name: 'a' } });
    await maps.get('a');
    await maps.list();
    record.stop();
    await expect(record).toFitRole(record.role());
    const role = (rules: string): string =>
      `kind: Role\napiVersion: rbac.authorization.k8s.io/v1\nmetadata: { name: r, namespace: default }\nrules: ${rules}\n`;
    await expect(record).toFitRole(role('[{ apiGroups: [""], resources: [configmaps], verbs: [get, list, create] }]'));
    const message = await messageOf(() =>
      expect(record).toFitRole(
        role(
          '[{ apiGroups: [""], resources: [configmaps, secrets], verbs: [get, list] }, { apiGroups: [apps], resources: ["*"], verbs: [get] }]',
        ),
      ),
    );
    expect(message).toBe(
      [
        'toFitRole: the role lacks, although it was needed:',
        '  create configmaps',
        'the role allows, although nobody needed it:',
        '  get secrets',
        '  list secrets',
        '  get *.apps',
      ].join('\n'),
    );
    await expect(record).not.toFitRole(role('[{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]'));
    expect(await messageOf(() => expect(record).toFitRole('kind: Pod\nmetadata: {}\n'))).toContain('no Role');
  });

  test('explain why access is refused', async () => {
    await using test = await startTestServer();
    const explanation = await test.explain({ user: 'alice', verb: 'get', resource: 'configmaps', namespace: DEFAULT });
    expect(explanation.allowed).toBe(false);
    expect(String(explanation)).toContain('alice');
  });
});
