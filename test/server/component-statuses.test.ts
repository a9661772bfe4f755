import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controllersOfTests } from '../../src/apiserver/controllers/controller-table.js';
import { systemClock } from '../../src/foundation/host/system-runtime.js';
import { ComponentStatus } from '../../src/kinds/builtin/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { startTestServer, type TestServer, type TestServerOptions } from '../../src/entries/testing.js';
import { ask, jsonOf } from './ask.js';

const OWNER = 'owner-of-the-component-tests';
const PATH = '/api/v1/componentstatuses';
const start = (options: TestServerOptions = {}): Promise<TestServer> =>
  startTestServer({
    ...options,
    authentication: { ownerToken: OWNER, ...options.authentication },
    controllers: { disable: controllersOfTests, ...options.controllers },
  });

let test: TestServer;
beforeEach(async () => {
  test = await start();
});
afterEach(() => test.close());

const read = (path = PATH, accept?: string) =>
  ask(test.server, 'GET', path, { token: OWNER, ...(accept === undefined ? {} : { headers: { accept } }) });

describe('component statuses', () => {
  it('are those of the parts of the server', async () => {
    const response = await read();
    expect(jsonOf(response)).toMatchObject({
      kind: 'ComponentStatusList',
      items: [
        { metadata: { name: 'controller-manager' }, conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] },
        { metadata: { name: 'etcd-0' }, conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] },
        {
          metadata: { name: 'scheduler' },
          conditions: [{ type: 'Healthy', status: 'Unknown', message: expect.stringContaining('no scheduler') }],
        },
      ],
    });
    expect(response.headers['warning']).toEqual(['299 - "v1 ComponentStatus is deprecated in v1.19+"']);
  });

  it('can be read one by one, selected and paged', async () => {
    const one = jsonOf(await read(`${PATH}/etcd-0`));
    expect(one).toEqual({
      kind: 'ComponentStatus',
      apiVersion: 'v1',
      metadata: { name: 'etcd-0' },
      conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
    });
    expect((await read(`${PATH}/etcd`)).status).toBe(404);
    const names = async (query: string) =>
      (await test.client.resource(ComponentStatus).list(JSON.parse(query))).items.map(({ metadata }) => metadata.name);
    expect(await names('{"fieldSelector":"metadata.name=scheduler"}')).toEqual(['scheduler']);
    expect(await names('{"fieldSelector":"metadata.name!=scheduler"}')).toEqual(['controller-manager', 'etcd-0']);
    const page = await test.client.resource(ComponentStatus).list({ limit: 2 });
    expect(page.metadata).toMatchObject({ remainingItemCount: 1 });
    const rest = await test.client.resource(ComponentStatus).list({ limit: 2, continue: page.metadata.continue });
    expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(['scheduler']);
  });

  it('cannot be written or watched', async () => {
    for (const method of ['POST', 'DELETE'])
      expect((await ask(test.server, method, PATH, { token: OWNER, body: '{}' })).status).toBe(405);
    expect((await ask(test.server, 'DELETE', `${PATH}/etcd-0`, { token: OWNER })).status).toBe(405);
    expect((await read(`${PATH}?watch=1`)).status).toBe(405);
    const statuses = test.client.resource(ComponentStatus);
    await expect(statuses.create({ metadata: { name: 'a' } })).rejects.toMatchObject({ code: 405 });
    await expect(statuses.delete('etcd-0')).rejects.toMatchObject({ code: 405 });
    expect(await statuses.watch({ resourceVersion: '1' }).next()).toEqual({ done: true, value: undefined });
  });

  it('have the columns of the release', async () => {
    const table = jsonOf(await read(PATH, `application/json;as=Table;g=meta.${test.server.dialect.groupSuffix};v=v1`));
    expect(table).toMatchObject({
      kind: 'Table',
      rows: [
        { cells: ['controller-manager', 'Healthy', 'ok', ''] },
        { cells: ['etcd-0', 'Healthy', 'ok', ''] },
        { cells: ['scheduler', 'Unhealthy', expect.any(String), ''] },
      ],
    });
  });

  it('say that the storage fails', async () => {
    await test.close();
    const storage = createMemoryStorage({ clock: systemClock });
    test = await start({ storage });
    storage.ping = () => Promise.reject(new Error('the disk is full'));
    expect(jsonOf(await read(`${PATH}/etcd-0`))).toMatchObject({
      conditions: [{ type: 'Healthy', status: 'False', error: 'the disk is full' }],
    });
  });

  it('have a scheduler when nodes are simulated', async () => {
    await test.close();
    test = await start({ simulate: true });
    expect(jsonOf(await read(`${PATH}/scheduler`))).toMatchObject({ conditions: [{ status: 'True' }] });
  });
});
