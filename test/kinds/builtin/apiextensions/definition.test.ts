/** The rules for a definition besides its schemas: names, versions, conversion, changes. */
import { describe, expect, it } from 'vitest';
import { changeProblems, problemsOf, stored } from './problems.js';
import type { Parts } from './world.js';

const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const version = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object' } },
  ...more,
});

/** The parts of a definition with these versions. */
const versions = (...list: readonly object[]): Parts => ({ spec: { versions: list } });

const webhook = (clientConfig: object, conversionReviewVersions: readonly string[] = ['v1']): Parts => ({
  spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions } } },
});

const service = (more: object = {}): Parts => webhook({ service: { namespace: 'n', name: 's', ...more } });

describe('a valid definition', () => {
  it.each<[string, Parts]>([
    ['of one version', {}],
    ['of the cluster', { spec: { scope: 'Cluster' } }],
    ['with webhook conversion by URL', webhook({ url: 'https://example.com/convert' })],
    ['with webhook conversion by service', service({ path: '/a/b', port: 8443 })],
    ['with review versions of which one is known', webhook({ url: 'https://example.com' }, ['v7', 'v1beta1'])],
    ['with a deprecated version', { version: { deprecated: true, deprecationWarning: 'use v2' } }],
    ['with two versions', versions(version('v1', { storage: true }), version('v2'))],
    ['with an invalid bundle, as it is not served', webhook({ url: 'https://example.com', caBundle: 'Cg==' })],
    ['that does not preserve unknown fields', { spec: { preserveUnknownFields: false } }],
  ])('%s', (_case, parts) => {
    expect(problemsOf(parts)).toEqual([]);
  });
});

describe('names', () => {
  it.each<[string, Parts, string[]]>([
    ['no group', { spec: { group: '' } }, ['spec.group: Required value']],
    [
      'a group of one label',
      { spec: { group: 'example' } },
      ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
    ],
    [
      'a group in capitals',
      { spec: { group: 'Example.com' } },
      [`spec.group: Invalid value: "Example.com": ${SUBDOMAIN}`],
    ],
    ['no scope', { spec: { scope: '' } }, ['spec.scope: Required value']],
    [
      'another scope',
      { spec: { scope: 'World' } },
      ['spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"'],
    ],
    [
      'no names',
      { spec: { names: {} } },
      [
        'spec.names.plural: Required value',
        'spec.names.singular: Required value',
        'spec.names.kind: Required value',
        'spec.names.listKind: Required value',
      ],
    ],
    [
      'names of another form',
      {
        names: {
          plural: 'Things',
          singular: 'th.ing',
          kind: 'A_B',
          listKind: '1',
          shortNames: ['a', '-'],
          categories: ['B'],
        },
      },
      [
        `spec.names.plural: Invalid value: "Things": ${LABEL_1035}`,
        `spec.names.singular: Invalid value: "th.ing": ${LABEL_1035}`,
        `spec.names.kind: Invalid value: "A_B": may have mixed case, but should otherwise match: ${LABEL_1035}`,
        `spec.names.listKind: Invalid value: "1": may have mixed case, but should otherwise match: ${LABEL_1035}`,
        `spec.names.shortNames[1]: Invalid value: "-": ${LABEL_1035}`,
        `spec.names.categories[0]: Invalid value: "B": ${LABEL_1035}`,
      ],
    ],
    [
      'one name for the kind and its lists',
      { names: { kind: 'A', listKind: 'A' } },
      ['spec.names.listKind: Invalid value: "A": kind and listKind may not be the same'],
    ],
  ])('%s', (_case, parts, expected) => {
    expect(problemsOf(parts)).toEqual(expected);
  });
});

