/** A short list of which all items are kept consists of the kept texts; its bytes are those of the list that made them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiServer, ConfigMap, Namespace } from '../../src/entries/index.js';
import { ask, received, textOf } from './ask.js';

const META = 'g=meta.orch.io;v=v1';
const FORMS: readonly (readonly [string, string, string])[] = [
  ['indented JSON', 'application/json', 'pretty=true'],
  ['YAML', 'application/yaml', ''],
  ['a Table', `application/json;as=Table;${META}`, ''],
  ['metadata only', `application/json;as=PartialObjectMetadataList;${META}`, ''],
];

let server: ApiServer;
beforeAll(async () => {
  server = new ApiServer({
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  for (const name of ['plain', 'words']) await server.client().resource(Namespace).create({ metadata: { name } });
  const client = server.client().resource(ConfigMap);
  for (let index = 0; index < 20; index += 1) {
    await client.namespace('plain').create({ metadata: { name: `m${index}` }, data: { text: 'x'.repeat(index) } });
    await client
      .namespace('words')
      .create({ metadata: { name: `m${index}`, annotations: { note: index === 7 ? 'größer' : 'larger' } } });
  }
  // Each write of a controller changes the resource version of the lists.
  await server.settled();
});
afterAll(() => server.close());

/** Requests a list three times: nothing is kept of the first one, and the third one finds what the second one kept. */
async function thrice(namespace: string, accept: string, query: string): Promise<{ texts: string[]; body: unknown }> {
  const texts: string[] = [];
  let body: unknown;
  for (let round = 0; round < 3; round += 1) {
    const target = `/api/v1/namespaces/${namespace}/configmaps?${query}`;
    const answer = await ask(server, 'GET', target, { headers: { accept } });
    ({ body } = answer);
    texts.push(textOf(await received(answer)));
  }
  return { texts, body };
}

test.each(FORMS)('%s is assembled from kept texts', async (_name, accept, query) => {
  const { texts, body } = await thrice('plain', accept, query);
  expect(body).toHaveProperty('parts');
  expect(texts[0]).toContain('m19');
  expect(texts[1]?.length).toBe(texts[0]?.length);
  expect(texts[2]).toBe(texts[1]);
});

test.each(FORMS)('%s with a letter beyond ASCII is encoded', async (_name, accept, query) => {
  const { texts, body } = await thrice('words', accept, query === '' ? 'includeObject=Object' : query);
  expect(body).not.toHaveProperty('parts');
  expect(texts[0]).toMatch(/größer|gr\\xF6\\xDFer/);
  expect(texts[2]).toBe(texts[1]);
});

test('a list is not assembled from kept texts after one of its objects has changed, but is correct', async () => {
  const query = 'pretty=true&fieldManager=x';
  await thrice('plain', 'application/json', query);
  await server
    .client()
    .resource(ConfigMap)
    .namespace('plain')
    .patch('m3', { data: { text: 'changed' } });
  const { texts } = await thrice('plain', 'application/json', query);
  for (const text of texts) expect(text).toContain('changed');
});
