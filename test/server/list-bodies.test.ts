/** The body of a long list is assembled in several turns of the event loop, in every form that a client can request. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiServer, ConfigMap } from '../../src/entries/index.js';
import { turnsDuring } from '../support/turns.js';
import { ask, received, textOf } from './ask.js';

const MANY = 1_200;
const META = 'g=meta.orch.io;v=v1';

let server: ApiServer;
beforeAll(async () => {
  server = new ApiServer({
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  const maps = server.client().resource(ConfigMap).namespace('default');
  for (let index = 0; index < MANY; index += 1)
    await maps.create({
      metadata: { name: `m${index}`, annotations: { note: 'größer' } },
      data: { text: 'x'.repeat(200) },
    });
});
afterAll(() => server.close());

/** The names of the objects in a body, in whichever form it is. */
const namesIn = (text: string): Set<string> => new Set(text.match(/\bm\d+\b/g));

test.each([
  ['the stored form', 'application/json', '', {}],
  ['indented JSON', 'application/json', 'pretty=true', {}],
  ['YAML', 'application/yaml', '', {}],
  ['protobuf', 'application/vnd.orch.protobuf', '', {}],
  ['a Table', `application/json;as=Table;${META}`, '', {}],
  ['a Table with whole objects', `application/json;as=Table;${META}`, 'includeObject=Object', {}],
  ['metadata only', `application/json;as=PartialObjectMetadataList;${META}`, '', {}],
  ['compressed JSON', 'application/json', '', { 'accept-encoding': 'gzip' }],
])('%s', async (_name, accept, query, headers) => {
  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  const turns = await turnsDuring(async () => {
    const target = `/api/v1/namespaces/default/configmaps?${query}`;
    answers.push(await received(await ask(server, 'GET', target, { headers: { accept, ...headers } })));
  });
  const [answer] = answers;
  if (answer === undefined) throw new Error('no answer');
  expect(answer.status).toBe(200);
  expect(namesIn(textOf(answer)).size).toBe(MANY);
  expect(turns).toBeGreaterThan(1);
});
