import { expect, test } from 'vitest';
import { CustomResourceDefinition } from '../../../src/entries/kinds.js';
import { nodeHttpClient } from '../../../src/transport/node/index.js';
import { byWebhook, convertedHost, host, hostDefinition, HOSTS, hostsPath } from '../../kinds/custom/hosts.js';
import { world } from '../../server/custom/world.js';
import { certificatesIn, serve } from './support.js';

/** Waits until the definition has the authority of its webhook, and the server has taken it over. */
async function trusted({ test: of }: Awaited<ReturnType<typeof world>>): Promise<void> {
  await of.client
    .resource(CustomResourceDefinition)
    .waitFor(HOSTS, (hosts) => certificatesIn(hosts?.spec.conversion?.webhook?.clientConfig?.caBundle).length === 1);
  await of.settled();
}

test.each(['v1', 'v1beta1'])('conversions that are served convert between versions: reviews in %s', async (version) => {
  await using of = await world({ network: { httpClient: nodeHttpClient() } });
  await using hooks = await serve({
    conversions: { [HOSTS]: (objects, apiVersion) => objects.map((object) => convertedHost(object, apiVersion)) },
    client: of.test.client,
    configurations: { definitions: [HOSTS] },
  });
  await of.define(hostDefinition(byWebhook({ url: `${hooks.url}/conversion/${HOSTS}` }, [version])));
  await trusted(of);
  expect((await of.send('POST', hostsPath('v1beta1'), host('v1beta1', 'a', 'one'))).status).toBe(201);
  expect((await of.get(hostsPath('v1', 'a'))).body).toMatchObject({ spec: { hostname: 'one' } });
  expect((await of.get(hostsPath('v1beta1', 'a'))).body).toMatchObject({ spec: { host: 'one' } });
});

test('a conversion that throws is the reason of the failed request, and is reported', async () => {
  const reported: unknown[] = [];
  const broken = new Error('no such host');
  await using of = await world({ network: { httpClient: nodeHttpClient() } });
  await using hooks = await serve({
    conversions: {
      [HOSTS]: () => {
        throw broken;
      },
    },
    client: of.test.client,
    configurations: { definitions: [HOSTS] },
    onError: (error) => reported.push(error),
  });
  await of.define(hostDefinition(byWebhook({ url: `${hooks.url}/conversion/${HOSTS}` })));
  await trusted(of);
  expect(await of.send('POST', hostsPath('v1beta1'), host('v1beta1', 'a', 'one'))).toMatchObject({
    status: 500,
    body: { message: 'conversion webhook for example.com/v1beta1, Kind=Host failed: no such host' },
  });
  expect(reported).toEqual([broken]);
});
