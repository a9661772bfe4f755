/** The bodies of many lists at once: each makes a chunk in a slice of its own, so that others are served between them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiServer, ConfigMap } from '../../src/entries/index.js';
import { isStream } from '../../src/server/requests/http.js';
import { ask } from './ask.js';

const OBJECTS = 24;
const OBJECT_BYTES = 200_000;
const LISTS = 12;
const META = 'g=meta.orch.io;v=v1';

let server: ApiServer;
beforeAll(async () => {
  server = new ApiServer({
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  const maps = server.client().resource(ConfigMap).namespace('default');
  for (let index = 0; index < OBJECTS; index += 1)
    await maps.create({
      metadata: { name: `m${index}` },
      data: { text: 'words and\nlines '.repeat(OBJECT_BYTES / 16) },
    });
});
afterAll(() => server.close());

test.each([
  ['indented JSON', 'application/json', 'pretty=true'],
  ['YAML', 'application/yaml', ''],
  // It is encoded once for its length, and again for the client.
  ['protobuf', 'application/vnd.orch.protobuf', ''],
  ['a Table with whole objects', `application/json;as=Table;${META}`, 'includeObject=Object'],
])('%s', async (_name, accept, query) => {
  let [made, most, isDone] = [0, 0, false];
  const look = (): void => {
    most = Math.max(most, made);
    made = 0;
    if (!isDone) setImmediate(look);
  };
  const read = async (): Promise<void> => {
    const target = `/api/v1/namespaces/default/configmaps?${query}`;
    const { status, body } = await ask(server, 'GET', target, { headers: { accept } });
    expect(status).toBe(200);
    if (!isStream(body)) throw new Error('not a stream');
    for await (const _chunk of body.stream) made += 1;
  };
  setImmediate(look);
  await Promise.all(Array.from({ length: LISTS }, read));
  isDone = true;
  expect(most).toBeGreaterThan(0);
  // The four chunks that were made before a response began are taken at once.
  expect(most).toBeLessThan(LISTS);
});
