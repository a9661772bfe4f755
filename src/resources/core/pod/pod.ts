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
    spec: alwaysStruct(2, podSpec(), { description: 'What the pod shall be.' }),
    status: alwaysStruct(3, podStatus(), { description: 'What the pod is; written by its node agent.' }),
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

/** Programs that run together on one node. */
export const Pod = defineResource({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  scope: 'Namespaced',
  origin: 'builtin',
  description: 'Programs that run together on one node, and share its network and volumes.',
  schema: podSchema,
  strategy: podStrategy,
  subresources: {
    ephemeralcontainers: { verbs: ['get', 'patch', 'update'], strategy: podEphemeralContainersStrategy },
    status: { verbs: ['get', 'patch', 'update'], strategy: podStatusStrategy },
  },
  selectableFields: {
    // The label of the first releases, which Kubernetes still takes for the node's name.
    'spec.host': fromSpec((spec) => spec.nodeName),
    'spec.nodeName': fromSpec((spec) => spec.nodeName),
    'spec.restartPolicy': fromSpec((spec) => spec.restartPolicy),
    'spec.schedulerName': fromSpec((spec) => spec.schedulerName),
    'spec.serviceAccountName': fromSpec((spec) => spec.serviceAccountName),
    'spec.hostNetwork': fromSpec((spec) => String(spec.hostNetwork === true)),
    'status.phase': fromStatus((status) => status.phase),
    'status.podIP': fromStatus((status) => status.podIPs?.[0]?.ip ?? status.podIP),
    // Production takes the label and has no value for it.
    'status.podIPs': () => '',
    'status.nominatedNodeName': fromStatus((status) => status.nominatedNodeName),
  },
  columns: podColumns,
});
