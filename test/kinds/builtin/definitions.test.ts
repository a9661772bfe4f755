// The models only: the client's transport requires a later Node than the project does.
import './loaded-kinds.js';
import * as models from '../../../node_modules/@kubernetes/client-node/dist/gen/models/all.js';
import { describe, expect, it } from 'vitest';
import type { ResourceDefinition } from '../../../src/registry/definition/definition.js';
import { builtinResources } from '../../../src/kinds/builtin/index.js';
import type { StructuralSchema } from '../../../src/machinery/schema/define/structural.js';
import { kubernetes, schemaOf } from './support.js';

const columnsOf = (kind: string, group: 'core' | 'system' = 'core') =>
  builtinResources
    .find((definition) => definition.kind === kind && (definition.group === '') === (group === 'core'))
    ?.columns?.map(({ name, type, format = '', priority = 0 }) => `${name} ${type} ${format} ${priority}`);

describe('columns', () => {
  it.each([
    ['ConfigMap', ['Name string name 0', 'Data string  0', 'Age string  0']],
    ['Secret', ['Name string name 0', 'Type string  0', 'Data string  0', 'Age string  0']],
    ['Namespace', ['Name string name 0', 'Status string  0', 'Age string  0']],
    ['ServiceAccount', ['Name string name 0', 'Secrets string  0', 'Age string  0']],
    [
      'Pod',
      [
        'Name string name 0',
        'Ready string  0',
        'Status string  0',
        'Restarts string  0',
        'Age string  0',
        'IP string  1',
        'Node string  1',
        'Nominated Node string  1',
        'Readiness Gates string  1',
      ],
    ],
    [
      'Node',
      [
        'Name string name 0',
        'Status string  0',
        'Roles string  0',
        'Age string  0',
        'Version string  0',
        'Internal-IP string  1',
        'External-IP string  1',
        'OS-Image string  1',
        'Kernel-Version string  1',
        'Container-Runtime string  1',
      ],
    ],
    [
      'CertificateSigningRequest',
      [
        'Name string name 0',
        'Age string  0',
        'SignerName string  0',
        'Requestor string  0',
        'RequestedDuration string  0',
        'Condition string  0',
      ],
    ],
    ['ClusterTrustBundle', ['Name string name 0', 'SignerName string  0']],
    [
      'Event',
      [
        'Last Seen string  0',
        'Type string  0',
        'Reason string  0',
        'Object string  0',
        'Subobject string  1',
        'Source string  1',
        'Message string  0',
        'First Seen string  1',
        'Count string  1',
        'Name string name 1',
      ],
    ],
  ])('of %s are those of Kubernetes', (kind, expected) => {
    expect(columnsOf(kind) ?? columnsOf(kind, 'system')).toEqual(expected);
  });

  it('of leases show the holder, and both event groups show the same', () => {
    expect(columnsOf('Lease', 'system')).toEqual(['Name string name 0', 'Holder string  0', 'Age string  0']);
    expect(columnsOf('Event', 'system')).toEqual(columnsOf('Event'));
  });
});

/** Calls back once for every struct in a schema. */
function eachStruct(
  schema: StructuralSchema,
  visit: (struct: StructuralSchema) => void,
  seen = new Set<unknown>(),
): void {
  if (schema.properties !== undefined && !seen.has(schema.properties)) {
    seen.add(schema.properties);
    // The generated client has no model of a struct without fields.
    if (schema.properties.size > 0) visit(schema);
    for (const property of schema.properties.values()) eachStruct(property, visit, seen);
  }
  if (schema.items) eachStruct(schema.items, visit, seen);
  if (schema.additionalProperties) eachStruct(schema.additionalProperties, visit, seen);
}

/** Fields that were added after release 1.31, or that exist in JSON and not in the client. */
const LATER = new Set([
  'Container.restartPolicyRules',
  'EphemeralContainer.restartPolicyRules',
  'ContainerStatus.stopSignal',
  'EnvVarSource.fileKeyRef',
  'Lifecycle.stopSignal',
  'NodeStatus.declaredFeatures',
  'NodeSystemInfo.swap',
  'PodCondition.observedGeneration',
  'PodSecurityContext.seLinuxChangePolicy',
  'PodSpec.resources',
  'PodSpec.hostnameOverride',
  'PodSpec.workloadRef',
  'PodSpec.schedulingGroup',
  'PodStatus.observedGeneration',
  'PodStatus.extendedResourceClaimStatus',
  'PodStatus.allocatedResources',
  'PodStatus.resources',
  'PodStatus.nodeAllocatableResourceClaimStatuses',
  'VolumeProjection.podCertificate',
  'VolumeMountStatus.volumeStatus',
  'ResourceHealth.message',
  'SecurityContext.ulimits',
  'NodeFeatures.containerUlimits',
  'DeploymentStatus.terminatingReplicas',
  'ReplicaSetStatus.terminatingReplicas',
  'HPAScalingRules.tolerance',
  'CSIDriverSpec.nodeAllocatableUpdatePeriodSeconds',
  'VolumeError.errorCode',
  'EndpointHints.forNodes',
]);

