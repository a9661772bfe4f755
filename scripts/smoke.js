/**
 * A smoke test of the installed package, for every runtime that it supports: run it from a folder that has the package.
 *
 *     node smoke.js
 */
import { strict as assert } from 'node:assert';
import { ApiServer, ConfigMap } from 'orch-apiserver';
import { listen } from 'orch-apiserver/node';

const server = new ApiServer({
  authentication: { tokens: [{ token: 'secret', user: { username: 'ops', groups: ['system:masters'] } }] },
});
const configMaps = server.client().resource(ConfigMap).namespace('default');

const created = await configMaps.create({ metadata: { name: 'first' }, data: { colour: 'blue' } });
assert.match(created.metadata.resourceVersion ?? '', /^\d+$/);
assert.deepEqual((await configMaps.get('first')).data, { colour: 'blue' });

const events = configMaps.watch({ resourceVersion: created.metadata.resourceVersion })[Symbol.asyncIterator]();
const next = events.next();
await configMaps.create({ metadata: { name: 'second' } });
const { value: event } = await next;
assert.deepEqual([event.type, event.object.metadata.name], ['ADDED', 'second']);
await events.return?.();

const listener = await listen(server, { host: '127.0.0.1', port: 0 });
const answer = await fetch(`${listener.url}/api/v1/namespaces/default/configmaps/first`, {
  headers: { authorization: 'Bearer secret' },
});
assert.equal(answer.status, 200);
assert.equal((await answer.json()).data.colour, 'blue');
await listener.close();
await server.close();

const { bun, deno, node } = process.versions;
console.log(bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node ${node}`);
