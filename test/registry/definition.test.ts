import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiServer, ConfigMap } from '../../src/entries/index.js';
import { TokenReview } from '../../src/entries/kinds.js';
import { orch } from '../../src/foundation/dialect/dialect.js';
import { defineResource, defineServerKind, type ResourceDefinition } from '../../src/registry/definition/definition.js';
import { ResourceInfo } from '../../src/registry/definition/resource-info.js';
import { statusSubresource } from '../../src/registry/writes/status.js';

const good = {
  group: 'shop.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  schema: () => z.object({}),
} as const;

describe('a definition of a kind', () => {
  it.each([
    ['a version', { version: '1.0' }, 'version must look like v1 or v1beta1, got "1.0"'],
    ['a kind', { kind: 'widget' }, 'kind must be in CamelCase, got "widget"'],
    ['a plural', { plural: 'Widgets' }, 'plural must be a lower-case DNS label, got "Widgets"'],
    // As an untyped program writes it.
    [
      'a schema',
      { schema: z.object({}) as unknown as ResourceDefinition['schema'] },
      'schema must be a function that returns the schema, such as () => z.object({ … })',
    ],
  ])('is rejected with %s of the wrong type', (_what, wrong, message) => {
    expect(() => defineResource({ ...good, ...wrong })).toThrow(new TypeError(message));
  });

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(defineResource(good))).toBe(true);
  });

  it('of the server itself can bring a compiled schema, which depends on the dialect', () => {
    const definition = defineServerKind({
      ...good,
      schema: () => z.object({ spec: z.string().refine(() => false) }),
      structural: ({ name }) => ({
        type: 'object',
        presence: 'keep',
        properties: new Map([[name, { type: 'string', presence: 'keep' }]]),
      }),
    });
    const info = new ResourceInfo(definition, orch);
    expect([...(info.schema.properties?.keys() ?? [])]).toEqual(['kind', 'apiVersion', 'metadata', 'orch']);
    expect(info.schema).toBe(info.schema);
    expect(info.refined).toBe(false);
  });
});

/** As an untyped program writes it. */
const untyped = defineResource as (definition: object) => ResourceDefinition;
const cell = (): string => '';

