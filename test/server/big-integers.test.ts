/** Integers of 64 bits that a double does not hold exactly, by every way in and out. */
import { parseDocument } from 'yaml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEvent } from '../../src/security/audit/index.js';
import { webhook } from '../../src/entries/index.js';
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../src/kinds/builtin/index.js';
import type { InputOf } from '../../src/registry/definition/definition.js';
import type { CustomResourceConversion } from '../../src/kinds/builtin/apiextensions/types.js';
import { openSqliteStorage } from '../../src/storage/sqlite/index.js';
import { jsonText, jsonValue } from '../../src/foundation/json/json-text.js';
import type { JsonObject, JsonValue } from '../../src/foundation/json/json.js';
import { kubernetes } from '../../src/foundation/index.js';
import type { JsonSchemaProps } from '../../src/machinery/schema/openapi/json-schema.js';
import { createManualClock, startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, textOf, type Asked } from './ask.js';

const TEXT = '3546343826724305832';
const BIG = 3546343826724305832n;
const NEXT = 3546343826724305833n;
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

const properties: Record<string, JsonSchemaProps> = {
  count: { type: 'integer', format: 'int64' },
  plain: { type: 'integer' },
  ratio: { type: 'number' },
  port: { 'x-kubernetes-int-or-string': true },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  given: { type: 'integer', default: BIG },
  one: { type: 'integer', enum: [BIG, 7] },
  least: { type: 'integer', minimum: 3546343826724305920 },
  most: { type: 'integer', maximum: 3546343826724305920 },
  even: { type: 'integer', multipleOf: 2 },
  unique: { type: 'array', items: { type: 'integer' }, uniqueItems: false },
  set: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
  map: {
    type: 'array',
    items: {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer', format: 'int64' }, text: { type: 'string' } },
    },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['id'],
  },
  ruled: {
    type: 'integer',
    'x-kubernetes-validations': [{ rule: 'self == 3546343826724305832 && self < 3546343826724305833' }],
  },
};

let running: TestServer;

const send = async (method: string, path: string, body?: string | Uint8Array, headers: Asked['headers'] = {}) => {
  const answer = await ask(running.server, method, path, { ...(body === undefined ? {} : { body }), headers });
  const text = textOf(answer);
  return { status: answer.status, text, body: jsonValue(text) as JsonObject & { spec?: JsonObject; message?: string } };
};

const sendAs = (type: string, method: string, path: string, body: string) =>
  send(method, path, body, { 'content-type': type });

beforeEach(async () => {
  running = await startTestServer({
    dialect: kubernetes,
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  await running.client.resource(CustomResourceDefinition).create({
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
          },
          selectableFields: [{ jsonPath: '.spec.count' }],
          additionalPrinterColumns: [
            { name: 'Count', type: 'integer', jsonPath: '.spec.count' },
            { name: 'Text', type: 'string', jsonPath: '.spec.count' },
            { name: 'Free', type: 'string', jsonPath: '.spec.free' },
            { name: 'Ratio', type: 'number', jsonPath: '.spec.count' },
          ],
        },
      ],
    },
  });
  await running.settled();
});
afterEach(() => running.close());

const widget = (name: string, spec: string): string =>
  `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":${spec}}`;

/** Creates a widget, and returns its spec as it is read afterwards. */
async function stored(spec: string): Promise<JsonObject> {
  const created = await send('POST', WIDGETS, widget('a', spec));
  expect([created.status, created.body.message]).toEqual([201, undefined]);
  return specOf('a');
}

async function specOf(name: string): Promise<JsonObject> {
  const { given, ...spec } = (await send('GET', `${WIDGETS}/${name}`)).body.spec ?? {};
  expect(given).toBe(BIG);
  return spec;
}

