import '../../kinds/builtin/loaded-kinds.js';
import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../src/foundation/index.js';
import { ResourceInfo } from '../../../src/registry/definition/resource-info.js';
import { builtinResources } from '../../../src/kinds/builtin/index.js';
import type { StructuralSchema } from '../../../src/machinery/schema/define/structural.js';
import { startTestServer } from '../../../src/entries/testing.js';
import { ask, textOf } from '../../server/ask.js';
import { fieldsOf, servedKinds, typeOf, type FieldFacts } from './published.js';

/**
 * The JSON of a field without a value: Go omits it if `omitempty` allows, but never omits a struct; times, quantities
 * and int-or-string values are structs.
 */
function isAlwaysWritten({ type, pointer = false, omitempty = false }: FieldFacts): boolean {
  return (
    !omitempty || (!pointer && ['ref', 'time', 'microTime', 'quantity', 'intOrString', 'rawExtension'].includes(type))
  );
}

const META = /^io\.k8s\.apimachinery\.pkg\.apis\.meta\.v1\.(ObjectMeta|ManagedFieldsEntry|OwnerReference)$/;

/** Compares a type and all types it references; returns the paths that differ. */
function differences(schema: StructuralSchema, name: string, path: string, seen: Set<string>): string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  return fieldsOf(typeOf(name)).flatMap((field): string[] => {
    const at = `${path}.${field.name}`;
    const node = schema.properties?.get(field.name);
    if (node === undefined) return [`${at} is not there`];
    // Metadata of whole objects: the server sets the fields that are always written. A required pointer is absent only
    // in objects that are not valid.
    const isFree = META.test(name) || (field.pointer === true && field.required === true);
    const differs = !isFree && (node.presence === 'always') !== isAlwaysWritten(field);
    const inner = node.items ?? node.additionalProperties ?? node;
    const ref = field.ref ?? field.items?.ref ?? field.values?.ref;
    return [
      ...(differs ? [`${at} is ${node.presence}`] : []),
      ...(ref === undefined || inner.properties === undefined ? [] : differences(inner, ref, at, seen)),
    ];
  });
}

describe('an empty field is written where release 1.31 writes it', () => {
  const infos = builtinResources.map((definition) => new ResourceInfo(definition, kubernetes));
  test.each(servedKinds.map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const))(
    '%s',
    (_, { group, version, kind, type }) => {
      const info = infos.find((one) => one.group === group && one.version === version && one.kind === kind);
      if (info === undefined) throw new Error('not served');
      expect(differences(info.schema, type, kind, new Set())).toEqual([]);
    },
  );
});

/** The keys of a type in the order in which release 1.31 writes them. */
function keysOf(name: string): readonly string[] {
  const { fields, jsonOrder } = typeOf(name);
  return jsonOrder ?? fields.flatMap((field) => (field.inline === true ? keysOf(field.ref ?? '') : [field.name]));
}

/** Compares the order of the fields of a type and all types it references; returns the types that differ. */
function disorders(schema: StructuralSchema, name: string, seen: Set<string>): string[] {
  if (seen.has(name) || META.test(name)) return [];
  seen.add(name);
  const keys = [...(schema.properties?.keys() ?? [])];
  const own = typeOf(name).typeMeta === true ? keys.filter((key) => key !== 'apiVersion' && key !== 'kind') : keys;
  const expected = keysOf(name);
  const inner = fieldsOf(typeOf(name)).flatMap((field): string[] => {
    const node = schema.properties?.get(field.name);
    const value = node?.items ?? node?.additionalProperties ?? node;
    const ref = field.ref ?? field.items?.ref ?? field.values?.ref;
    return ref === undefined || value?.properties === undefined ? [] : disorders(value, ref, seen);
  });
  return own.join() === expected.join() ? inner : [`${name}: ${own.join()} instead of ${expected.join()}`, ...inner];
}

describe('fields are written in the order of release 1.31', () => {
  const infos = builtinResources.map((definition) => new ResourceInfo(definition, kubernetes));
  test.each(servedKinds.map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const))(
    '%s',
    (_, { group, version, kind, type }) => {
      const info = infos.find((one) => one.group === group && one.version === version && one.kind === kind);
      if (info === undefined) throw new Error('not served');
      expect(disorders(info.schema, type, new Set())).toEqual([]);
    },
  );
});

test('metadata of a template has a creation time, which is null', async () => {
  await using test = await startTestServer({
    dialect: 'kubernetes',
    authentication: { ownerToken: 'owner-of-the-presence-test' },
  });
  const claim = {
    metadata: { labels: { a: 'b' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      dataSource: { kind: 'PersistentVolumeClaim', name: 'c' },
    },
  };
  const pod = {
    metadata: { name: 'a' },
    spec: {
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: claim } }],
    },
  };
  const answer = JSON.parse(
    textOf(
      await ask(test.server, 'POST', '/api/v1/namespaces/default/pods', {
        token: 'owner-of-the-presence-test',
        body: JSON.stringify(pod),
      }),
    ),
  ) as typeof pod & { metadata: { managedFields: unknown } };
  const made = answer.spec.volumes.find(({ name }) => name === 'v')?.ephemeral.volumeClaimTemplate;
  expect(made).toMatchObject({
    metadata: { creationTimestamp: null, labels: { a: 'b' } },
    spec: { dataSource: { apiGroup: null } },
  });
  // A null within a new list item is an ordinary value.
  expect(JSON.stringify(answer.metadata.managedFields)).toContain('"f:metadata":{".":{},"f:creationTimestamp":{}');
});
