/** `--authorization-*`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { encodeYaml } from '../../src/server/codec/index.js';
import { createFakeHost } from './fake-host.js';
import { plain, ServingTests, type Serving } from './serving.js';

const tests = new ServingTests();
const MAPS = '/api/v1/namespaces/default/configmaps';
let close: () => void;
let url = '';
const asked: string[] = [];

beforeEach(async () => {
  const service = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const review = JSON.parse(body) as { apiVersion: string; spec: { user: string } };
      asked.push(`${review.apiVersion} ${review.spec.user}`);
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ ...review, status: { allowed: review.spec.user === 'alice' } }));
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  asked.length = 0;
  close = () => {
    service.closeAllConnections();
    service.close();
  };
});
afterEach(() => close());

const tokens = (): Promise<string> => tests.file('tokens.csv', 'of-alice,alice,1\nof-bob,bob,2\n');

/** A kubeconfig for the service. */
const kubeconfig = (): Promise<string> =>
  tests.file(
    'webhook.yaml',
    encodeYaml({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      clusters: [{ name: 's', cluster: { server: url } }],
      users: [],
      contexts: [{ name: 'c', context: { cluster: 's' } }],
    }),
  );

async function status({ http }: Serving, token: string): Promise<number> {
  const answer = await fetch(http + MAPS, { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return answer.status;
}

/** The error of a start with wrong flags. */
async function refusal(words: readonly string[]): Promise<[code: number, said: string]> {
  const host = createFakeHost();
  const code = await run(
    [
      'serve',
      '--insecure-loopback-port=auto',
      '--secure-port=0',
      '--storage=memory',
      '--kubeconfig-out=',
      `--cert-dir=${tests.directory}/pki`,
      ...words,
    ],
    host,
  );
  return [
    code,
    host
      .err()
      .split('\n')
      .find((line) => line.startsWith('orch-apiserver: ')) ?? host.err(),
  ];
}

describe('--authorization-mode', () => {
  it('is RBAC by default', async () => {
    const server = await tests.start([...plain, `--token-auth-file=${await tokens()}`]);
    expect([await status(server, server.token), await status(server, 'of-alice')]).toEqual([200, 403]);
  });

  it('ABAC decides by a policy file', async () => {
    const policy = await tests.file(
      'policy.jsonl',
      '{"apiVersion":"abac.authorization.orch.io/v1beta1","kind":"Policy","spec":{"user":"bob","namespace":"*","resource":"*","apiGroup":"*","readonly":true}}\n',
    );
    const server = await tests.start([
      ...plain,
      `--token-auth-file=${await tokens()}`,
      '--authorization-mode=ABAC,RBAC',
      `--authorization-policy-file=${policy}`,
    ]);
    expect([await status(server, 'of-alice'), await status(server, 'of-bob')]).toEqual([403, 200]);
  });

  it('Webhook asks the service of a kubeconfig', async () => {
    const server = await tests.start([
      ...plain,
      `--token-auth-file=${await tokens()}`,
      '--authorization-mode=Webhook',
      `--authorization-webhook-config-file=${await kubeconfig()}`,
      '--authorization-webhook-version=v1',
    ]);
    expect([
      await status(server, 'of-alice'),
      await status(server, 'of-bob'),
      await status(server, 'of-alice'),
    ]).toEqual([200, 403, 200]);
    expect(asked).toEqual(['authorization.orch.io/v1 alice', 'authorization.orch.io/v1 bob']);
  });

  it.each([
    [['--authorization-mode=Nonsense'], 'authorization-mode "Nonsense" is not a valid mode'],
    [['--authorization-mode=ABAC'], "authorization-mode ABAC's authorization policy file not passed"],
    [['--authorization-mode=RBAC,RBAC'], 'authorization-mode ["RBAC" "RBAC"] has mode specified more than once'],
    [['--authorization-mode=Webhook'], "authorization-mode Webhook's authorization config file not passed"],
    [['--authorization-policy-file=/nowhere'], '--authorization-policy-file: open /nowhere: no such file or directory'],
  ])('%j is rejected', async (words, message) => {
    expect(await refusal(words)).toEqual([2, expect.stringContaining(message)]);
  });

  it('an invalid policy file is rejected', async () => {
    const policy = await tests.file('wrong.jsonl', '{"kind": "Polizei"}');
    expect(await refusal(['--authorization-mode=ABAC', `--authorization-policy-file=${policy}`])).toEqual([
      2,
      expect.stringContaining(`--authorization-policy-file: error reading policy file ${policy}, line 1`),
    ]);
  });
});

describe('--authorization-config', () => {
  const configuration = (...authorizers: readonly object[]): string =>
    encodeYaml({
      apiVersion: 'apiserver.config.orch.io/v1beta1',
      kind: 'AuthorizationConfiguration',
      authorizers: authorizers as never,
    });
  const RBAC = { type: 'RBAC', name: 'rbac' };
  const webhook = (kubeConfigFile: string): object => ({
    type: 'Webhook',
    name: 'asks',
    webhook: {
      timeout: '3s',
      subjectAccessReviewVersion: 'v1',
      matchConditionSubjectAccessReviewVersion: 'v1',
      failurePolicy: 'NoOpinion',
      connectionInfo: { type: 'KubeConfig', kubeConfigFile },
      matchConditions: [{ expression: 'has(request.resourceAttributes)' }],
    },
  });

  it('replaces the modes, and is reloaded when the file changes', async () => {
    const path = await tests.file('authorization.yaml', configuration(RBAC));
    const server = await tests.start([
      ...plain,
      `--token-auth-file=${await tokens()}`,
      `--authorization-config=${path}`,
    ]);
    expect(await status(server, 'of-alice')).toBe(403);
    await tests.replace(path, configuration(webhook(await kubeconfig()), RBAC));
    await server.host.logged('reloaded authorization config');
    expect([await status(server, 'of-alice'), await status(server, 'of-bob')]).toEqual([200, 403]);
    expect(asked).toHaveLength(2);
  });

  it('prevents the start if it is invalid', async () => {
    const path = await tests.file('authorization.yaml', configuration(webhook('relative'), RBAC, RBAC));
    const [code, said] = await refusal([`--authorization-config=${path}`]);
    expect([code, said]).toEqual([2, expect.stringContaining('--authorization-config: ')]);
    expect(said).toContain('kubeConfigFile');
  });

  it('conflicts with each of the other flags', async () => {
    const path = await tests.file('authorization.yaml', configuration(RBAC));
    expect(await refusal([`--authorization-config=${path}`, '--authorization-mode=RBAC'])).toEqual([
      2,
      expect.stringContaining(
        '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
      ),
    ]);
  });
});
