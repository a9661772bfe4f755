/** `--webhook-service` and `--enable-aggregator-routing`, of `serve` and `test-server`. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/cli/run.js';
import { createServingCertificate } from '../../src/transport/node/index.js';
import { http1Fetch } from '../transport/support/node-fetch.js';
import { asOwner, plain, ServingTests, stop, today, type Serving } from './serving.js';

const tests = new ServingTests();

/** Starts a webhook that refuses everything, with a certificate for the service `hooks` in `default`. */
async function refusingHook(): Promise<{ readonly url: string; readonly caBundle: string }> {
  const certificate = await createServingCertificate({ names: ['hooks.default.svc'], addresses: [] });
  const server = createServer({ key: certificate.keyPem, cert: certificate.certPem }, (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const review = JSON.parse(text) as { readonly request: { readonly uid: string } };
      const status = { message: `refused at ${request.url}` };
      response.end(JSON.stringify({ ...review, response: { uid: review.request.uid, allowed: false, status } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, caBundle: Buffer.from(certificate.caPem).toString('base64') };
}

const configuration = (caBundle: string): object => ({
  metadata: { name: 'hooks' },
  webhooks: [
    {
      ...{ name: 'a.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'] },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      clientConfig: { service: { namespace: 'default', name: 'hooks', path: '/check' }, caBundle },
    },
  ],
});
const CONFIGURATIONS = '/validatingwebhookconfigurations';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

const configured = async (serving: Serving, caBundle: string): Promise<void> => {
  await asOwner(serving, 'POST', `/apis/admissionregistration.orch.io/v1${CONFIGURATIONS}`, configuration(caBundle));
};
const creating = (serving: Serving): Promise<unknown> =>
  asOwner(serving, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } });

it('serve requests a webhook where the flag says that its service is', async () => {
  const { url, caBundle } = await refusingHook();
  const serving = await tests.start([...plain, `--webhook-service=default/hooks=${url}`]);
  await configured(serving, caBundle);
  await expect(creating(serving)).rejects.toThrow('denied the request: refused at /check?timeout=10s');
});

it('the flag may be for one port of a service, and be repeated', async () => {
  const { url, caBundle } = await refusingHook();
  const words = [
    '--webhook-service=default/hooks:444=https://127.0.0.1:1',
    '--webhook-service',
    `default/hooks:443=${url}`,
  ];
  const serving = await tests.start([...plain, ...words]);
  await configured(serving, caBundle);
  await expect(creating(serving)).rejects.toThrow('denied the request: refused at /check');
});

it.each([
  ['--enable-aggregator-routing=true', 'endpoints \\"hooks\\" not found'],
  ['--enable-aggregator-routing=false', 'cannot route to service with ClusterIP \\"None\\"'],
])('%s selects the address of a service', async (word, message) => {
  const serving = await tests.start([...plain, word]);
  await configured(serving, '');
  await asOwner(serving, 'POST', '/api/v1/namespaces/default/services', {
    metadata: { name: 'hooks' },
    spec: { clusterIP: 'None', ports: [{ port: 443 }] },
  });
  await expect(creating(serving)).rejects.toThrow(message);
});

it.each(['hooks=https://127.0.0.1', 'Default/hooks=https://a', 'default/hooks', 'default/hooks:x=https://a'])(
  '%s is refused',
  async (value) => {
    await expect(tests.start([...plain, '--webhook-service', value])).rejects.toThrow(
      'must be NAMESPACE/NAME=URL or NAMESPACE/NAME:PORT=URL',
    );
  },
);

it.each(['default/hooks=http://127.0.0.1', 'default/hooks=127.0.0.1:9443'])('%s is refused', async (value) => {
  await expect(tests.start([...plain, '--webhook-service', value])).rejects.toThrow(
    'the address must start with https://',
  );
});

it('test-server has the same flags', async () => {
  const { url, caBundle } = await refusingHook();
  const host = today();
  const ended = run(['test-server', '--output=json', `--webhook-service=default/hooks=${url}`], host);
  await host.logged('serving');
  onTestFinished(async () => void (await stop({ host, ended })));
  const server = JSON.parse(host.out()) as Record<'url' | 'token' | 'certificateAuthority', string>;
  const send = http1Fetch({ ca: server.certificateAuthority });
  onTestFinished(() => send.close());
  const post = async (path: string, body: object): Promise<string> => {
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
    return (await send(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).text();
  };
  await post(`/apis/admissionregistration.k8s.io/v1${CONFIGURATIONS}`, configuration(caBundle));
  expect(await post(CONFIG_MAPS, { metadata: { name: 'a' } })).toContain('refused at /check');
});
