import type { Unvalidated } from '../../../../registry/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { StoredKind } from '../../behaviour.js';

/** A stored service. */
export type ServiceObject = StoredKind<coreV1.Service>;
/** A service before validation. */
export type DraftService = Unvalidated<ServiceObject>;
/** The spec of a service before validation. */
export type DraftSpec = NonNullable<DraftService['spec']>;
export type ServiceSpec = coreV1.ServiceSpec;
export type ServicePort = coreV1.ServicePort;

/** Types of services. */
export const CLUSTER_IP = 'ClusterIP';
export const NODE_PORT = 'NodePort';
export const LOAD_BALANCER = 'LoadBalancer';
export const EXTERNAL_NAME = 'ExternalName';

/** Cluster IP of a headless service: it has no address. */
export const HEADLESS = 'None';

/** Values of `ipFamilyPolicy`. */
export const SINGLE_STACK = 'SingleStack';
export const PREFER_DUAL_STACK = 'PreferDualStack';
export const REQUIRE_DUAL_STACK = 'RequireDualStack';

/** The part of a spec that the predicates of this file read. */
export interface SpecView {
  readonly type?: string | undefined;
  readonly clusterIP?: string | undefined;
  readonly clusterIPs?: readonly string[] | undefined;
  readonly ipFamilies?: readonly string[] | undefined;
  readonly ipFamilyPolicy?: string | undefined;
  readonly externalIPs?: readonly string[] | undefined;
  readonly externalTrafficPolicy?: string | undefined;
  readonly healthCheckNodePort?: number | undefined;
  readonly allocateLoadBalancerNodePorts?: boolean | undefined;
  readonly loadBalancerClass?: string | undefined;
  readonly ports?: readonly { readonly nodePort?: number | undefined }[] | undefined;
}

/** Returns whether a service has no cluster IP by choice. */
export const isHeadless = ({ clusterIPs }: SpecView): boolean => clusterIPs?.length === 1 && clusterIPs[0] === HEADLESS;

/** Returns whether a service of this type has a cluster IP, or chooses to have none. */
export const needsClusterIP = ({ type }: SpecView): boolean => type !== EXTERNAL_NAME;

/** Returns whether the ports of a service get node ports. */
export const needsNodePort = ({ type, allocateLoadBalancerNodePorts }: SpecView): boolean =>
  type === NODE_PORT || (type === LOAD_BALANCER && allocateLoadBalancerNodePorts !== false);

/** Returns whether a service may have node ports. */
export const mayHaveNodePort = ({ type }: SpecView): boolean => type === NODE_PORT || type === LOAD_BALANCER;

/** Returns whether a service has a node port for the health check of its load balancer. */
export const needsHealthCheck = ({ type, externalTrafficPolicy }: SpecView): boolean =>
  type === LOAD_BALANCER && externalTrafficPolicy === 'Local';

/** Returns whether a service is reached from outside of the cluster. */
export const isExternallyAccessible = ({ type, externalIPs }: SpecView): boolean =>
  type === LOAD_BALANCER || type === NODE_PORT || (type === CLUSTER_IP && (externalIPs?.length ?? 0) > 0);

/** Returns whether two lists have the same texts in the same order; an absent list is empty. */
export const sameTexts = (one: readonly string[] = [], other: readonly string[] = []): boolean =>
  one.length === other.length && one.every((text, index) => text === other[index]);

/** Returns the node ports of the ports of a service. */
export const nodePortsOf = ({ ports = [] }: SpecView): number[] =>
  ports.flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort]));
