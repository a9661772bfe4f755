/** The annotations that policies and webhooks add to the events of a request. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { webhook, type WebhookDefinition } from '../../../src/entries/index.js';
import {
  FlowSchema,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../../src/entries/kinds.js';
import {
  CertificateAuthority,
  encodePem,
  encodePrivateKey,
  encodePublicKey,
  ExtendedKeyUsage,
  generateKeyPair,
} from '../../../src/security/pki/index.js';
import { nodeHttpClient } from '../../../src/transport/node/index.js';
import { ask, textOf } from '../../server/ask.js';
import { auditWorld, EVERYTHING, type AuditWorld } from './audit-world.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const RULE = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };

let world: AuditWorld;
afterEach(() => world.close());

/** The annotations of the last event, without those of authorization. */
async function annotationsOf(method: string, path: string, body: object): Promise<Record<string, string>> {
  await world.taken();
  await ask(world.server, method, path, { body: JSON.stringify(body) });
  const { annotations = {} } = (await world.taken()).at(-1) ?? {};
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith('authorization.')));
}

test('a policy: the failures of the action Audit, and its own annotations', async () => {
  world = await auditWorld();
  await world.client.resource(ValidatingAdmissionPolicy).create({
    metadata: { name: 'small' },
    spec: {
      matchConstraints: { resourceRules: [RULE] },
      validations: [
        { expression: 'true' },
        { expression: '!has(object.data)', messageExpression: "'has ' + string(object.data.size()) + ' keys'" },
      ],
      auditAnnotations: [{ key: 'size', valueExpression: "has(object.data) ? string(object.data.size()) : ''" }],
    },
  });
  await world.client.resource(ValidatingAdmissionPolicyBinding).create({
    metadata: { name: 'watched' },
    spec: { policyName: 'small', validationActions: ['Audit', 'Warn'] },
  });
  expect(await annotationsOf('POST', MAPS, { metadata: { name: 'a' }, data: { a: '1' } })).toEqual({
    'small/size': '1',
    'validation.policy.admission.k8s.io/validation_failure': JSON.stringify([
      {
        ...{ message: 'has 1 keys', policy: 'small', binding: 'watched', expressionIndex: 1 },
        validationActions: ['Audit', 'Warn'],
      },
    ]),
  });
  expect(await annotationsOf('POST', MAPS, { metadata: { name: 'b' } })).toEqual({});
});

describe('a mutating webhook', () => {
  const patch = [{ op: 'add' as const, path: '/data', value: { a: 'x' } }];
  const hook = (name: string, more: Partial<WebhookDefinition> = {}) =>
    webhook({ name, phase: 'Mutating', rules: [RULE], handler: () => ({ allowed: true, patch }), ...more });
  const mutation = (webhookName: string, mutated: boolean) =>
    JSON.stringify({ configuration: 'in-process', webhook: webhookName, mutated });

  test('its call, its patch as it was written, and a failure that was ignored', async () => {
    world = await auditWorld(EVERYTHING, {
      observability: { logger: { info: () => undefined, error: () => undefined } },
      admission: {
        plugins: [
          hook('a.example.com'),
          hook('b.example.com', {
            failurePolicy: 'Ignore',
            handler: () => {
              throw new Error('broken');
            },
          }),
        ],
      },
    });
    const prefix = 'webhook.admission.k8s.io/round_0_index_';
    expect(await annotationsOf('POST', MAPS, { metadata: { name: 'a' } })).toEqual({
      [`mutation.${prefix}0`]: mutation('a.example.com', true),
      [`patch.${prefix}0`]: JSON.stringify({
        ...{ configuration: 'in-process', webhook: 'a.example.com' },
        ...{ patch, patchType: 'JSONPatch' },
      }),
      [`mutation.${prefix}1`]: mutation('b.example.com', false),
      [`failed-open.mutation.${prefix}1`]: 'b.example.com',
    });
  });

  test('its patch only from level Request', async () => {
    world = await auditWorld({ rules: [{ level: 'Metadata' }] }, { admission: { plugins: [hook('a.example.com')] } });
    expect(await annotationsOf('POST', MAPS, { metadata: { name: 'a' } })).toEqual({
      'mutation.webhook.admission.k8s.io/round_0_index_0': mutation('a.example.com', true),
    });
  });
});

test('many annotations of a webhook are all recorded, in order', async () => {
  const names = Array.from({ length: 3_000 }, (_, index) => `é${index}`);
  const given = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
  const plugin = webhook({
    ...{ name: 'a.example.com', rules: [RULE] },
    handler: () => ({ allowed: true, auditAnnotations: given }),
  });
  world = await auditWorld(EVERYTHING, { admission: { plugins: [plugin] } });
  const annotations = await annotationsOf('POST', MAPS, { metadata: { name: 'a' } });
  expect(Object.keys(annotations)).toEqual(names.map((name) => `a.example.com/${name}`).sort());
  for (const name of names) expect(annotations[`a.example.com/${name}`]).toBe(`value of ${name}`);
});

test('a deprecated version says when it will be removed', async () => {
  world = await auditWorld(EVERYTHING, { runtimeConfig: 'flowcontrol.apiserver.k8s.io/v1beta3=true' });
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas';
  const spec = { priorityLevelConfiguration: { name: 'exempt' } };
  expect(await annotationsOf('POST', path, { metadata: { name: 'a' }, spec })).toEqual({
    'k8s.io/deprecated': 'true',
    'k8s.io/removed-release': '1.32',
  });
  expect(FlowSchema.version).toBe('v1');
});

test('a webhook whose certificate has no alternative name cannot be called, and the event says why', async () => {
  const notBefore = Date.now() - 3600_000;
  const times = { notBefore, notAfter: notBefore + 7200_000 };
  const authority = await CertificateAuthority.create({ commonName: 'root', ...times });
  const keys = await generateKeyPair();
  const certificate = await authority.issue({
    ...{ subject: { commonName: 'localhost' }, extendedKeyUsages: [ExtendedKeyUsage.serverAuth], ...times },
    publicKey: await encodePublicKey(keys.publicKey),
  });
  const tls = { cert: encodePem('CERTIFICATE', certificate), key: await encodePrivateKey(keys.privateKey) };
  const server = createServer(tls, (_request, response) => void response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const http = nodeHttpClient();
  onTestFinished(() => {
    http.close();
    server.close();
  });
  world = await auditWorld(EVERYTHING, { network: { httpClient: http } });
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
  const caBundle = Buffer.from(authority.certificatePem).toString('base64');
  await world.client.resource(ValidatingWebhookConfiguration).create({
    metadata: { name: 'hooks' },
    webhooks: [
      {
        ...{ name: 'a.example.com', rules: [RULE], sideEffects: 'None', admissionReviewVersions: ['v1'] },
        clientConfig: { url, caBundle },
      },
    ],
  });
  expect(await annotationsOf('POST', MAPS, { metadata: { name: 'a' } })).toEqual({
    'missing-san.invalid-cert.kubernetes.io/localhost':
      'relies on a legacy Common Name field instead of the SAN extension for subject validation',
  });
  const answer = await ask(world.server, 'POST', MAPS, { body: '{"metadata":{"name":"a"}}' });
  const metrics = textOf(await ask(world.server, 'GET', '/metrics'));
  expect(metrics).toContain('\napiserver_webhooks_x509_missing_san_total 2\n');
  expect(metrics).toContain('\napiserver_webhooks_x509_insecure_sha1_total 0\n');
  expect(String(answer.body)).toContain(
    'tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, use SANs instead',
  );
});
