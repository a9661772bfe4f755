import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ApiServer, ConfigMap, defineResource } from '../../src/entries/index.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { ask, jsonOf } from './ask.js';

const Widget = defineResource({
  group: 'shop.example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: () => z.object({ spec: z.object({ size: z.number().int() }).optional() }),
});
const WIDGETS = '/apis/shop.example.com/v1/namespaces/default/widgets';
const MAPS = '/api/v1/namespaces/default/configmaps';
const REVIEWS = '/apis/authentication.orch.io/v1/selfsubjectreviews';
const ACCESS = '/apis/authorization.orch.io/v1/selfsubjectaccessreviews';

let server: ApiServer;
beforeAll(async () => {
  server = new ApiServer({
    resources: [Widget],
    controllers: { disable: controllerNames },
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  await server
    .client()
    .resource(ConfigMap)
    .namespace('default')
    .create({ metadata: { name: 'one' }, data: { k: 'v' } });
});
afterAll(() => server.close());

const send = async (method: string, path: string, type: string, body: string): Promise<readonly [number, unknown]> => {
  const answer = await ask(server, method, path, { headers: { 'content-type': type }, body });
  return [answer.status, jsonOf(answer)['message']];
};

const JSON_TYPE = 'application/json';
const YAML = 'application/yaml';
const unnamed = (kind: string): string =>
  `${kind} "" is invalid: metadata.name: Required value: name or generateName is required`;
const unrecognized = (kind: string, cause: string, shown: string): string =>
  `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${cause} (${shown})`;
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

describe('the body of a POST', () => {
  it.each([
    ['null', JSON_TYPE, 422, unnamed('ConfigMap')],
    [' null\n', JSON_TYPE, 422, unnamed('ConfigMap')],
    ['{}', JSON_TYPE, 422, unnamed('ConfigMap')],
    ['null', YAML, 422, unnamed('ConfigMap')],
    ['~', YAML, 422, unnamed('ConfigMap')],
    ['', YAML, 422, unnamed('ConfigMap')],
    ['# nothing\n', YAML, 422, unnamed('ConfigMap')],
    ['{}', YAML, 422, unnamed('ConfigMap')],
    ['', JSON_TYPE, 400, unrecognized('ConfigMap', 'unexpected end of JSON input', '<empty>')],
    ['  ', JSON_TYPE, 400, unrecognized('ConfigMap', 'unexpected end of JSON input', '2020')],
    [
      '[]',
      JSON_TYPE,
      400,
      unrecognized('ConfigMap', `json: cannot unmarshal array into Go value of type ${TYPE_META}`, '5b5d'),
    ],
    [
      '"x"',
      JSON_TYPE,
      400,
      unrecognized('ConfigMap', `json: cannot unmarshal string into Go value of type ${TYPE_META}`, '227822'),
    ],
    [
      '7',
      JSON_TYPE,
      400,
      unrecognized('ConfigMap', `json: cannot unmarshal number into Go value of type ${TYPE_META}`, '37'),
    ],
    [
      'true',
      JSON_TYPE,
      400,
      unrecognized('ConfigMap', `json: cannot unmarshal bool into Go value of type ${TYPE_META}`, '74727565'),
    ],
    [
      '- a',
      YAML,
      400,
      unrecognized('ConfigMap', `json: cannot unmarshal array into Go value of type ${TYPE_META}`, '2d2061'),
    ],
    [
      '{"kind":5}',
      JSON_TYPE,
      400,
      unrecognized(
        'ConfigMap',
        'json: cannot unmarshal number into Go struct field .kind of type string',
        '{"kind":5}',
      ),
    ],
    [
      '{"apiVersion":{}}',
      JSON_TYPE,
      400,
      unrecognized(
        'ConfigMap',
        'json: cannot unmarshal object into Go struct field .apiVersion of type string',
        '{"apiVersion":{}}',
      ),
    ],
    ['{"kind":null,"apiVersion":null}', JSON_TYPE, 422, unnamed('ConfigMap')],
  ])('%j as %s: %i', async (body, type, status, message) => {
    expect(await send('POST', MAPS, type, body)).toEqual([status, message]);
  });

  it('null as the body of a custom resource is an empty object too', async () => {
    expect(await send('POST', WIDGETS, JSON_TYPE, 'null')).toEqual([422, unnamed('Widget.shop.example.com')]);
  });

  it.each(['null', '{}'])('%s of a review', async (body) => {
    expect(await send('POST', REVIEWS, JSON_TYPE, body)).toEqual([201, undefined]);
    expect((await send('POST', ACCESS, JSON_TYPE, body))[0]).toBe(422);
    expect(
      (await send('POST', `${MAPS.replace('configmaps', 'serviceaccounts')}/none/token`, JSON_TYPE, body))[0],
    ).toBe(404);
  });
});

describe('the body of a PUT', () => {
  it.each([
    ['null', JSON_TYPE],
    ['{}', JSON_TYPE],
    ['', YAML],
  ])('%j as %s has no name', async (body, type) => {
    for (const path of [`${MAPS}/one`, `${WIDGETS}/absent`]) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      expect(await send('PUT', path, type, body)).toEqual([
        400,
        `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
      ]);
    }
  });
  it('an empty body is not valid JSON', async () => {
    expect(await send('PUT', `${MAPS}/one`, JSON_TYPE, '')).toEqual([
      400,
      unrecognized('ConfigMap', 'unexpected end of JSON input', '<empty>'),
    ]);
  });
});

describe('the body of a PATCH', () => {
  const JSON_PATCH = 'application/json-patch+json';
  const MERGE = 'application/merge-patch+json';
  const STRATEGIC = 'application/strategic-merge-patch+json';
  const APPLY = 'application/apply-patch+yaml';
  const MAP = 'Go value of type map[string]interface {}';

  it.each<[string, string, number, string | undefined]>([
    [JSON_PATCH, 'null', 200, undefined],
    [JSON_PATCH, '[]', 200, undefined],
    [JSON_PATCH, '', 400, 'error decoding patch: unexpected end of JSON input'],
    [JSON_PATCH, ' ', 400, 'error decoding patch: unexpected end of JSON input'],
    [
      JSON_PATCH,
      '{}',
      400,
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [MERGE, '{}', 200, undefined],
    [MERGE, 'null', 400, 'Invalid JSON Patch'],
    [MERGE, '', 400, 'error decoding patch: unexpected end of JSON input'],
    [MERGE, '[]', 400, `error decoding patch: json: cannot unmarshal array into ${MAP}`],
    [STRATEGIC, '{}', 200, undefined],
    [STRATEGIC, 'null', 200, undefined],
    [STRATEGIC, '', 400, 'unexpected end of JSON input'],
    [STRATEGIC, '[]', 400, `json: cannot unmarshal array into ${MAP}`],
  ])('%s %j: %i', async (type, body, status, message) => {
    expect(await send('PATCH', `${MAPS}/one`, type, body)).toEqual([status, message]);
  });

  it.each([JSON_PATCH, MERGE, STRATEGIC])('%s of an absent object ignores the body', async (type) => {
    for (const body of ['', 'null', '7', '{', '{}'])
      expect(await send('PATCH', `${MAPS}/absent`, type, body)).toEqual([404, 'configmaps "absent" not found']);
  });

  it.each([
    ['null', 'invalid object type: /, Kind='],
    ['~', 'invalid object type: /, Kind='],
    ['', 'invalid object type: /, Kind='],
    ['# nothing', 'invalid object type: /, Kind='],
    ['{}', 'invalid object type: /, Kind='],
    ['metadata: {name: one}', 'invalid object type: /, Kind='],
    ['apiVersion: v1', 'invalid object type: /v1, Kind='],
    ['kind: ConfigMap', 'invalid object type: /, Kind=ConfigMap'],
    [
      '[]',
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into ${MAP}`,
    ],
    [
      '7',
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal number into ${MAP}`,
    ],
    [
      'text',
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into ${MAP}`,
    ],
  ])('apply of %j', async (body, message) => {
    for (const path of [`${MAPS}/one`, `${MAPS}/absent`, `${WIDGETS}/absent`])
      expect(await send('PATCH', `${path}?fieldManager=m`, APPLY, body)).toEqual([400, message]);
  });

  it('behaves the same in-process', async () => {
    const maps = server.client().resource(ConfigMap).namespace('default');
    await expect(maps.apply({} as never, { fieldManager: 'm' })).rejects.toThrow();
  });
});

describe('the body of a DELETE', () => {
  it.each(['', 'null', '{}', '{"kind":"DeleteOptions"}'])('%j carries no options', async (body) => {
    await server
      .client()
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'gone' } });
    expect((await send('DELETE', `${MAPS}/gone`, JSON_TYPE, body))[0]).toBe(200);
  });
});
