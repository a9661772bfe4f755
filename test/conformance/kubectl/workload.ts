import { stringify } from 'yaml';
import { kubernetes } from '../../../src/foundation/index.js';
import { ResourceInfo } from '../../../src/registry/definition/resource-info.js';
import { Pod } from '../../../src/kinds/builtin/index.js';
import type { StructuralSchema } from '../../../src/machinery/schema/define/structural.js';

type Json = Readonly<Record<string, unknown>>;

/** Writes a schema like the generators of definitions: without references, and with the rules of lists and maps. */
function written(schema: StructuralSchema, described: boolean): Json {
  const { type, properties, items, additionalProperties, publishedRequired, listType, listMapKeys, mapType } = schema;
  const description = described && schema.description !== undefined ? { description: schema.description } : {};
  if (type === 'int-or-string' || schema.format === 'quantity')
    return { ...description, anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };
  const names = publishedRequired?.filter((name) => properties?.has(name)) ?? [];
  return {
    ...description,
    ...(type === 'any' ? { 'x-kubernetes-preserve-unknown-fields': true } : { type }),
    ...(schema.format === 'date-time' || schema.format?.startsWith('int') === true ? { format: schema.format } : {}),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            [...properties].map(([name, property]) => [name, written(property, described)]),
          ),
        }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: written(additionalProperties, described) }),
    ...(items === undefined ? {} : { items: written(items, described) }),
    ...(names.length === 0 ? {} : { required: names }),
    ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
    // The keys of such lists must be required, or have a default.
    ...(listType === 'map' ? { 'x-kubernetes-list-map-keys': listMapKeys } : {}),
    ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
  };
}

/**
 * A definition with the whole template of a pod, as generators write it, in YAML: of more than 5,000 lines.
 *
 * @param described whether the fields have their descriptions
 */
export async function workloadDefinition(described: boolean): Promise<string> {
  await Pod.prepare?.();
  const pod = written(new ResourceInfo(Pod, kubernetes).schema, described) as { properties: Json };
  const template = { type: 'object', properties: { spec: withoutMaps(pod.properties['spec']) } };
  const schema = (name: string): Json => ({
    type: 'object',
    description: `${name} runs pods.`,
    properties: {
      spec: {
        type: 'object',
        properties: {
          replicas: { type: 'integer', format: 'int32', default: 1, description: 'Number of pods.' },
          template,
        },
      },
      status: {
        type: 'object',
        properties: { replicas: { type: 'integer' }, phase: { type: 'string' } },
      },
    },
  });
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'workloads.apps.example.com' },
    spec: {
      group: 'apps.example.com',
      scope: 'Namespaced',
      names: { plural: 'workloads', kind: 'Workload', singular: 'workload', shortNames: ['wl'], categories: ['fleet'] },
      versions: ['v1', 'v1beta1'].map((name) => ({
        name,
        served: true,
        storage: name === 'v1',
        schema: { openAPIV3Schema: schema('Workload') },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        additionalPrinterColumns: [
          { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
          { name: 'Phase', type: 'string', jsonPath: '.status.phase', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
      })),
    },
  };
  return stringify(definition, { aliasDuplicateObjects: false });
}

/** Makes lists whose keys are optional atomic, as authors of definitions do. */
function withoutMaps(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutMaps);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { 'x-kubernetes-list-map-keys': keys, ...rest } = schema as Json;
  const copy = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, withoutMaps(member)]));
  const { items } = schema as { items?: { required?: readonly string[] } };
  if (!Array.isArray(keys)) return copy;
  return keys.every((key) => items?.required?.includes(String(key)) === true)
    ? { ...copy, 'x-kubernetes-list-map-keys': keys }
    : { ...copy, 'x-kubernetes-list-type': 'atomic' };
}