describe('a definition of a kind is rejected', () => {
  it.each<[string, object, string]>([
    ['with an unknown option', { colums: [] }, 'unknown option "colums"; did you mean "columns"?'],
    [
      'with a column that tells twice how it depends on the time',
      { columns: [{ name: 'A', type: 'string', cell, lasting: cell }] },
      'unknown option "columns[0].lasting"',
    ],
    ['without a scope', { scope: undefined }, 'the option scope is required'],
    [
      'with an unknown scope',
      { scope: 'Namespace' },
      'the option scope must be one of Namespaced, Cluster, got "Namespace"; did you mean "Namespaced"?',
    ],
    [
      'with a group that no path can carry',
      { group: 'Shop Example' },
      'the option group must be the name of an API group, a domain such as shop.example, got "Shop Example"',
    ],
    ['with a plural that is a number', { plural: 5 }, 'plural must be a lower-case DNS label, got 5'],
    [
      'with a short name in capitals',
      { names: { shortNames: ['WD'] } },
      'the option names.shortNames[0] must be lower-case letters',
    ],
    [
      'with a misspelt hook',
      { strategy: { validat: () => [] } },
      'unknown option "strategy.validat"; did you mean "validate"?',
    ],
    [
      'with a hook that is no function',
      { strategy: { validate: true } },
      'the option strategy.validate must be a function, got true',
    ],
    [
      'with a lifetime of zero',
      { strategy: { ttl: 0 } },
      'the option strategy.ttl must be milliseconds above 0, or a string such as "5s" or "1m30s", got 0',
    ],
    [
      'with a column of an unknown type',
      { columns: [{ name: 'A', type: 'text', cell }] },
      'the option columns[0].type must be one of string, integer, number, boolean, date, got "text"',
    ],
    [
      'with a column without cells',
      { columns: [{ name: 'A', type: 'string' }] },
      'the option columns[0].cell is required',
    ],
    [
      'with a selector that every kind has',
      { selectableFields: { 'metadata.name': cell } },
      'every kind has metadata.name and metadata.namespace',
    ],
    [
      'with a selector that is no function',
      { selectableFields: { 'spec.a': 'spec.a' } },
      'the option selectableFields["spec.a"] must be a function, got "spec.a"',
    ],
    [
      'with a subresource without a strategy',
      { subresources: { scale: { verbs: ['get'] } } },
      'the option subresources["scale"].strategy is required',
    ],
    [
      'with a subresource that stores its input',
      { subresources: { run: { verbs: ['create'], operation: ConfigMap } } },
      'the option subresources["run"].operation must be a kind with perform, whose objects are not stored',
    ],
    [
      'that is performed and has columns',
      { perform: cell, columns: [] },
      'the option columns is for kinds that are stored: leave it out, or leave out perform',
    ],
    [
      'with a conversion in one direction',
      { conversion: { hub: ConfigMap, toHub: cell } },
      'the option conversion.fromHub is required',
    ],
    [
      'with a virtual hub',
      { conversion: { hub: TokenReview, toHub: cell, fromHub: cell } },
      'the option conversion.hub must be a kind that is stored: it is virtual',
    ],
    [
      'with a hub of another scope',
      { scope: 'Cluster', conversion: { hub: ConfigMap, toHub: cell, fromHub: cell } },
      'the option scope must be that of conversion.hub, Namespaced',
    ],
    [
      'with a schema that throws',
      {
        schema: () => {
          throw new Error('no');
        },
      },
      'the option schema threw: no',
    ],
    [
      'with a schema that is not a zod type',
      { schema: () => ({ type: 'object' }) },
      'the option schema must return a zod (version 4) type, got an object',
    ],
    [
      'with a schema of a list',
      { schema: () => z.array(z.string()) },
      'the option schema must be an object type, such as z.object({ spec: … })',
    ],
    [
      'with a schema that cannot be compiled',
      { schema: () => z.object({ spec: z.object({ at: z.date() }) }) },
      'the option schema cannot be compiled: spec.at: a zod date cannot be expressed in a resource schema',
    ],
    [
      'with metadata in its schema',
      { schema: () => z.object({ metadata: z.object({ name: z.string() }) }) },
      'the option schema must not have the field metadata: every object has it',
    ],
    [
      'with a status subresource and no status field',
      { subresources: { status: statusSubresource }, schema: () => z.object({ state: z.string() }) },
      'the option subresources has "status", but the schema has no field status',
    ],
  ])('%s', (_what, wrong, message) => {
    expect(() => untyped({ ...good, ...wrong })).toThrow(TypeError);
    expect(() => untyped({ ...good, ...wrong })).toThrow(message);
    expect(() => untyped({ ...good, ...wrong })).toThrow(/plural|defineResource\(Widget\): /);
    // A server does not accept an object that was not declared by the call either.
    expect(() => new ApiServer({ resources: [{ ...good, ...wrong } as ResourceDefinition] })).toThrow(message);
  });

  it.each([
    ...['structural', 'givenUpSchema', 'storedVersions', 'validator', 'publishedFrom', 'prepare'],
    ...['terminating', 'fieldRefusal', 'featureGate', 'origin'],
  ])('with %s, which only the server says of its kinds', (option) => {
    expect(() => untyped({ ...good, [option]: undefined })).toThrow(`unknown option "${option}"`);
    expect(() => defineServerKind({ ...good, [option]: undefined })).not.toThrow();
  });

  it.each<[string, object, string]>([
    ['no verb', { verbs: [] }, 'the option verbs must name at least one verb'],
    [
      'an unknown verb',
      { verbs: ['read'] },
      'the option verbs[0] must be one of create, delete, deletecollection, get, list, patch, update, watch, got "read"',
    ],
    [
      'an operation that is stored',
      { virtual: false, perform: cell },
      'the option perform is for kinds that are not stored: leave it out, or leave out virtual',
    ],
    [
      'a list of a virtual kind',
      { virtual: true, perform: cell, verbs: ['create', 'list'] },
      'the option verbs of a virtual kind can only be ["create"]',
    ],
  ])('if it is one of the server, with %s', (_what, wrong, message) => {
    expect(() => (defineServerKind as (definition: object) => unknown)({ ...good, ...wrong })).toThrow(message);
  });

  it.each([
    ['shortNames', 'is names.shortNames now'],
    ['categories', 'is names.categories now'],
    ['singular', 'is names.singular now'],
    ['listKind', 'is names.listKind now'],
    ['description', 'is the description of the schema now'],
    ['virtual', 'is gone: a kind with perform is not stored'],
    ['verbs', 'is for kinds of the server'],
    ['lifecycle', 'is for kinds of the server'],
    ['storagePrefix', 'is for kinds of the server'],
  ])('with the former option %s, and says where it is now', (option, message) => {
    expect(() => untyped({ ...good, [option]: undefined })).toThrow(
      `defineResource(Widget): the option ${option} ${message}`,
    );
  });

  it.each([undefined, null, 'widgets', []])('as %j', (definition) => {
    expect(() => untyped(definition as object)).toThrow(/^defineResource: the options must be an object, got /);
  });
});

