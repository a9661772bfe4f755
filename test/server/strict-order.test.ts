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

/** The warnings of a dry run, and the errors for which the same request is rejected. */
async function problems(
  method: string,
  path: string,
  type: string,
  body: string,
): Promise<{ readonly warnings: readonly string[]; readonly refusal: unknown }> {
  const send = async (level: string): ReturnType<typeof ask> =>
    ask(server, method, `${path}?dryRun=All&fieldValidation=${level}`, { headers: { 'content-type': type }, body });
  const warned = await send('Warn');
  expect([200, 201]).toContain(warned.status);
  const strict = await send('Strict');
  expect(strict.status).toBe(400);
  const warnings = ([warned.headers['warning'] ?? []].flat() as string[]).map((text) =>
    text.replace(/^299 - "|"$/g, '').replaceAll('\\"', '"'),
  );
  return {
    warnings,
    refusal: String(jsonOf(strict)['message'])
      .replace(/^.*strict decoding error: /, '')
      .split(', '),
  };
}

const BODY =
  '{"zeta":1,"metadata":{"name":"one","labelz":{},"labels":{"a":"1","a":"2"}},"data":{"k":"1","9":"x","k":"2","9":"y"},"3":0,"data":{"k":"3"},"alpha":{"x":1,"x":2}}';
const IN_ORDER = [
  'unknown field "zeta"',
  'unknown field "metadata.labelz"',
  'duplicate field "metadata.labels.a"',
  'duplicate field "data.k"',
  'duplicate field "data.9"',
  'unknown field "3"',
  'duplicate field "data"',
  'unknown field "alpha"',
];

describe('the errors in a body are reported in the order of the body', () => {
  it.each([
    ['POST', MAPS],
    ['PUT', `${MAPS}/one`],
  ])('%s', async (method, path) => {
    const body = method === 'POST' ? BODY.replace('"name":"one"', '"name":"new"') : BODY;
    expect(await problems(method, path, 'application/json', body)).toEqual({ warnings: IN_ORDER, refusal: IN_ORDER });
  });

  it('of a custom resource list duplicate fields first, then unknown ones in alphabetical order', async () => {
    const expected = ['duplicate field "spec.size"', 'unknown field "alpha"', 'unknown field "zeta"'];
    expect(
      await problems(
        'POST',
        WIDGETS,
        'application/json',
        '{"zeta":1,"metadata":{"name":"w"},"alpha":1,"spec":{"size":1,"size":2}}',
      ),
    ).toEqual({ warnings: expected, refusal: expected });
  });

  it('are at most 100, of both types together', async () => {
    const wrong = Array.from({ length: 80 }, (_, index) => `"u${index}":0,"data":{"k":"${index}","k":""}`).join(',');
    const { warnings } = await problems('POST', MAPS, 'application/json', `{"metadata":{"name":"many"},${wrong}}`);
    expect(warnings.slice(0, 3)).toEqual(['unknown field "u0"', 'duplicate field "data.k"', 'unknown field "u1"']);
    expect(warnings.length).toBeLessThanOrEqual(100);
  });

  it('of a JSON Patch have its prefix, and precede the unknown fields of the patched object', async () => {
    const patch =
      '[{"op":"add","why":1,"op":"add","path":"/data/k","value":{"x":1,"x":2}},{"op":"add","path":"/colour","value":1,"hue":2},{"op":"replace","path":"/data/k","value":"v"}]';
    const expected = [
      'json patch unknown field "[0].why"',
      'json patch duplicate field "[0].op"',
      'json patch duplicate field "[0].value.x"',
      'json patch unknown field "[1].hue"',
      'unknown field "colour"',
    ];
    expect(await problems('PATCH', `${MAPS}/one`, 'application/json-patch+json', patch)).toEqual({
      warnings: expected,
      refusal: expected,
    });
  });

  it.each(['application/merge-patch+json', 'application/strategic-merge-patch+json'])(
    'of a %s list the patch first, then the object',
    async (type) => {
      const expected = ['duplicate field "data.k"', 'unknown field "colour"'];
      expect(await problems('PATCH', `${MAPS}/one`, type, '{"colour":1,"data":{"k":"1","k":"2"}}')).toEqual({
        warnings: expected,
        refusal: expected,
      });
    },
  );
});
