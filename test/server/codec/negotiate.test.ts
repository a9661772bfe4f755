import { describe, expect, it } from 'vitest';
import { parseAccept } from '../../../src/server/codec/accept.js';
import { createCodec, wantsPretty, type NegotiateOptions } from '../../../src/server/codec/negotiate.js';
import { kubernetes, orch } from '../../../src/foundation/dialect/dialect.js';
import { goldenStep } from './golden.js';

const codec = createCodec({ dialect: kubernetes });
const outcome = (accept: string | undefined, options: NegotiateOptions = {}): string => {
  try {
    const { contentType, transformation, pretty } = codec.negotiate(accept, options);
    return `${contentType}${transformation ? ` as ${transformation.kind} ${transformation.version}` : ''}${pretty ? ' pretty' : ''}`;
  } catch (error) {
    return String((error as { code: number }).code);
  }
};
const protobuf = 'application/vnd.kubernetes.protobuf';
const table = (version = 'v1'): string => `application/json;as=Table;v=${version};g=meta.k8s.io`;

describe('Accept', () => {
  it.each<[string | undefined, string, NegotiateOptions?]>([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/*', '406'],
    ['application/*, application/yaml', 'application/yaml'],
    ['application/yaml;q=0.1, application/*;q=0.9', 'application/json'],
    ['application/json;q=0.3, application/yaml;q=0.9', 'application/yaml'],
    ['application/yaml, application/json', 'application/yaml'],
    ['*/*, application/yaml', 'application/yaml'],
    ['image/png, application/yaml', 'application/yaml'],
    ['image/png, text/html', '406'],
    [`${protobuf}, application/json`, protobuf],
    [`${protobuf}, application/json`, 'application/json', { protobuf: false }],
    [protobuf, '406', { protobuf: false }],
    [
      `${protobuf};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`,
      `${protobuf} as PartialObjectMetadata v1`,
      { protobuf: false },
    ],
    [`${protobuf};as=Table;v=v1;g=meta.k8s.io, application/json`, 'application/json'],
    [`${table()},${table('v1beta1')},application/json`, 'application/json as Table v1'],
    [`${table('v1beta1')},application/json`, 'application/json as Table v1beta1'],
    [`${table()},application/json`, 'application/json', { table: false }],
    [table('v2'), '406'],
    ['application/yaml;as=Table;v=v1;g=meta.k8s.io', 'application/yaml as Table v1'],
    ['application/json;as=Poem;v=v1;g=meta.k8s.io, application/json', 'application/json'],
    ['application/json;as=Table;v=v1;g=meta.orch.io', '406'],
    ['application/json;pretty=1', 'application/json pretty'],
    ['application/json;charset=utf-8', 'application/json'],
    ['application/json;stream=watch', 'application/json', { watch: true }],
    ['application/json', 'application/json', { watch: true }],
    [`${protobuf};stream=watch`, `${protobuf};stream=watch`, { watch: true }],
    [protobuf, `${protobuf};stream=watch`, { watch: true }],
    ['application/yaml', '406', { watch: true }],
    ['application/yaml, application/json', 'application/json', { watch: true }],
    [table(), 'application/json as Table v1', { watch: true }],
    ['application/json;stream=other', '406', { watch: true }],
    [
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList as APIGroupDiscoveryList v2',
      { discovery: true },
    ],
    [
      'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
      'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList as APIGroupDiscoveryList v2beta1',
      { discovery: true },
    ],
    ['application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json', 'application/json'],
  ])('%s: %s %j', (accept, expected, options) => {
    expect(outcome(accept, options)).toBe(expected);
    expect(outcome(accept, options), 'from memory').toBe(expected);
  });

  it.each([
    'Accept application/* is not understood: 406',
    'only types that nobody serves: 406',
    'an unknown transformation is 406',
  ])('%s, as recorded', (name) => {
    const { request, recorded } = goldenStep('content', name);
    let status: unknown;
    try {
      codec.negotiate(request?.headers?.['accept']);
    } catch (error) {
      ({ status } = error as { status: unknown });
    }
    expect(status).toEqual(recorded?.body);
  });

  it('lists the stream types that a watch may have', () => {
    expect(() => codec.negotiate('application/yaml', { watch: true })).toThrow(
      `only the following media types are accepted: application/json;stream=watch, ${protobuf};stream=watch`,
    );
  });

  it('answers a failure in plain form, or in JSON', () => {
    expect(codec.negotiateError(table()).contentType).toBe('application/json');
    expect(codec.negotiateError(`${table()}, application/yaml`).contentType).toBe('application/yaml');
    expect(codec.negotiateError(protobuf).contentType).toBe(protobuf);
    expect(codec.negotiateError('image/png').contentType).toBe('application/json');
  });

  it('handles more headers than it caches', () => {
    for (let index = 0; index < 2000; index += 1)
      expect(outcome(`application/yaml;x=${index}`)).toBe('application/yaml');
    expect(outcome(`application/json, ${'x'.repeat(5000)}`)).toBe('application/json');
  });

  it('uses the names of the dialect', () => {
    expect(createCodec({ dialect: orch }).negotiate('application/vnd.orch.protobuf').contentType).toBe(
      'application/vnd.orch.protobuf',
    );
    expect(
      createCodec({ dialect: orch }).negotiate('application/json;as=Table;g=meta.orch.io;v=v1').transformation,
    ).toEqual({ kind: 'Table', version: 'v1' });
  });
});

