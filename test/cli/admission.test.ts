/** `--admission-control-config-file`. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServingCertificate } from '../../src/transport/node/index.js';
import { asOwner, plain, ServingTests } from './serving.js';

const tests = new ServingTests();
const PODS = '/api/v1/namespaces/default/pods';

const configuration = (plugins: object): string =>
  JSON.stringify({ apiVersion: 'apiserver.config.orch.io/v1', kind: 'AdmissionConfiguration', plugins });
const podSecurity = (content: object): string =>
  JSON.stringify({
    apiVersion: 'pod-security.admission.config.orch.io/v1',
    kind: 'PodSecurityConfiguration',
    ...content,
  });
const pod = (name: string, image = 'i', securityContext = {}): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image, securityContext }] },
});
const disabled = '--disable-admission-plugins=ServiceAccount';

/** Starts a service that answers reviews, and returns a kubeconfig user for it and what it was sent. */
async function service(answer: (review: { readonly kind: string }) => object) {
  const certificate = await createServingCertificate({ names: ['localhost'], addresses: ['127.0.0.1'] });
  const authorizations: (string | undefined)[] = [];
  const server = createServer({ key: certificate.keyPem, cert: certificate.certPem }, (request, response) => {
    let text = '';
    authorizations.push(request.headers.authorization);
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => response.end(JSON.stringify(answer(JSON.parse(text) as { kind: string }))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    ...{ authorizations, port, url: `https://127.0.0.1:${port}/review` },
    caBundle: Buffer.from(certificate.caPem).toString('base64'),
  };
}

describe('the admission configuration', () => {
  it('configures a plugin by a file beside it', async () => {
    await tests.file(
      'pods.yaml',
      podSecurity({ defaults: { enforce: 'baseline' }, exemptions: { namespaces: ['free'] } }),
    );
    const path = await tests.file('admission.yaml', configuration([{ name: 'PodSecurity', path: 'pods.yaml' }]));
    const serving = await tests.start([...plain, disabled, `--admission-control-config-file=${path}`]);
    await expect(asOwner(serving, 'POST', PODS, pod('a', 'i', { privileged: true }))).rejects.toThrow(
      'violates PodSecurity',
    );
    await asOwner(serving, 'POST', '/api/v1/namespaces', { metadata: { name: 'free' } });
    await asOwner(serving, 'POST', '/api/v1/namespaces/free/pods', pod('a', 'i', { privileged: true }));
  });

  it('connects the webhook of images', async () => {
    const images = await service((review) => ({ ...review, status: { allowed: false, reason: 'too old' } }));
    const cluster = { server: images.url, 'certificate-authority-data': images.caBundle };
    const kubeConfigFile = await tests.file(
      'images.kubeconfig',
      JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
        clusters: [{ name: 'images', cluster }],
        users: [{ name: 'server', user: { token: 'secret' } }],
        contexts: [{ name: 'c', context: { cluster: 'images', user: 'server' } }],
      }),
    );
    const inline = { imagePolicy: { kubeConfigFile } };
    const path = await tests.file(
      'admission.yaml',
      configuration([{ name: 'ImagePolicyWebhook', configuration: inline }]),
    );
    const flags = ['--enable-admission-plugins=ImagePolicyWebhook', `--admission-control-config-file=${path}`];
    const serving = await tests.start([...plain, disabled, ...flags]);
    await expect(asOwner(serving, 'POST', PODS, pod('a'))).rejects.toThrow('denied one or more images: too old');
    expect(images.authorizations).toEqual(['Bearer secret']);
  });

  it('gives webhooks the credentials of their host', async () => {
    const hook = await service((review) => {
      const { request } = review as unknown as { readonly request: { readonly uid: string } };
      return { ...review, response: { uid: request.uid, allowed: true } };
    });
    const users = [
      { name: `127.0.0.1:${hook.port}`, user: { token: 'for-this-host' } },
      { name: '*', user: { token: 'for-others' } },
    ];
    const kubeConfigFile = await tests.file(
      'hooks.kubeconfig',
      JSON.stringify({ apiVersion: 'v1', kind: 'Config', users }),
    );
    const webhooks = {
      apiVersion: 'apiserver.config.orch.io/v1',
      kind: 'WebhookAdmissionConfiguration',
      kubeConfigFile,
    };
    const path = await tests.file(
      'admission.yaml',
      configuration([{ name: 'ValidatingAdmissionWebhook', configuration: webhooks }]),
    );
    const serving = await tests.start([...plain, `--admission-control-config-file=${path}`]);
    const registration = '/apis/admissionregistration.orch.io/v1';
    const stored = {
      ...{ name: 'a.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'] },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      clientConfig: { url: hook.url, caBundle: hook.caBundle },
    };
    for (const kind of ['validating', 'mutating'])
      await asOwner(serving, 'POST', `${registration}/${kind}webhookconfigurations`, {
        ...{ metadata: { name: 'hooks' }, webhooks: [stored] },
      });
    await asOwner(serving, 'POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
    expect(hook.authorizations).toEqual([undefined, 'Bearer for-this-host']);
  });

  it.each([
    ['a file that is missing', undefined, /--admission-control-config-file: (\S+)\/admission.yaml: open \1/],
    [
      'a wrong field of a plugin',
      podSecurity({ defaults: { warn: 'strict' } }),
      /couldn't init admission plugin "PodSecurity": \S+\/pods.yaml: defaults.warn: Invalid value: "strict"/,
    ],
  ])('is refused at the start: %s', async (_title, content, expected) => {
    if (content !== undefined) {
      await tests.file('pods.yaml', content);
      await tests.file('admission.yaml', configuration([{ name: 'PodSecurity', path: 'pods.yaml' }]));
    }
    const path = `${tests.directory}/admission.yaml`;
    await expect(tests.start([...plain, `--admission-control-config-file=${path}`])).rejects.toThrow(expected);
  });

  it.each(['EventRateLimit', 'ImagePolicyWebhook'])('is needed by %s', async (name) => {
    await expect(tests.start([...plain, `--enable-admission-plugins=${name}`])).rejects.toThrow(
      `the plugin ${name} needs its configuration in the file of --admission-control-config-file`,
    );
  });
});
