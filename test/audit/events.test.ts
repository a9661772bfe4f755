import { afterEach, describe, expect, test } from 'vitest';
import { ask } from '../server/ask.js';
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
