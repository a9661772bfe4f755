/** The memory of bodies that go to the audit log is reserved. */
import { expect, test } from 'vitest';
import { ApiServer, type AuditOptions } from '../../src/entries/index.js';
import { ask } from './ask.js';

const MIB = 1024 * 1024;
const MAPS = '/api/v1/namespaces/default/configmaps';
/** The log escapes each letter by six characters. */
const map = JSON.stringify({ metadata: { name: 'a' }, data: { a: 'é'.repeat(260_000) } });

async function statusAt(level: 'Metadata' | 'Request'): Promise<number> {
  const audit: AuditOptions = { policy: { rules: [{ level }] }, sink: () => undefined };
  await using server = new ApiServer({
    ...{ dialect: 'kubernetes', observability: { audit }, limits: { memoryBytes: 6 * MIB, bodyBytes: MIB } },
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  await server.ready();
  return (await ask(server, 'POST', MAPS, { body: map })).status;
}

test('a request whose recorded body does not fit into the memory budget is refused', async () => {
  expect(await statusAt('Metadata')).toBe(201);
  expect(await statusAt('Request')).toBe(429);
});
