import * as z from 'zod';
import {
  always,
  atomicList,
  enumOf,
  goNamed,
  int32,
  int64,
  optional,
  mapList,
  mapOf,
  omitted,
  struct,
} from '../../../schema/vocabulary.js';
import { once } from '../../shared/once.js';
import { localObjectReference } from '../references.js';
import { affinity, toleration, topologySpreadConstraint } from './affinity-schema.js';
import { container, ephemeralContainer } from './container-schema.js';
import { resourceList } from '../../shared/resource-list.js';
import { podSecurityContext } from './security-schema.js';
import { volume } from './volume-schema.js';

const hostAlias = once(() =>
  struct('HostAlias', {
    ip: always(1, z.string(), { description: 'Address.' }),
    hostnames: omitted(2, atomicList(z.string()), { description: 'Names of the address.' }),
  }),
);

const dnsConfig = once(() =>
  struct('PodDNSConfig', {
    nameservers: omitted(1, atomicList(z.string()), { description: 'Addresses of name servers.' }),
    searches: omitted(2, atomicList(z.string()), { description: 'Domains to search.' }),
    options: omitted(
      3,
      atomicList(struct('PodDNSConfigOption', { name: omitted(1, z.string()), value: optional(2, z.string()) })),
      { description: 'Resolver options.' },
    ),
  }),
);

const resourceClaim = once(() =>
  struct('PodResourceClaim', {
    name: always(1, z.string(), { description: 'Name of the claim within the pod.' }),
    resourceClaimName: optional(3, z.string(), { description: 'An existing claim.' }),
    resourceClaimTemplateName: optional(4, z.string(), { description: 'The template of a claim to create.' }),
  }),
);

/** The containers, volumes and deadlines of a pod. */
const programFields = () => ({
  volumes: omitted(1, mapList(volume(), ['name'], { patchStrategy: 'merge,retainKeys' }), {
    description: 'Volumes that containers mount by name.',
  }),
  initContainers: omitted(20, mapList(container(), ['name']), {
    description: 'Containers that run one after another before the other containers start.',
  }),
  containers: always(2, mapList(container(), ['name']), {
    description: 'Containers that run concurrently; at least one.',
  }),
  ephemeralContainers: omitted(34, mapList(ephemeralContainer(), ['name']), {
    description: 'Containers that are added to the running pod through the ephemeralcontainers subresource.',
  }),
  restartPolicy: omitted(3, goNamed('v1.RestartPolicy', enumOf('Always', 'Never', 'OnFailure')), {
    description: 'Always, OnFailure or Never; default Always.',
  }),
  terminationGracePeriodSeconds: optional(4, int64(), {
    description: 'Seconds between the termination request and the kill; default 30.',
  }),
  activeDeadlineSeconds: optional(5, int64(), { description: 'Maximum run time of the pod in seconds.' }),
});

/** The node, identity and host settings of a pod. */
const placementFields = () => ({
  dnsPolicy: omitted(6, goNamed('v1.DNSPolicy', enumOf('ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None')), {
    description: 'ClusterFirst, ClusterFirstWithHostNet, Default or None; default ClusterFirst.',
  }),
  nodeSelector: omitted(7, mapOf(z.string(), { mapType: 'atomic' }), {
    description: 'Labels that the node must have.',
  }),
  serviceAccountName: omitted(8, z.string(), { description: 'Service account of the pod.' }),
  serviceAccount: omitted(9, z.string(), { description: 'Deprecated: the same as serviceAccountName.' }),
  automountServiceAccountToken: optional(21, z.boolean(), {
    description: 'Whether a token of the account is mounted.',
  }),
  nodeName: omitted(10, z.string(), { description: 'The node; set by the scheduler.' }),
  hostNetwork: omitted(11, z.boolean(), { description: "Use the node's network." }),
  hostPID: omitted(12, z.boolean(), { description: "See the node's processes." }),
  hostIPC: omitted(13, z.boolean(), { description: "Use the node's inter-process communication." }),
  shareProcessNamespace: optional(27, z.boolean(), { description: "All containers see each other's processes." }),
  securityContext: optional(14, podSecurityContext(), { description: 'Security settings for all containers.' }),
  imagePullSecrets: omitted(15, mapList(localObjectReference(), ['name']), {
    description: 'Secrets for pulling images.',
  }),
  hostname: omitted(16, z.string(), { description: 'Host name of the pod; default its name.' }),
  subdomain: omitted(17, z.string(), { description: 'Domain of the pod within its namespace.' }),
});

/** The scheduling fields and the remaining fields of a pod. */
const scheduleFields = () => ({
  affinity: optional(18, affinity(), { description: 'Affinity to nodes and to other pods.' }),
  schedulerName: omitted(19, z.string(), { description: 'Scheduler of the pod; default default-scheduler.' }),
  tolerations: omitted(22, atomicList(toleration()), { description: 'Tolerated taints of nodes.' }),
  hostAliases: omitted(23, mapList(hostAlias(), ['ip']), { description: "Entries of the pod's hosts file." }),
  priorityClassName: omitted(24, z.string(), { description: "Name of the pod's priority." }),
  priority: optional(25, int32(), { description: 'Priority of the pod. A higher value is more important.' }),
  dnsConfig: optional(26, dnsConfig(), { description: 'Resolver settings besides those of dnsPolicy.' }),
  readinessGates: omitted(
    28,
    atomicList(struct('PodReadinessGate', { conditionType: always(1, goNamed('v1.PodConditionType', z.string())) })),
    {
      description: 'Conditions that must be True for the pod to be ready.',
    },
  ),
  runtimeClassName: optional(29, z.string(), { description: 'Runtime class of the containers.' }),
  enableServiceLinks: optional(30, z.boolean(), {
    description: 'Whether services are set as environment variables; default true.',
  }),
  preemptionPolicy: optional(31, goNamed('v1.PreemptionPolicy', enumOf('Never', 'PreemptLowerPriority')), {
    description: 'PreemptLowerPriority or Never.',
  }),
  overhead: omitted(32, resourceList(), { description: 'Resources that the pod needs besides its containers.' }),
  topologySpreadConstraints: omitted(33, mapList(topologySpreadConstraint(), ['topologyKey', 'whenUnsatisfiable']), {
    description: 'Topology spread constraints.',
  }),
  setHostnameAsFQDN: optional(35, z.boolean(), { description: 'Whether the host name is the fully qualified name.' }),
  os: optional(
    36,
    struct('PodOS', { name: always(1, goNamed('v1.OSName', z.string()), { description: 'linux or windows.' }) }),
    {
      description: 'The operating system.',
    },
  ),
  hostUsers: optional(37, z.boolean(), {
    description: 'Whether the pod uses the user namespace of the node; default true.',
  }),
  schedulingGates: omitted(38, mapList(struct('PodSchedulingGate', { name: always(1, z.string()) }), ['name']), {
    description: 'Scheduling gates. The pod is not scheduled before all are removed; none can be added.',
  }),
  resourceClaims: omitted(39, mapList(resourceClaim(), ['name'], { patchStrategy: 'merge,retainKeys' }), {
    description: 'Resource claims that must be allocated before the pod starts.',
  }),
});

/** The desired state of a pod. */
export const podSpec = once(() => struct('PodSpec', { ...programFields(), ...placementFields(), ...scheduleFields() }));