describe('versions', () => {
  it.each<[string, Parts, (string | RegExp)[]]>([
    [
      'none',
      versions(),
      [
        'spec.versions: Invalid value: []apiextensions.CustomResourceDefinitionVersion(nil): must have exactly one version marked as storage version',
        'status.storedVersions: Invalid value: []string(nil): must have at least one stored version',
      ],
    ],
    [
      'a name in capitals',
      { version: { name: 'V1' } },
      [`spec.versions[0].name: Invalid value: "V1": ${LABEL_1035}`, `spec.version: Invalid value: "V1": ${LABEL_1035}`],
    ],
    [
      'twice the same',
      versions(version('v1', { storage: true }), version('v1')),
      [/^spec.versions: Invalid value: \[\]apiext.*: must contain unique version names$/],
    ],
    [
      'none that is stored',
      versions(version('v1')),
      [
        /^spec.versions: Invalid value: .*: must have exactly one version marked as storage version$/,
        'status.storedVersions: Invalid value: []string(nil): must have at least one stored version',
      ],
    ],
    [
      'no schema in one of two',
      versions(version('v1', { storage: true }), version('v2', { schema: {} })),
      ['spec.versions[1].schema.openAPIV3Schema: Required value: schemas are required'],
    ],
    [
      'a warning without deprecation',
      { version: { deprecationWarning: 'old' } },
      ['spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions'],
    ],
    [
      'an empty warning',
      { version: { deprecated: true, deprecationWarning: '' } },
      ['spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string'],
    ],
    [
      'a warning with a line break',
      { version: { deprecated: true, deprecationWarning: 'ä\nb' } },
      [
        'spec.versions[0].deprecationWarning: Invalid value: "ä\\nb": must only contain printable UTF-8 characters; non-printable character found at index 2',
      ],
    ],
    [
      'a long warning',
      { version: { deprecated: true, deprecationWarning: 'a'.repeat(257) } },
      [/deprecationWarning: Invalid value: "a+": must be <= 256 characters long$/],
    ],
    [
      'other schemas per version have paths of their own',
      versions(
        version('v1', { storage: true, schema: { openAPIV3Schema: { type: 'string' } } }),
        version('v2', { schema: { openAPIV3Schema: {} } }),
      ),
      [
        'spec.versions[0].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
        'spec.versions[1].schema.openAPIV3Schema.type: Required value: must not be empty at the root',
      ],
    ],
    [
      'the schema that all versions have is named once',
      versions(
        version('v1', { storage: true, schema: { openAPIV3Schema: {} } }),
        version('v2', { schema: { openAPIV3Schema: {} } }),
      ),
      ['spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root'],
    ],
  ])('%s', (_case, parts, expected) => {
    const found = problemsOf(parts);
    expect(found).toHaveLength(expected.length);
    for (const [index, text] of expected.entries())
      if (typeof text === 'string') expect(found[index]).toBe(text);
      else expect(found[index]).toMatch(text);
  });
});

describe('columns', () => {
  const columns = (...list: readonly object[]): Parts => ({ version: { additionalPrinterColumns: list } });
  it.each<[string, Parts, string[]]>([
    [
      'an empty one',
      columns({}),
      [
        'spec.additionalPrinterColumns[0].name: Required value',
        'spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[0].JSONPath: Required value',
      ],
    ],
    [
      'other types, formats and paths',
      columns({ name: 'A', type: 'object', format: 'uuid', jsonPath: 'spec.a' }),
      [
        'spec.additionalPrinterColumns[0].type: Invalid value: "object": must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[0].format: Invalid value: "uuid": must be one of byte,date,date-time,double,float,int32,int64,password',
        'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec.a": must be a simple json path starting with .',
      ],
    ],
    [
      'those of one version',
      versions(
        version('v1', { storage: true, additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: 'a' }] }),
        version('v2'),
      ),
      [
        'spec.versions[0].additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .',
      ],
    ],
    [
      'a path with a second recursive descent',
      columns({ name: 'A', type: 'string', jsonPath: '.spec..a..b' }),
      [
        'spec.additionalPrinterColumns[0].JSONPath: Invalid value: ".spec..a..b": must not have more than one recursive descent',
      ],
    ],
    [
      'a path with a descent in its filter',
      columns({ name: 'A', type: 'string', jsonPath: '..a[?(@..b==1)]' }),
      [
        'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "..a[?(@..b==1)]": must not have more than one recursive descent',
      ],
    ],
    [
      'a path with too many steps',
      columns({ name: 'A', type: 'string', jsonPath: '.a'.repeat(65) }),
      [
        `spec.additionalPrinterColumns[0].JSONPath: Invalid value: "${'.a'.repeat(65)}": must not have more than 64 segments`,
      ],
    ],
    [
      'a long path',
      columns({ name: 'A', type: 'string', jsonPath: `.${'a'.repeat(1024)}` }),
      ['spec.additionalPrinterColumns[0].JSONPath: Too long: must have at most 1024 bytes'],
    ],
    [
      'too many columns',
      columns(...Array.from({ length: 129 }, (_, index) => ({ name: `C${index}`, type: 'string', jsonPath: '.a' }))),
      ['spec.additionalPrinterColumns: Too many: 129: must have at most 128 items'],
    ],
    // As in Kubernetes, a path need not be valid: the Table has the columns before it.
    ['an invalid path', columns({ name: 'A', type: 'string', jsonPath: '.spec..*..*' }), []],
    [
      'the most that is allowed',
      columns(
        { name: 'A', type: 'string', jsonPath: `.${'a'.repeat(1023)}` },
        { name: 'B', type: 'string', jsonPath: `..b${'.a'.repeat(62)}` },
      ),
      [],
    ],
  ])('%s', (_case, parts, expected) => {
    expect(problemsOf(parts)).toEqual(expected);
  });
});

