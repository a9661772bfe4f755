import type { StoredObject } from '../../../meta/object.js';
import { defineResource } from '../../../registry/definition.js';
import { alwaysStruct, struct } from '../../../schema/vocabulary.js';
import { once } from '../../shared/once.js';
import { podColumns } from './columns.js';
import { podSpec } from './spec-schema.js';
import { podStatus } from './status-schema.js';
import { podEphemeralContainersStrategy, podStatusStrategy, podStrategy } from './strategy.js';
import type { PodSpec, PodStatus, StoredPod } from './types.js';

const podSchema = once(() =>
  struct('Pod', {
    spec: alwaysStruct(2, podSpec(), { description: 'Desired state of the pod.' }),
    status: alwaysStruct(3, podStatus(), { description: 'Actual state of the pod, written by the node agent.' }),
  }),
);

const fromSpec =
  (read: (spec: PodSpec) => string | undefined) =>
  (object: StoredObject): string => {
    const { spec } = object as StoredPod;
    return (spec && read(spec)) ?? '';
  };
const fromStatus =
  (read: (status: PodStatus) => string | undefined) =>
  (object: StoredObject): string => {
    const { status } = object as StoredPod;
    return (status && read(status)) ?? '';
  };

/** A group of containers that run together on one node. */
export const Pod = defineResource({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  scope: 'Namespaced',
  origin: 'builtin',
  lifecycle: { introduced: '1.0' },
  description: 'A group of containers that run together on one node and share network and volumes.',
  schema: podSchema,
  strategy: podStrategy,
  subresources: {
    ephemeralcontainers: { verbs: ['get', 'patch', 'update'], strategy: podEphemeralContainersStrategy },
    status: { verbs: ['get', 'patch', 'update'], strategy: podStatusStrategy },
  },
  selectableFields: {
    // Kubernetes still accepts this old selector for the node name.
    'spec.host': fromSpec((spec) => spec.nodeName),
    'spec.nodeName': fromSpec((spec) => spec.nodeName),
    'spec.restartPolicy': fromSpec((spec) => spec.restartPolicy),
    'spec.schedulerName': fromSpec((spec) => spec.schedulerName),
    'spec.serviceAccountName': fromSpec((spec) => spec.serviceAccountName),
    'spec.hostNetwork': fromSpec((spec) => String(spec.hostNetwork === true)),
    'status.phase': fromStatus((status) => status.phase),
    'status.podIP': fromStatus((status) => status.podIPs?.[0]?.ip ?? status.podIP),
    // Kubernetes accepts the selector but never has a value for it.
    'status.podIPs': () => '',
    'status.nominatedNodeName': fromStatus((status) => status.nominatedNodeName),
  },
  columns: podColumns,
});