interface Model {
  getAttributeTypeMap(): { name: string; baseName: string; type: string; format: string }[];
}

/** Groups whose package has another name in the client. */
const CLIENT_GROUPS: Readonly<Record<string, string>> = { '': 'Core' };

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The client's model of a type; undefined when its release no longer has the version. */
function modelOf({ group, version }: Owner, { name = '', package: ownPackage }: StructuralSchema): Model | undefined {
  const [word = '', ownVersion = version] = ownPackage?.split('.') ?? [groupWord(group), version];
  const all = models as Readonly<Record<string, unknown>>;
  const found =
    all[`${CLIENT_GROUPS[word] ?? capitalized(word)}${capitalized(ownVersion)}${name}`] ??
    all[`${capitalized(ownVersion)}${name}`] ??
    (ownPackage === undefined ? all[`V1${name}`] : undefined);
  return found as Model | undefined;
}

type Owner = Pick<ResourceDefinition, 'group' | 'version'>;

const groupWord = (group: Owner['group']): string =>
  (typeof group === 'string' ? group : group.system).split('.')[0] || 'core';

/** A type in the notation of {@link clientType}. */
function typeName(type: string, format: string): string {
  if (/^Array<Array/.test(type)) return type;
  if (type.startsWith('Array<')) return 'array';
  if (type.startsWith('{')) return 'map';
  if (type === 'IntOrString') return 'int-or-string';
  if (type === 'V1MicroTime') return 'micro-time';
  if (type === 'Date') return 'date-time';
  if (/^([A-Z][a-z]+)?V[0-9]+((alpha|beta)[0-9]+)?[A-Z]/.test(type)) return 'struct';
  return format === '' || format === 'byte' ? type : format;
}

/** The client's type of a field. */
function clientType({ type, format = '', properties, additionalProperties, protoKind }: StructuralSchema): string {
  if (type === 'array' || type === 'int-or-string') return type;
  if (properties?.size === 0 || protoKind === 'rawExtension') return 'any';
  if (type === 'object') return properties === undefined && additionalProperties !== undefined ? 'map' : 'struct';
  return format === '' || format === 'byte' || format === 'quantity' ? type : format;
}

describe.each(
  builtinResources.map(
    (definition) => [definition.kind, `${groupWord(definition.group)}.${definition.version}`, definition] as const,
  ),
)('schema of %s (%s)', (_kind, _group, definition) => {
  it('has the fields of the generated client, except later ones', () => {
    let compared = 0;
    eachStruct(schemaOf(definition, kubernetes), (struct) => {
      const model = modelOf(definition, struct);
      // The client is of a later release, without most alpha and beta versions.
      if (model === undefined && !/^v[0-9]+$/.test(definition.version)) return;
      if (model === undefined) throw new Error(`no model of ${struct.name}`);
      const theirs = model
        .getAttributeTypeMap()
        .map(({ baseName }) => baseName)
        .filter((field) => !LATER.has(`${struct.name}.${field}`));
      const mine = [...(struct.properties?.keys() ?? [])];
      expect([struct.name, mine.sort()]).toEqual([struct.name, theirs.sort()]);
      compared += 1;
    });
    if (/^v[0-9]+$/.test(definition.version)) expect(compared).toBeGreaterThan(1);
  });

  it('has their types', () => {
    eachStruct(schemaOf(definition, kubernetes), (struct) => {
      const model = modelOf(definition, struct);
      for (const { baseName, type, format } of model?.getAttributeTypeMap() ?? []) {
        const field = struct.properties?.get(baseName);
        if (field === undefined || struct.name === 'ManagedFieldsEntry') continue;
        expect([baseName, clientType(field)], `${struct.name}.${baseName}`).toEqual([baseName, typeName(type, format)]);
      }
    });
  });

  it('gives every field of a protobuf message a unique number', () => {
    eachStruct(schemaOf(definition, kubernetes), (struct) => {
      const numbers = new Map<string, string>();
      for (const [field, { protoNumber, protoInline, protoKind, type }] of struct.properties ?? []) {
        if (field === 'kind' || field === 'apiVersion') if (protoNumber === 0) continue;
        expect(protoNumber, `${struct.name}.${field}`).toBeGreaterThan(0);
        if (type !== 'array') expect(protoKind, `${struct.name}.${field}`).toBeDefined();
        const key = `${protoInline ?? 0}/${protoNumber}`;
        expect(numbers.get(key), `${struct.name}.${field}`).toBeUndefined();
        numbers.set(key, field);
      }
    });
  });

  it('is compiled once', () => {
    expect(definition.schema()).toBe(definition.schema());
  });
});
