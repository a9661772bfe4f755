/** Requests for values that a server cannot decrypt. */
import { expect, it } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.js';
import type { ValueCodec } from '../../../src/storage/index.js';
import { openPostgresStorage } from '../../../src/storage/postgres/index.js';
import { ask, jsonOf } from '../../server/ask.js';
import { createManualClock } from '../../../src/testing/time/manual-clock.js';
import { PglitePool } from '../postgres/pglite-pool.js';
import { encryption, entry, KEY_1, KEY_2, provider } from './configurations.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const MESSAGE =
  'Internal error occurred: unable to transform key "/registry/configmaps/default/a": no matching prefix found';
const oldKey = provider('aesgcm', { old: KEY_1 });
const newKey = provider('aesgcm', { new: KEY_2 });

it('a value without its key: get and list fail with 500, and it is not overwritten', { timeout: 300_000 }, async () => {
  const pool = new PglitePool();
  const clock = createManualClock();
  const open = async (codec: ValueCodec) =>
    new ApiServer({
      storage: await openPostgresStorage({ pool, clock, encryption: codec, watchCache: false, compactionInterval: 0 }),
      clock,
      authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
    });
  const map = { metadata: { name: 'a' }, data: { key: 'value' } };
  {
    await using server = await open(await encryption(entry(['configmaps'], oldKey)));
    const { status } = await ask(server, 'POST', PATH, { body: JSON.stringify(map) });
    expect(status).toBe(201);
  }
  {
    await using server = await open(await encryption(entry(['configmaps'], newKey)));
    for (const [method, path] of [
      ['GET', `${PATH}/a`],
      ['GET', PATH],
      ['PUT', `${PATH}/a`],
      ['DELETE', `${PATH}/a`],
      ['POST', PATH],
    ] as const) {
      const body = method === 'PUT' || method === 'POST' ? { body: JSON.stringify(map) } : {};
      const answer = await ask(server, method, path, body);
      expect([method, path, answer.status]).toEqual([method, path, 500]);
      if (method === 'GET') expect(jsonOf(answer)).toMatchObject({ reason: 'InternalError', message: MESSAGE });
    }
  }
  await using server = await open(await encryption(entry(['configmaps'], newKey, oldKey)));
  const answer = await ask(server, 'GET', `${PATH}/a`);
  expect(answer.status).toBe(200);
  expect(jsonOf(answer)).toMatchObject({ data: map.data });
});