describe('the names of a kind', () => {
  it('are those of a custom resource definition', () => {
    const names = { singular: 'wgt', listKind: 'Widgets', shortNames: ['wd'], categories: ['all'] };
    const info = new ResourceInfo(defineResource({ ...good, names }), orch);
    expect([info.singular, info.listKind]).toEqual(['wgt', 'Widgets']);
    expect(info.definition).toMatchObject(names);
  });
});

describe('a version that is stored in the form of another', () => {
  it('is stored with it, in another group too', () => {
    const Widget = defineResource(good);
    const same = (object: object): never => object as never;
    const Old = defineResource({
      ...good,
      group: 'old.example',
      plural: 'oldwidgets',
      conversion: { hub: Widget, toHub: same, fromHub: same },
    });
    expect(new ResourceInfo(Old, orch).keyPrefix).toBe('/registry/shop.example/widgets/');
    expect(() => new ApiServer({ resources: [Widget, Old] })).not.toThrow();
  });
});

describe('a schema', () => {
  it('may use a constant declared further down: the server checks it later', () => {
    const Late = defineResource({ ...good, schema: () => z.object({ spec: later }) });
    const later = z.object({ at: z.date() });
    expect(() => new ApiServer({ resources: [Late] })).toThrow(
      'defineResource(Widget): the option schema cannot be compiled: spec.at',
    );
  });

  it('is compiled once, for all servers', () => {
    let made = 0;
    const Counted = defineResource({
      ...good,
      schema: () => ((made += 1), z.object({ spec: z.object({}).optional() })),
    });
    expect([new ApiServer({ resources: [Counted] }), new ApiServer({ resources: [Counted] }), made]).toHaveLength(3);
    expect(made).toBe(1);
  });
});

describe('conflicting kinds are rejected', () => {
  const Widget = defineResource(good);
  const other = (difference: object): ResourceDefinition => untyped({ ...good, ...difference });
  const toHub = (object: object): object => object;

  it.each<[string, readonly ResourceDefinition[], string]>([
    ['a kind given twice', [Widget, Widget], 'Widget (widgets.shop.example/v1) is given twice; give it once'],
    ['a built-in kind', [ConfigMap], 'ConfigMap (configmaps/v1) is given twice; give it once: it is built in'],
    [
      'the same group, version and plural',
      [Widget, other({ kind: 'Gadget' })],
      'Widget (widgets.shop.example/v1) and Gadget (widgets.shop.example/v1) have the same group, version and plural; change one of them',
    ],
    [
      'the same group, version and kind',
      [Widget, other({ plural: 'gadgets' })],
      'have the same group, version and kind; change one of them',
    ],
    [
      'a copy of a built-in kind',
      [other({ group: '', kind: 'ConfigMap', plural: 'configmaps' })],
      'ConfigMap (configmaps/v1) and ConfigMap (configmaps/v1) have the same group, version and plural',
    ],
    [
      'two versions without a conversion',
      [Widget, other({ version: 'v2' })],
      'are two versions of one kind: say which is stored, and give the other the option conversion, such as { hub: Widget of v1, toHub, fromHub }',
    ],
    [
      'three versions with two hubs',
      [Widget, other({ version: 'v2', conversion: { hub: Widget, toHub, fromHub: toHub } }), other({ version: 'v3' })],
      'are two versions of one kind',
    ],
    [
      'the same storage prefix',
      [Widget, defineServerKind({ ...good, kind: 'Gadget', plural: 'gadgets', storagePrefix: 'shop.example/widgets' })],
      'are both stored below /registry/shop.example/widgets/: change the group or the plural of one of them',
    ],
    [
      'a nested storage prefix',
      [Widget, defineServerKind({ ...good, kind: 'Gadget', plural: 'gadgets', storagePrefix: 'shop.example' })],
      'are stored within each other, below /registry/shop.example/ and /registry/shop.example/widgets/',
    ],
    [
      'one kind with two storage prefixes',
      [
        Widget,
        defineServerKind({
          ...good,
          group: 'old.example',
          storagePrefix: 'old.example/widgets',
          conversion: { hub: Widget, toHub: (object) => object, fromHub: (object) => object },
        }),
      ],
      'are stored in one form, but below /registry/shop.example/widgets/ and /registry/old.example/widgets/: give both the same storagePrefix',
    ],
    [
      'a feature gate that does not exist',
      [defineServerKind({ ...good, featureGate: 'Widgets' })],
      'Widget has the featureGate "Widgets", which does not exist, so it would never be served',
    ],
  ])('%s', (_what, resources, message) => {
    expect(() => new ApiServer({ resources })).toThrow(TypeError);
    expect(() => new ApiServer({ resources })).toThrow(message);
    expect(() => new ApiServer({ resources })).toThrow(/^ApiServer: the option resources: /);
  });
});