describe('the scale subresource', () => {
  const scale = (paths: object): Parts => ({ version: { subresources: { scale: paths } } });
  const good = { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a' };
  it.each<[string, Parts, string[]]>([
    ['with paths', scale({ ...good, labelSelectorPath: '.spec.selector' }), []],
    [
      'without paths',
      scale({}),
      [
        'spec.subresources.scale.specReplicasPath: Required value',
        'spec.subresources.scale.statusReplicasPath: Required value',
      ],
    ],
    [
      'with paths elsewhere',
      scale({ specReplicasPath: '.a', statusReplicasPath: 'b', labelSelectorPath: '.c' }),
      [
        'spec.subresources.scale.specReplicasPath: Invalid value: ".a": should be a json path under .spec',
        'spec.subresources.scale.statusReplicasPath: Invalid value: "b": must be a simple json path starting with .',
        'spec.subresources.scale.labelSelectorPath: Invalid value: ".c": should be a json path under either .spec or .status',
      ],
    ],
  ])('%s', (_case, parts, expected) => {
    expect(problemsOf(parts)).toEqual(expected);
  });
});

describe('selectable fields', () => {
  const schema = {
    type: 'object',
    properties: {
      metadata: { type: 'object', properties: { name: { type: 'string' } } },
      spec: {
        type: 'object',
        properties: {
          a: { type: 'string' },
          n: { type: 'number' },
          l: { type: 'array', items: { type: 'string' } },
          m: { type: 'object', additionalProperties: { type: 'boolean' } },
          ...Object.fromEntries([...'bcdefghi'].map((name) => [`x${name}`, { type: 'integer' }])),
        },
      },
    },
  };
  const fields = (...paths: readonly string[]): Parts => ({
    version: { schema: { openAPIV3Schema: schema }, selectableFields: paths.map((jsonPath) => ({ jsonPath })) },
  });
  const at = (index: number): string => `spec.selectableFields[${index}].jsonPath`;
  it.each<[string, Parts, string[]]>([
    ['texts and values of maps', fields('.spec.a', '.spec.m.b'), []],
    ['no path', fields(''), [`${at(0)}: Required value`]],
    [
      'other paths',
      fields('spec.a', '.spec.z', '.', ".spec['a']", '.spec.l[0]'),
      [
        `${at(0)}: Invalid value: "spec.a": is an invalid path: expected [ or . but got: spec`,
        `${at(1)}: Invalid value: ".spec.z": is an invalid path: does not refer to a valid field`,
        `${at(2)}: Invalid value: ".": is an invalid path: unexpected end of JSON path`,
        `${at(3)}: Invalid value: ".spec['a']": is an invalid path: array notation is not allowed`,
        `${at(4)}: Invalid value: ".spec.l[0]": is an invalid path: array notation is not allowed`,
      ],
    ],
    [
      'other types',
      fields('.spec', '.spec.n'),
      [0, 1].map(
        (index) =>
          `${at(index)}: Invalid value: "${['.spec', '.spec.n'][index]}": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.`,
      ),
    ],
    [
      'metadata',
      fields('.metadata.name'),
      [`${at(0)}: Invalid value: ".metadata.name": must not point to fields in metadata`],
    ],
    ['one field twice', fields('.spec.a', '.spec.a'), [`${at(1)}: Duplicate value: ".spec.a"`]],
    [
      'nine',
      fields('.spec.a', ...[...'bcdefghi'].map((name) => `.spec.x${name}`)),
      ['spec.selectableFields: Too many: 9: must have at most 8 items'],
    ],
  ])('%s', (_case, parts, expected) => {
    expect(problemsOf(parts)).toEqual(expected);
  });

  it('beside items that are no schema', () => {
    const parts = { version: { schema: { openAPIV3Schema: { items: 'a' } }, selectableFields: [{ jsonPath: '.a' }] } };
    expect(problemsOf(parts)).toContain(
      `${at(0)}: Invalid value: ".a": is an invalid path: does not refer to a valid field`,
    );
  });
});

describe('conversion', () => {
  const conversion = (value: object): Parts => ({ spec: { conversion: value } });
  const C = 'spec.conversion';
  const form = '; desired format: https://host[/path]';
  it.each<[string, Parts, string[]]>([
    ['no strategy', conversion({}), [`${C}.strategy: Required value`]],
    [
      'another strategy',
      conversion({ strategy: 'Magic' }),
      [`${C}.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"`],
    ],
    [
      'Webhook without a webhook',
      conversion({ strategy: 'Webhook' }),
      [
        `${C}.webhookClientConfig: Required value: required when strategy is set to Webhook`,
        `${C}.conversionReviewVersions: Required value`,
      ],
    ],
    [
      'None with a webhook',
      conversion({ strategy: 'None', webhook: { clientConfig: {}, conversionReviewVersions: ['v1'] } }),
      [
        `${C}.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook`,
        `${C}.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook`,
      ],
    ],
    [
      'neither URL nor service',
      webhook({}),
      [`${C}.webhookClientConfig: Required value: exactly one of url or service is required`],
    ],
    [
      'a URL without TLS',
      webhook({ url: 'http://u:p@example.com/a?b#c' }),
      [
        `${C}.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme${form}`,
        `${C}.webhookClientConfig.url: Invalid value: "u:p": user information is not permitted in the URL`,
        `${C}.webhookClientConfig.url: Invalid value: "c": fragments are not permitted in the URL`,
        `${C}.webhookClientConfig.url: Invalid value: "b": query parameters are not permitted in the URL`,
      ],
    ],
    [
      'a URL without a host',
      webhook({ url: 'https:///a' }),
      [`${C}.webhookClientConfig.url: Invalid value: "": host must be provided${form}`],
    ],
    [
      'no URL',
      webhook({ url: '' }),
      [
        `${C}.webhookClientConfig.url: Invalid value: "": 'https' is the only allowed URL scheme${form}`,
        `${C}.webhookClientConfig.url: Invalid value: "": host must be provided${form}`,
      ],
    ],
    [
      'an empty service',
      service({ namespace: '', name: '', port: 0, path: 'a//b_' }),
      [
        `${C}.webhookClientConfig.service.name: Required value: service name is required`,
        `${C}.webhookClientConfig.service.namespace: Required value: service namespace is required`,
        `${C}.webhookClientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
        `${C}.webhookClientConfig.service.path: Invalid value: "a//b_": must start with a '/'`,
        `${C}.webhookClientConfig.service.path: Invalid value: "a//b_": segment[0] may not be empty`,
        `${C}.webhookClientConfig.service.path: Invalid value: "a//b_": segment[1] may not be empty`,
        `${C}.webhookClientConfig.service.path: Invalid value: "a//b_": segment[2]: ${SUBDOMAIN}`,
      ],
    ],
    [
      'review versions that nobody knows',
      webhook({ url: 'https://example.com' }, ['v2', 'v2', 'V']),
      [
        `${C}.conversionReviewVersions[1]: Invalid value: "v2": duplicate version`,
        `${C}.conversionReviewVersions[2]: Invalid value: "V": ${LABEL_1035}`,
        `${C}.conversionReviewVersions: Invalid value: []string{"v2", "v2", "V"}: must include at least one of v1, v1beta1`,
      ],
    ],
  ])('%s', (_case, parts, expected) => {
    expect(problemsOf(parts)).toEqual(expected);
  });

  it('of a service has a default port', () => {
    expect(stored(service())).toMatchObject({
      spec: { conversion: { webhook: { clientConfig: { service: { port: 443 } } } } },
    });
  });

  it('without a webhook drops an empty one', () => {
    expect(stored(conversion({ strategy: 'None', webhook: {} }))).toMatchObject({
      spec: { conversion: { strategy: 'None' } },
    });
  });
});

describe('a protected group', () => {
  const approved = (value?: string): Parts => ({
    metadata: {
      name: 'things.x.k8s.io',
      ...(value === undefined ? {} : { annotations: { 'api-approved.kubernetes.io': value } }),
    },
    spec: { group: 'x.k8s.io' },
  });
  const path = 'metadata.annotations[api-approved.kubernetes.io]';
  const need = 'protected groups must have approval annotation "api-approved.kubernetes.io"';
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111';

  it.each<[string, Parts, string[]]>([
    ['needs an approval', approved(), [`${path}: Required value: ${need}, ${see}`]],
    ['takes a URL', approved('https://github.com/kubernetes/enhancements/pull/1'), []],
    ['takes a reason', approved('unapproved, in development'), []],
    [
      'takes no other text',
      approved('yes'),
      [`${path}: Invalid value: "yes": ${need} with either a URL or a reason starting with "unapproved", ${see}`],
    ],
  ])('%s', (_case, parts, expected) => {
    expect(problemsOf(parts)).toEqual(expected);
  });

  it('keeps the approval that it has', () => {
    expect(changeProblems(approved(), approved())).toEqual([]);
    expect(changeProblems(approved('unapproved'), approved())).toHaveLength(1);
  });
});

describe('a change', () => {
  it('keeps the group and the plural', () => {
    expect(changeProblems({}, { spec: { group: 'other.com' }, names: { plural: 'others' } })).toEqual([
      'spec.group: Invalid value: "other.com": field is immutable',
      'spec.names.plural: Invalid value: "others": field is immutable',
    ]);
  });

  it('keeps scope and kind once the definition is established', () => {
    const parts: Parts = { spec: { scope: 'Cluster' }, names: { kind: 'Other' } };
    expect(changeProblems({}, parts)).toEqual([]);
    expect(changeProblems({}, parts, true)).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Other": field is immutable',
    ]);
  });

  it('keeps versions in which objects are stored', () => {
    expect(changeProblems({}, versions(version('v2', { storage: true })))).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions',
    ]);
    expect(changeProblems({}, versions(version('v1'), version('v2', { storage: true })))).toEqual([]);
  });

  it('makes a bundle no worse once the definition is established', () => {
    const bundle = (caBundle?: string): Parts => webhook({ url: 'https://example.com', caBundle });
    expect(changeProblems(bundle('Cg=='), bundle('CgAK'), true)).toEqual([]);
    expect(changeProblems(bundle(), bundle('Cg=='))).toEqual([]);
    expect(changeProblems(bundle(), bundle('Cg=='), true)).toEqual([
      'spec.conversion.webhookClientConfig.caBundle: Invalid value: []byte{0xa}: unable to load root certificates: unable to parse bytes as PEM block',
    ]);
  });

  it('may leave columns beyond their bounds, and makes them no worse', () => {
    const wide = (jsonPath: string, more: Parts = {}): Parts => ({
      ...more,
      version: { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath }] },
    });
    expect(changeProblems(wide('..a..b'), wide('..a..b', { names: { shortNames: ['w'] } }))).toEqual([]);
    expect(changeProblems(wide('..a..b'), wide('..a..c'))).toHaveLength(1);
  });

  it('may leave what newer rules refuse', () => {
    const schema = (type: string, more: object = {}): Parts => ({
      schema: {
        type: 'object',
        properties: {
          list: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } },
          map: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['key'],
            items: { type: 'object', properties: { key: { type: 'string' } } },
          },
          other: { type },
          ...more,
        },
      },
    });
    expect(problemsOf(schema('text'))).toHaveLength(3);
    expect(changeProblems(schema('text'), schema('words'))).toEqual([]);
    expect(
      changeProblems(webhook({ url: 'https://example.com' }, ['v3']), webhook({ url: 'https://example.com' }, ['v4'])),
    ).toEqual([]);
  });

  it('may leave a schema that is not structural only with unknown fields', () => {
    const loose: Parts = { spec: { preserveUnknownFields: true }, schema: { type: 'object', properties: { a: {} } } };
    expect(changeProblems(loose, loose)).toEqual([]);
    expect(changeProblems(loose, { ...loose, spec: { preserveUnknownFields: false } })).toEqual([
      'spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields',
    ]);
  });
});
