import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiServer, Lease } from '../../src/entries/index.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { ask, jsonOf } from './ask.js';

const LEASES = '/apis/coordination.orch.io/v1/namespaces/default/leases';
const GROUP = 'coordination.orch.io';
const UID = '11111111-1111-4111-8111-111111111111';

let server: ApiServer;
beforeAll(async () => {
  const tokens = [
    { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
    { token: 'alice', user: { username: 'alice', groups: [] } },
  ];
  server = new ApiServer({ controllers: { disable: controllerNames }, authentication: { tokens } });
  await server
    .client()
    .resource(Lease)
    .namespace('default')
    .create({ metadata: { name: 'one' } });
});
afterAll(() => server.close());

const lease = (metadata: object): string => JSON.stringify({ metadata: { name: 'one', ...metadata } });

describe('details.kind', () => {
  it.each<[string, string, string, string | undefined, number, string, string?]>([
    ['of a missing object', 'GET', '/absent', undefined, 404, 'leases'],
    ['of a name already in use', 'POST', '', lease({}), 409, 'leases'],
    ['of an old version', 'PUT', '/one', lease({ resourceVersion: '1' }), 409, 'leases'],
    ['of another uid', 'PUT', '/one', lease({ uid: UID }), 409, 'leases'],
    ['of an update without a version', 'PUT', '/one', lease({}), 422, 'leases'],
    ['of a denial', 'GET', '/one', undefined, 403, 'leases', 'alice'],
    ['of an invalid object', 'POST', '', lease({ name: 'A_' }), 422, 'Lease'],
    ['of a delete precondition', 'DELETE', '/one', JSON.stringify({ preconditions: { uid: UID } }), 409, 'Lease'],
  ])('%s: %s %s', async (_, method, path, body, status, kind, token = 'admin') => {
    const answer = await ask(server, method, `${LEASES}${path}`, { token, ...(body === undefined ? {} : { body }) });
    expect([answer.status, jsonOf(answer)['details']]).toEqual([
      status,
      expect.objectContaining({ kind, group: GROUP }),
    ]);
  });

  it('appears in the message as well', async () => {
    const { message } = jsonOf(await ask(server, 'PUT', `${LEASES}/one`, { body: lease({}) }));
    expect(message).toBe(
      `leases.${GROUP} "one" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update`,
    );
  });
});
