import { afterEach, describe, expect, test } from 'vitest';
import { ConfigMap } from '../../../src/kinds/builtin/index.js';
import { ask } from '../../server/ask.js';
import { auditWorld, stagesOf, type AuditWorld } from './audit-world.js';

const MAPS = '/api/v1/namespaces/default/configmaps';

let world: AuditWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

describe('events over HTTP', () => {
  test('a create is recorded when it arrives and when it is answered', async () => {
    world = await auditWorld();
    const answer = await ask(world.server, 'POST', `${MAPS}?fieldManager=me`, {
      headers: { 'user-agent': 'kubectl/1.31', 'x-forwarded-for': '10.0.0.1, junk' },
      body: '{"metadata":{"name":"a"},"data":{"k":"v"}}',
    });
    expect(answer.status).toBe(201);
    const [received, complete, ...rest] = await world.taken();
    expect(rest).toEqual([]);
    const common = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      auditID: answer.headers['audit-id'],
      requestURI: `${MAPS}?fieldManager=me`,
      verb: 'create',
      user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      sourceIPs: ['10.0.0.1', '127.0.0.1'],
      userAgent: 'kubectl/1.31',
      requestReceivedTimestamp: expect.stringMatching(/^2024-01-01T00:00:00\.000000Z$/),
      stageTimestamp: expect.stringMatching(/^2024-01-01T00:00:00\.000000Z$/),
    };
    const objectRef = { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' };
    expect(received).toEqual({ ...common, stage: 'RequestReceived', objectRef });
    expect(complete).toEqual({
      ...common,
      stage: 'ResponseComplete',
      objectRef: { ...objectRef, name: 'a' },
      responseStatus: { metadata: {}, code: 201 },
      requestObject: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { k: 'v' } },
      responseObject: expect.objectContaining({ kind: 'ConfigMap', data: { k: 'v' } }),
      annotations: {
        'authorization.k8s.io/decision': 'allow',
        'authorization.k8s.io/reason': expect.any(String),
      },
    });
    expect(stagesOf([received!, complete!])).toEqual(['RequestReceived', 'ResponseComplete 201']);
  });
});

describe('events of the in-process client', () => {
  test('are those of the same request over HTTP', async () => {
    world = await auditWorld();
    const maps = world.server.client({ user: 'admin-in-process' }).resource(ConfigMap).namespace('default');
    await expect(maps.create({ metadata: { name: 'a' } })).rejects.toThrow(/forbidden/);
    expect(await world.taken()).toEqual([
      expect.objectContaining({ stage: 'RequestReceived', verb: 'create', requestURI: MAPS }),
      expect.objectContaining({
        stage: 'ResponseComplete',
        user: { username: 'admin-in-process', groups: ['system:authenticated'] },
        userAgent: 'in-process',
        responseStatus: expect.objectContaining({ code: 403, reason: 'Forbidden', status: 'Failure' }),
        annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': expect.any(String) },
      }),
    ]);
  });

  test('every verb', async () => {
    world = await auditWorld();
    const user = { username: 'boss', groups: ['system:masters'] };
    const maps = world.server.client({ user }).resource(ConfigMap).namespace('default');
    await maps.create({ metadata: { name: 'a' }, data: { k: '1' } });
    await maps.get('a');
    await maps.list({ labelSelector: 'x=y', limit: 5 });
    await maps.update({ metadata: { name: 'a' }, data: { k: '2' } });
    await maps.patch('a', { data: { k: '3' } });
    await maps.patch('a', [{ op: 'replace', path: '/data/k', value: '4' }]);
    await maps.apply({ metadata: { name: 'b' }, data: { k: '5' } }, { fieldManager: 'me' });
    await maps.delete('a', { propagationPolicy: 'Background' });
    const watch = maps.watch({ timeoutSeconds: 1 });
    expect((await watch.next()).done).toBe(false);
    await watch.return();
    await maps.deleteCollection();
    const events = (await world.taken()).filter(({ stage }) => stage !== 'RequestReceived');
    expect(
      events.map(({ verb, requestURI, stage, responseStatus }) => [verb, requestURI, stage, responseStatus?.code]),
    ).toEqual([
      ['create', MAPS, 'ResponseComplete', 201],
      ['get', `${MAPS}/a`, 'ResponseComplete', 200],
      ['list', `${MAPS}?labelSelector=x%3Dy&limit=5`, 'ResponseComplete', 200],
      ['update', `${MAPS}/a`, 'ResponseComplete', 200],
      ['patch', `${MAPS}/a`, 'ResponseComplete', 200],
      ['patch', `${MAPS}/a`, 'ResponseComplete', 200],
      ['patch', `${MAPS}/b?fieldManager=me`, 'ResponseComplete', 201],
      ['delete', `${MAPS}/a`, 'ResponseComplete', 200],
      ['watch', `${MAPS}?watch=true&timeoutSeconds=1`, 'ResponseStarted', 200],
      ['watch', `${MAPS}?watch=true&timeoutSeconds=1`, 'ResponseComplete', 200],
      ['deletecollection', MAPS, 'ResponseComplete', 200],
    ]);
    expect(events.map(({ requestObject }) => requestObject)).toEqual([
      expect.objectContaining({ data: { k: '1' } }),
      undefined,
      undefined,
      expect.objectContaining({ data: { k: '2' } }),
      { data: { k: '3' } },
      [{ op: 'replace', path: '/data/k', value: '4' }],
      expect.objectContaining({ data: { k: '5' } }),
      { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
      undefined,
      undefined,
      undefined,
    ]);
  });
});