describe('a custom resource', () => {
  test('keeps the integers of a POST', async () => {
    const spec = `{"count":${TEXT},"free":{"a":[${TEXT},{"b":-${TEXT}}]},"plain":9007199254740993}`;
    const created = await send('POST', WIDGETS, widget('a', spec));
    expect(created.status).toBe(201);
    const { body, text } = await send('GET', `${WIDGETS}/a`);
    expect(text).toContain(`"free":{"a":[${TEXT},{"b":-${TEXT}}]}`);
    expect(body.spec).toEqual({ count: BIG, free: { a: [BIG, { b: -BIG }] }, plain: 9007199254740993n, given: BIG });
    expect(created.text).toBe(text);
  });

  test.each([
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9007199254740991', 9007199254740991],
    ['9223372036854775808', 9223372036854775808],
    ['18446744073709551615', 18446744073709551616],
    ['1e18', 1000000000000000000n],
  ])('reads %s as %s in a part without types', async (text, value) => {
    expect(await stored(`{"free":{"a":${text},"b":{"c":[${text}]}}}`)).toEqual({
      free: { a: value, b: { c: [value] } },
    });
    const read = await running.client
      .resource({ apiVersion: 'example.com/v1', kind: 'Widget' })
      .namespace('default')
      .get('a');
    expect((read['spec'] as JsonObject)['free']).toEqual({ a: value, b: { c: [value] } });
  });

  test('rounds an integer in a field of numbers only in expressions and columns', async () => {
    expect(await stored(`{"ratio":${TEXT},"port":${TEXT}}`)).toEqual({ ratio: BIG, port: BIG });
  });

  test.each([
    [JSON_PATCH, `[{"op":"add","path":"/spec/count","value":${NEXT}}]`],
    [
      JSON_PATCH,
      `[{"op":"test","path":"/spec/count","value":${TEXT}},{"op":"replace","path":"/spec/count","value":${NEXT}}]`,
    ],
    [MERGE, `{"spec":{"count":${NEXT}}}`],
    [APPLY, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"count":${NEXT}}}`],
    [APPLY, `apiVersion: example.com/v1\nkind: Widget\nmetadata: { name: a }\nspec:\n  count: ${NEXT}\n`],
  ])('keeps the integers of a patch of type %s', async (type, patch) => {
    await stored(`{"count":${TEXT},"free":{"a":${TEXT}}}`);
    const { status, body } = await sendAs(
      type,
      'PATCH',
      `${WIDGETS}/a${type === APPLY ? '?fieldManager=me&force=true' : ''}`,
      patch,
    );
    expect([status, body.message]).toEqual([200, undefined]);
    expect(await specOf('a')).toEqual({ count: NEXT, free: { a: BIG } });
  });

  test('fails a test of a JSON Patch for the next integer', async () => {
    await stored(`{"count":${TEXT}}`);
    const { status } = await sendAs(
      JSON_PATCH,
      'PATCH',
      `${WIDGETS}/a`,
      `[{"op":"test","path":"/spec/count","value":${NEXT}}]`,
    );
    expect(status).toBe(422);
  });

  test('is replaced by a PUT, whose generation counts a change of the last digit', async () => {
    await stored(`{"count":${TEXT}}`);
    const same = await send('PUT', `${WIDGETS}/a`, widget('a', `{"count":${TEXT}}`));
    const other = await send('PUT', `${WIDGETS}/a`, widget('a', `{"count":${NEXT}}`));
    expect([same, other].map(({ body }) => (body['metadata'] as JsonObject)['generation'])).toEqual([1, 2]);
    expect(await specOf('a')).toEqual({ count: NEXT });
  });

  test('can be sent and read as YAML', async () => {
    const body = `apiVersion: example.com/v1\nkind: Widget\nmetadata: { name: a }\nspec: { count: ${TEXT}, free: { a: ${NEXT}, b: "${TEXT}" } }\n`;
    expect((await sendAs('application/yaml', 'POST', WIDGETS, body)).status).toBe(201);
    expect(await specOf('a')).toEqual({ count: BIG, free: { a: NEXT, b: TEXT } });
    const text = textOf(await ask(running.server, 'GET', `${WIDGETS}/a`, { headers: { accept: 'application/yaml' } }));
    const { spec } = parseDocument(text, { intAsBigInt: true }).toJS() as { spec: unknown };
    expect(spec).toEqual({ count: BIG, free: { a: NEXT, b: TEXT }, given: BIG });
  });

  test('is indented, listed, watched and selected with its integers', async () => {
    await stored(`{"count":${TEXT}}`);
    expect((await send('GET', `${WIDGETS}/a?pretty=true`)).text).toContain(`"count": ${TEXT}`);
    expect((await send('GET', WIDGETS)).text).toContain(`"count":${TEXT}`);
    const found = async (value: bigint): Promise<number> =>
      ((await send('GET', `${WIDGETS}?fieldSelector=spec.count%3D${value}`)).body['items'] as readonly JsonValue[])
        .length;
    expect([await found(BIG), await found(NEXT)]).toEqual([1, 0]);
    const { body } = await ask(running.server, 'GET', `${WIDGETS}?watch=true&timeoutSeconds=1`);
    if (typeof body !== 'object' || !('stream' in body)) throw new Error('not a stream');
    for await (const chunk of body.stream) {
      expect(new TextDecoder().decode(chunk)).toContain(`"count":${TEXT}`);
      break;
    }
  });

  test('has its integers in the columns of a Table', async () => {
    await stored(`{"count":${TEXT},"free":{"a":${TEXT}}}`);
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    for (const path of [`${WIDGETS}/a`, WIDGETS]) {
      const { body } = await send('GET', path, undefined, { accept });
      const [row] = body['rows'] as readonly { readonly cells: readonly JsonValue[] }[];
      expect(row?.cells.slice(1, 5)).toEqual([BIG, TEXT, `{"a":${TEXT}}`, 3546343826724306000n]);
    }
  });

  test('is validated by exact bounds', async () => {
    const problems = async (spec: string): Promise<readonly unknown[]> => {
      const { body } = await send('POST', `${WIDGETS}?dryRun=All`, widget('a', spec));
      const { causes = [] } = (body['details'] ?? {}) as { causes?: readonly { field: string; message: string }[] };
      // Rules are not checked on an object that does not match its schema, which is another cause.
      return causes.filter(({ field }) => field !== '<nil>').map(({ field, message }) => `${field}: ${message}`);
    };
    expect(
      await problems('{"least":3546343826724305920,"most":3546343826724305920,"even":3546343826724305832}'),
    ).toEqual([]);
    expect(
      await problems('{"least":3546343826724305919,"most":3546343826724305921,"even":3546343826724305833}'),
    ).toEqual([
      'spec.least: Invalid value: 3546343826724305919: spec.least in body should be greater than or equal to 3546343826724305920',
      'spec.most: Invalid value: 3546343826724305921: spec.most in body should be less than or equal to 3546343826724305920',
      'spec.even: Invalid value: 3546343826724305833: spec.even in body should be a multiple of 2',
    ]);
    expect(await problems(`{"one":${TEXT}}`)).toEqual([]);
    expect(await problems(`{"one":${NEXT}}`)).toEqual([
      `spec.one: Unsupported value: ${NEXT}: supported values: "${TEXT}", "7"`,
    ]);
    expect(await problems(`{"set":[${TEXT},${NEXT}],"map":[{"id":${TEXT}},{"id":${NEXT}}]}`)).toEqual([]);
    expect(await problems(`{"set":[${TEXT},1,${TEXT}],"map":[{"id":${TEXT}},{"id":${TEXT}}]}`)).toEqual([
      `spec.set[2]: Duplicate value: ${TEXT}`,
      `spec.map[1]: Duplicate value: map[string]interface {}{"id":${TEXT}}`,
    ]);
    expect(await problems(`{"ruled":${TEXT}}`)).toEqual([]);
    expect(await problems(`{"ruled":${NEXT}}`)).toEqual([
      `spec.ruled: Invalid value: "integer": failed rule: self == ${TEXT} && self < ${NEXT}`,
    ]);
    expect(await problems('{"count":9223372036854775808}')).toEqual([
      expect.stringContaining('spec.count in body must be of type'),
    ]);
  });

  test('has owners of its items whose keys are such integers', async () => {
    const apply = (manager: string, spec: string) =>
      sendAs(APPLY, 'PATCH', `${WIDGETS}/a?fieldManager=${manager}`, widget('a', spec));
    await apply('one', `{"set":[${TEXT}],"map":[{"id":${TEXT},"text":"x"}]}`);
    const two = await apply('two', `{"set":[${NEXT}],"map":[{"id":${NEXT},"text":"y"}]}`);
    expect([two.status, two.text]).toEqual([200, expect.stringContaining(`"v:${NEXT}":{}`)]);
    expect(two.text).toContain(String.raw`"k:{\"id\":${NEXT}}":{`);
    expect(await specOf('a')).toEqual({
      set: [BIG, NEXT],
      map: [
        { id: BIG, text: 'x' },
        { id: NEXT, text: 'y' },
      ],
    });
    const conflict = await apply('two', `{"set":[${NEXT}],"map":[{"id":${TEXT},"text":"z"}]}`);
    expect([conflict.status, conflict.body.message]).toEqual([
      409,
      `Apply failed with 1 conflict: conflict with "one": .spec.map[id=${TEXT}].text`,
    ]);
    await apply('one', '{"set":[],"map":[]}');
    expect(await specOf('a')).toEqual({ set: [NEXT], map: [{ id: NEXT, text: 'y' }] });
    const { resourceVersion } = (await send('GET', `${WIDGETS}/a`)).body['metadata'] as JsonObject;
    await apply('two', `{"set":[${NEXT}],"map":[{"id":${NEXT},"text":"y"}]}`);
    expect((await send('GET', `${WIDGETS}/a`)).body['metadata']).toMatchObject({ resourceVersion });
  });

  test('is the generation of a pod, which its deletion raises', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const pod = (name: string, generation: string): string =>
      `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${name}","generation":${generation}},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`;
    for (const [name, generation, next] of [
      ['big', TEXT, NEXT],
      ['safe', '9007199254740991', 9007199254740992n],
      // As in Go, it wraps around.
      ['last', '9223372036854775807', -9223372036854775808n],
    ] as const) {
      expect((await send('POST', pods, pod(name, generation))).status).toBe(201);
      const { status, body } = await send('DELETE', `${pods}/${name}`);
      expect([status, body['metadata']]).toMatchObject([200, { generation: next, deletionGracePeriodSeconds: 30 }]);
    }
  });

  test('is a bigint for an in-process client, which may send one', async () => {
    const widgets = running.client.resource({ apiVersion: 'example.com/v1', kind: 'Widget' }).namespace('default');
    const created = await widgets.create({
      metadata: { name: 'a' },
      spec: { count: BIG, plain: 5n, free: { a: [6n, BIG] } },
    });
    expect(created['spec']).toEqual({ count: BIG, plain: 5, free: { a: [6, BIG] }, given: BIG });
    expect(await specOf('a')).toEqual({ count: BIG, plain: 5, free: { a: [6, BIG] } });
    const patched = await widgets.patch('a', { spec: { count: NEXT, plain: 8n } });
    expect(patched['spec']).toMatchObject({ count: NEXT, plain: 8 });
    const applied = await widgets.apply(
      { metadata: { name: 'a' }, spec: { count: BIG, plain: 9n } },
      { fieldManager: 'me', force: true },
    );
    expect(applied['spec']).toMatchObject({ count: BIG, plain: 9 });
    expect((await widgets.list()).items[0]?.['spec']).toMatchObject({ count: BIG, plain: 9 });
  });
});

