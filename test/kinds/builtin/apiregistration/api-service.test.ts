import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import { APIService } from '../../../../src/kinds/builtin/index.js';
import { startTestServer } from '../../../../src/entries/testing.js';
import { ask, jsonOf } from '../../../server/ask.js';
import {
  cells,
  changed,
  context,
  create,
  freeze,
  kubernetes,
  problems,
  subresourceStrategy,
  texts,
} from '../support.js';

beforeAll(() => APIService.prepare?.());

const SERVICE = { name: 'metrics', namespace: 'monitoring' };
const SPEC = { group: 'metrics.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 };
const manifest = (change: JsonObject): JsonObject => ({
  metadata: { name: 'v1.metrics.example.com' },
  spec: { ...SPEC, service: SERVICE, ...change },
});

test('a service has port 443 by default', () => {
  expect(create(APIService, manifest({}))).toMatchObject({ spec: { service: { ...SERVICE, port: 443 } }, status: {} });
});

test('a local version is available from the start', () => {
  const local = create(APIService, { metadata: { name: 'v1.metrics.example.com' }, spec: SPEC });
  expect(local['status']).toEqual({
    conditions: [
      {
        type: 'Available',
        status: 'True',
        lastTransitionTime: '2024-05-01T12:00:00Z',
        reason: 'Local',
        message: 'Local APIServices are always available',
      },
    ],
  });
  expect(cells(APIService, local)).toMatchObject({ Service: 'Local', Available: 'True' });
});

describe('an APIService is refused', () => {
  test.each<[string, JsonObject, string[]]>([
    [
      'without a group',
      { group: '', version: 'v2' },
      ['spec.group: Required value: only v1 may have an empty group and it better be legacy orch'],
    ],
    [
      'with priorities out of range',
      { groupPriorityMinimum: 20_001, versionPriority: 0 },
      [
        'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
        'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
      ],
    ],
    [
      'with an incomplete service',
      { service: {} },
      ['spec.service.namespace: Required value', 'spec.service.name: Required value'],
    ],
    [
      'with certificates that are not checked',
      { insecureSkipTLSVerify: true, caBundle: 'AAAA' },
      ['spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present'],
    ],
    [
      'that is local and has certificates',
      { service: null, insecureSkipTLSVerify: true, caBundle: 'AAAA' },
      [
        'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
        'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
      ],
    ],
  ])('%s', (_, change, expected) => expect(problems(APIService, manifest(change))).toEqual(expected));
});

test('the status of conditions is one of three words', () => {
  const old = create(APIService, manifest({}));
  const { validateUpdate } = subresourceStrategy(APIService, 'status');
  const status = { conditions: [{ type: 'Available', status: 'Maybe', reason: 'Late' }] };
  const object = freeze(changed(old, { status })) as typeof old;
  expect(texts(validateUpdate?.(object, old, context))).toEqual([
    'status.conditions[0].status: Unsupported value: "Maybe": supported values: "True", "False", "Unknown"',
  ]);
  expect(cells(APIService, object)).toMatchObject({ Service: 'monitoring/metrics', Available: 'Maybe (Late)' });
  expect(cells(APIService, old)).toMatchObject({ Available: 'Unknown' });
});

test('a text that names the product has the name of the dialect', () => {
  expect(problems(APIService, manifest({ group: '', version: 'v2' }), kubernetes)).toEqual([
    'spec.group: Required value: only v1 may have an empty group and it better be legacy kube',
  ]);
});

test('the name is the version and the group', async () => {
  const token = 'owner-of-the-api-services-test';
  await using running = await startTestServer({ dialect: 'kubernetes', authentication: { ownerToken: token } });
  const post = async (body: object) =>
    jsonOf(
      await ask(running.server, 'POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
        token,
        body: JSON.stringify(body),
      }),
    ) as { message?: string; metadata: object };
  expect((await post({ ...manifest({}), metadata: { name: 'other' } })).message).toBe(
    'APIService.apiregistration.k8s.io "other" is invalid: metadata.name: Invalid value: "other": must be `spec.version+"."+spec.group`: "v1.metrics.example.com"',
  );
  const created = await post(manifest({}));
  expect(created.metadata).toMatchObject({ name: 'v1.metrics.example.com' });
  expect(created.metadata).not.toHaveProperty('generation');
});
