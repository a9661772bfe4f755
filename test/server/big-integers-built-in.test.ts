/** Integers of 64 bits that a double does not hold exactly, in objects of built-in kinds and what controllers make of them. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ControllerRevision,
  DaemonSet,
  Deployment,
  Job,
  Pod,
  ReplicaSet,
  StatefulSet,
} from '../../src/kinds/builtin/index.js';
import { jsonValue } from '../../src/foundation/json/json-text.js';
import type { JsonObject } from '../../src/foundation/json/json.js';
import { kubernetes } from '../../src/foundation/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, textOf } from './ask.js';

const TEXT = '3546343826724305832';
const BIG = 3546343826724305832n;
const NEXT = 3546343826724305833n;
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
const PODS = '/api/v1/namespaces/default/pods';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

let running: TestServer;

const send = async (method: string, path: string, body?: string | Uint8Array, type = 'application/json') => {
  const answer = await ask(running.server, method, path, {
    ...(body === undefined ? {} : { body }),
    headers: { 'content-type': type },
  });
  const text = textOf(answer);
  return { status: answer.status, text, body: jsonValue(text) as JsonObject };
};

const encoded = async (path: string): Promise<Uint8Array> => {
  const { body } = await ask(running.server, 'GET', path, { headers: { accept: PROTOBUF } });
  if (!(body instanceof Uint8Array)) throw new Error('not protobuf');
  return body;
};

beforeEach(async () => {
  running = await startTestServer({
    dialect: kubernetes,
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
});
afterEach(() => running.close());

const revision = (number: string, data = `{"a":${TEXT}}`): string =>
  `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"a"},"revision":${number},"data":${data}}`;

describe('a ControllerRevision', () => {
  test('has a number and data of such integers, in JSON and in protobuf', async () => {
    expect((await send('POST', REVISIONS, revision(TEXT))).status).toBe(201);
    const { text, body } = await send('GET', `${REVISIONS}/a`);
    expect([body['revision'], body['data']]).toEqual([BIG, { a: BIG }]);
    const changed = await send('PUT', `${REVISIONS}/a`, await encoded(`${REVISIONS}/a`), PROTOBUF);
    expect([changed.status, changed.body['revision'], changed.body['data']]).toEqual([200, BIG, { a: BIG }]);
    expect(text).toContain(`"revision":${TEXT}`);
  });

  test.each([
    ['application/strategic-merge-patch+json', `{"revision":${NEXT}}`],
    ['application/merge-patch+json', `{"revision":${NEXT}}`],
    ['application/json-patch+json', `[{"op":"replace","path":"/revision","value":${NEXT}}]`],
    [
      'application/apply-patch+yaml',
      `apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: { name: a }\nrevision: ${NEXT}\n`,
    ],
  ])('is changed by a patch of type %s, and its data is not', async (type, patch) => {
    await send('POST', REVISIONS, revision(TEXT));
    const query = type.includes('apply') ? '?fieldManager=me&force=true' : '';
    const { status, body } = await send('PATCH', `${REVISIONS}/a${query}`, patch, type);
    expect([status, body['revision'], body['data']]).toEqual([200, NEXT, { a: BIG }]);
  });

  test('refuses data that differ in the last digit', async () => {
    await send('POST', REVISIONS, revision('1'));
    const { status } = await send('PUT', `${REVISIONS}/a`, revision('1', `{"a":${NEXT}}`));
    expect(status).toBe(422);
  });

  test.each([
    ['9223372036854775808', 'number 9223372036854775808'],
    ['1e18', 'number 1e18'],
    ['3546343826724305832.0', 'number 3546343826724305832.0'],
  ])('is refused with the number %s', async (number, shown) => {
    const { status, body } = await send('POST', REVISIONS, revision(number));
    expect([status, body['message']]).toEqual([
      400,
      `ControllerRevision in version "v1" cannot be handled as a ControllerRevision: json: cannot unmarshal ${shown} into Go struct field ControllerRevision.revision of type int64`,
    ]);
  });

  test('is refused with a negative number, which the error shows', async () => {
    const { body } = await send('POST', REVISIONS, revision(`-${TEXT}`));
    expect(body['message']).toContain(`revision: Invalid value: -${TEXT}: must be greater than or equal to 0`);
  });
});

test('a field of 32 bits refuses such an integer with its digits', async () => {
  const body = `{"metadata":{"name":"a"},"spec":{"priority":${TEXT},"containers":[]}}`;
  expect((await send('POST', PODS, body)).body['message']).toContain(
    `json: cannot unmarshal number ${TEXT} into Go struct field PodSpec.spec.priority of type int32`,
  );
});

test('a quantity is such an integer', async () => {
  const limits = `{"limits":{"memory":${TEXT}}}`;
  const body = `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"a","resources":${limits}}]}}`;
  expect((await send('POST', PODS, body)).text).toContain(`"memory":"${TEXT}"`);
});

test('a user of a container that is out of range is shown as it is', async () => {
  const body = `{"metadata":{"name":"a"},"spec":{"securityContext":{"runAsUser":${TEXT}},"containers":[{"name":"a","image":"a"}]}}`;
  expect((await send('POST', PODS, body)).body['message']).toContain(
    `spec.securityContext.runAsUser: Invalid value: ${TEXT}: must be between 0 and 2147483647, inclusive`,
  );
});

test('a grace period wraps around as in Go', async () => {
  const body = `{"metadata":{"name":"a"},"spec":{"nodeName":"n","containers":[{"name":"a","image":"a"}]}}`;
  await send('POST', PODS, body);
  const { status, body: deleted } = await send('DELETE', `${PODS}/a`, `{"gracePeriodSeconds":${TEXT}}`);
  expect([status, deleted['metadata']]).toEqual([
    200,
    expect.objectContaining({ deletionGracePeriodSeconds: BIG, deletionTimestamp: expect.stringMatching(/^\d{4}-/) }),
  ]);
});

describe('controllers', () => {
  const template = (image: string) => ({
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image }] },
  });
  const selector = { matchLabels: { app: 'web' } };
  const ANNOTATION = 'deployment.kubernetes.io/revision';

  test('a Deployment gives its new replica set the revision after that of an old one', async () => {
    const { client } = running;
    const sets = client.resource(ReplicaSet).namespace('default');
    await sets.create({
      metadata: { name: 'old', labels: { app: 'web' }, annotations: { [ANNOTATION]: TEXT } },
      spec: { replicas: 0, selector, template: template('old') },
    });
    const deployments = client.resource(Deployment).namespace('default');
    await deployments.create({ metadata: { name: 'web' }, spec: { replicas: 0, selector, template: template('new') } });
    await running.settled();
    expect((await deployments.get('web')).metadata.annotations?.[ANNOTATION]).toBe(String(NEXT));
    await deployments.patch('web', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'newer' }] } } },
    });
    await running.settled();
    expect((await deployments.get('web')).metadata.annotations?.[ANNOTATION]).toBe(String(NEXT + 1n));
    const annotations = (await sets.list()).items.map(({ metadata }) => metadata.annotations?.[ANNOTATION]);
    expect(annotations.sort()).toEqual([TEXT, String(NEXT), String(NEXT + 1n)]);
  });

  test.each([
    ['a StatefulSet', StatefulSet, { serviceName: 'web' }],
    ['a DaemonSet', DaemonSet, {}],
  ] as const)('%s numbers its next revision after the last one', async (_what, kind, more) => {
    const { client } = running;
    const spec = { selector, ...more };
    const sets = client.resource({ apiVersion: 'apps/v1', kind: kind.kind }).namespace('default');
    await sets.create({ metadata: { name: 'web' }, spec: { ...spec, replicas: 0, template: template('one') } });
    await running.settled();
    const revisions = client.resource(ControllerRevision).namespace('default');
    const [first] = (await revisions.list()).items;
    await revisions.patch(first?.metadata.name ?? '', [{ op: 'replace', path: '/revision', value: BIG }]);
    await sets.patch('web', { spec: { template: template('two') } });
    await running.settled();
    const numbers = async () => (await revisions.list()).items.map((item) => String(item.revision)).sort();
    expect(await numbers()).toEqual([TEXT, String(NEXT)]);
    // Back to the first template: its revision becomes the newest.
    await sets.patch('web', { spec: { template: template('one') } });
    await running.settled();
    expect(await numbers()).toEqual([String(NEXT), String(NEXT + 1n)]);
  });

  test('a Job has a deadline that wraps around as in Go', async () => {
    const { client } = running;
    const jobs = client.resource({ apiVersion: 'batch/v1', kind: Job.kind }).namespace('default');
    // In nanoseconds it wraps around to 100,000 seconds.
    const spec = {
      activeDeadlineSeconds: 2n ** 55n + 100_000n,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } },
    };
    await jobs.create({ metadata: { name: 'a' }, spec });
    await running.settled();
    const pods = (await client.resource(Pod).namespace('default').list()).items;
    expect([pods.length, (await jobs.get('a'))['spec']]).toEqual([
      1,
      expect.objectContaining({ activeDeadlineSeconds: spec.activeDeadlineSeconds }),
    ]);
  });
});