it('parses malformed headers without errors', () => {
  expect(
    parseAccept(', ;q=1, a, */, a/b/c, *;q=0.5, a/b;x;y=1=2;z= 3;q=x').map(({ type, subtype, quality, parameters }) => [
      type,
      subtype,
      quality,
      [...parameters],
    ]),
  ).toEqual([
    ['*', '*', 0.5, []],
    ['a', 'b', 0, [['z', '3']]],
  ]);
});

describe('Content-Type', () => {
  it.each<[string | undefined, string]>([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['application/json; charset=utf-8', 'application/json'],
    ['Application/YAML', 'application/yaml'],
    [protobuf, protobuf],
  ])('%s: %s', (contentType, expected) => {
    expect(codec.serializerFor(contentType).mediaType).toBe(expected);
  });
  it('rejects other types, as recorded', () => {
    const { request, recorded } = goldenStep(
      'errors',
      'an unsupported Content-Type is 415 with the list of supported ones',
    );
    let status: unknown;
    try {
      codec.serializerFor(request?.headers?.['content-type']);
    } catch (error) {
      ({ status } = error as { status: unknown });
    }
    expect(status).toEqual(recorded?.body);
    for (const bad of ['json', '/', 'application/', 'application/json/x'])
      expect(() => codec.serializerFor(bad)).toThrow(expect.objectContaining({ code: 415 }));
    expect(() => codec.serializerFor(protobuf, { protobuf: false })).toThrow(
      /include: application\/json, application\/yaml$/,
    );
  });
});

it('of a long Accept header the first 128 types count, and 32 parameters of each', () => {
  const types = Array.from({ length: 5_000 }, (_, index) => `a/b${index}`);
  const parameters = Array.from({ length: 5_000 }, (_, index) => `p${index}=v`);
  expect(parseAccept(types.join())).toHaveLength(128);
  expect(parseAccept(`a/b;${parameters.join(';')}`)[0]?.parameters.size).toBe(32);
});

it.each<[string | undefined, string | undefined, boolean]>([
  ['true', undefined, true],
  ['1', undefined, true],
  ['0', 'curl/8', false],
  ['maybe', 'curl/8', false],
  ['', 'curl/8', true],
  [undefined, 'Mozilla/5.0 x', true],
  [undefined, 'kubectl/v1', false],
  [undefined, undefined, false],
])('pretty=%s by %s: %s', (parameter, agent, expected) => {
  expect(wantsPretty(parameter, agent)).toBe(expected);
});