describe('callees', () => {
  const CONVERTER = { clientConfig: { url: 'https://hooks.example.com/convert' }, conversionReviewVersions: ['v1'] };
  const converted: string[] = [];
  const hosts: string[] = [];
  const definition = (conversion?: CustomResourceConversion): InputOf<typeof CustomResourceDefinition> => ({
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      ...(conversion === undefined ? {} : { conversion }),
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === 'v1',
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  });
  const THING = `{"apiVersion":"example.com/v2","kind":"Thing","metadata":{"name":"a"},"spec":{"count":${TEXT}}}`;
  const things = (version: string): string => `/apis/example.com/${version}/namespaces/default/things`;

  /** Answers as a conversion webhook, or as a webhook that adds the next integer. */
  const answer = (text: string): string => {
    const review = jsonValue(text) as { kind: string; apiVersion: string; request: JsonObject };
    const { kind, apiVersion, request } = review;
    const { uid } = request;
    if (kind === 'ConversionReview') {
      converted.push(text);
      const convertedObjects = (request['objects'] as readonly JsonObject[]).map((object) => ({
        ...object,
        apiVersion: request['desiredAPIVersion'],
      }));
      return jsonText({ kind, apiVersion, response: { uid, convertedObjects, result: { status: 'Success' } } });
    }
    hosts.push(text);
    const patch = Buffer.from(`[{"op":"add","path":"/spec/next","value":${NEXT}}]`).toString('base64');
    return jsonText({ kind, apiVersion, response: { uid, allowed: true, patch, patchType: 'JSONPatch' } });
  };

  const restart = async (options: Parameters<typeof startTestServer>[0]): Promise<void> => {
    await running.close();
    running = await startTestServer({
      dialect: kubernetes,
      authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
      network: {
        httpClient: ({ body }) =>
          Promise.resolve({
            status: 200,
            header: () => 'application/json',
            body: new TextEncoder().encode(answer(body ?? '')),
          }),
      },
      ...options,
    });
  };
  beforeEach(() => void converted.splice(0));
  beforeEach(() => void hosts.splice(0));

  test('convert objects of several versions', async () => {
    await restart({});
    await running.client
      .resource(CustomResourceDefinition)
      .create(definition({ strategy: 'Webhook', webhook: CONVERTER }));
    await running.settled();
    expect((await send('POST', things('v2'), THING)).status).toBe(201);
    for (const version of ['v1', 'v2'])
      expect((await send('GET', `${things(version)}/a`)).body.spec).toEqual({ count: BIG });
    expect(converted.length).toBeGreaterThan(0);
    expect(converted.every((text) => text.includes(`"count":${TEXT}`))).toBe(true);
  });

  test('convert objects in a function of the process', async () => {
    const conversionWebhooks = {
      'things.example.com': (objects: readonly JsonObject[], apiVersion: string) =>
        objects.map((object) => ({ ...object, apiVersion })),
    };
    await restart({ conversionWebhooks });
    await running.client
      .resource(CustomResourceDefinition)
      .create(definition({ strategy: 'Webhook', webhook: CONVERTER }));
    await running.settled();
    await send('POST', things('v2'), THING);
    expect((await send('GET', `${things('v1')}/a`)).body.spec).toEqual({ count: BIG });
  });

  const rules = [{ operations: ['*'], apiGroups: ['example.com'], apiVersions: ['*'], resources: ['things'] }];

  test('change objects on admission, and the audit log has all of it', async () => {
    const events: AuditEvent[] = [];
    await restart({
      observability: {
        audit: { policy: { rules: [{ level: 'RequestResponse' }] }, sink: (batch) => void events.push(...batch) },
      },
    });
    await running.client.resource(CustomResourceDefinition).create(definition());
    const clientConfig = { url: 'https://hooks.example.com/mutate' };
    const hook = { name: 'a.example.com', rules, clientConfig, sideEffects: 'None', admissionReviewVersions: ['v1'] };
    await running.client.resource(MutatingWebhookConfiguration).create({ metadata: { name: 'a' }, webhooks: [hook] });
    await running.settled();
    expect((await send('POST', things('v2'), THING)).body.spec).toEqual({ count: BIG, next: NEXT });
    expect(hosts[0]).toContain(`"count":${TEXT}`);
    await running.clock.settle();
    const event = events.find(
      ({ verb, objectRef, stage }) =>
        verb === 'create' && objectRef?.resource === 'things' && stage === 'ResponseComplete',
    );
    expect([event?.requestObject, event?.responseObject]).toEqual([
      expect.objectContaining({ spec: { count: BIG } }),
      expect.objectContaining({ spec: { count: BIG, next: NEXT } }),
    ]);
  });

  test('are functions that see and set such integers', async () => {
    const seen: unknown[] = [];
    const add = webhook({
      name: 'a.example.com',
      phase: 'Mutating',
      rules,
      handler: ({ object }) => {
        seen.push(object?.['spec']);
        return { allowed: true, patch: [{ op: 'add', path: '/spec/next', value: NEXT }] };
      },
    });
    await restart({ admission: { plugins: [add] } });
    await running.client.resource(CustomResourceDefinition).create(definition());
    await running.settled();
    expect((await send('POST', things('v2'), THING)).body.spec).toEqual({ count: BIG, next: NEXT });
    expect(seen[0]).toEqual({ count: BIG });
  });

  test('are policies that compare them', async () => {
    await restart({});
    await running.client.resource(CustomResourceDefinition).create(definition());
    const { client } = running;
    await client.resource(ValidatingAdmissionPolicy).create({
      metadata: { name: 'a' },
      spec: {
        matchConstraints: { resourceRules: rules },
        validations: [{ expression: `object.spec.count == ${TEXT} && type(object.spec.count) == int` }],
      },
    });
    await client
      .resource(ValidatingAdmissionPolicyBinding)
      .create({ metadata: { name: 'a' }, spec: { policyName: 'a', validationActions: ['Deny'] } });
    await running.settled();
    expect((await send('POST', things('v2'), THING.replace(TEXT, String(NEXT)))).status).toBe(422);
    expect((await send('POST', things('v2'), THING)).status).toBe(201);
  });

  test('have them from a file, after a restart', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'integers-'));
    try {
      const open = async () =>
        restart({
          storage: await openSqliteStorage({ path: join(directory, 'store.db'), clock: createManualClock() }),
        });
      await open();
      await running.client.resource(CustomResourceDefinition).create(definition());
      await running.settled();
      await send('POST', things('v1'), THING.replace('v2', 'v1'));
      await running.close();
      await open();
      await running.settled();
      expect((await send('GET', `${things('v1')}/a`)).body.spec).toEqual({ count: BIG });
      const kind = running.client.resource({ apiVersion: 'example.com/v1', kind: 'Thing' }).namespace('default');
      expect((await kind.get('a'))['spec']).toEqual({ count: BIG });
    } finally {
      await running.close();
      await rm(directory, { recursive: true });
    }
  });
});
