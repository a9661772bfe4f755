// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { TypedLocalObjectReference } from './core-v1.js';
import type { LabelSelector, ListMeta } from './meta-v1.js';

export type HTTPIngressPath = {
  path?: string | undefined;
  backend: IngressBackend;
  pathType: string;
};

export type HTTPIngressRuleValue = {
  paths: HTTPIngressPath[];
};

export type IPBlock = {
  cidr: string;
  except?: string[] | undefined;
};

/** Ingress of version v1 of the group networking. */
export type Ingress = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: IngressSpec | undefined;
  status?: IngressStatus | undefined;
};

export type IngressBackend = {
  resource?: TypedLocalObjectReference | undefined;
  service?: IngressServiceBackend | undefined;
};

/** IngressClass of version v1 of the group networking. */
export type IngressClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: IngressClassSpec | undefined;
};

/** IngressClassList of version v1 of the group networking. */
export type IngressClassList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: IngressClass[];
};

export type IngressClassParametersReference = {
  apiGroup?: string | undefined;
  kind: string;
  name: string;
  scope?: string | null | undefined;
  namespace?: string | undefined;
};

export type IngressClassSpec = {
  controller?: string | undefined;
  parameters?: IngressClassParametersReference | undefined;
};

/** IngressList of version v1 of the group networking. */
export type IngressList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Ingress[];
};

export type IngressLoadBalancerIngress = {
  ip?: string | undefined;
  hostname?: string | undefined;
  ports?: IngressPortStatus[] | undefined;
};

export type IngressLoadBalancerStatus = {
  ingress?: IngressLoadBalancerIngress[] | undefined;
};

export type IngressPortStatus = {
  port: number;
  protocol: string;
  error?: string | undefined;
};

export type IngressRule = {
  host?: string | undefined;
  http?: HTTPIngressRuleValue | undefined;
};

export type IngressRuleValue = {
  http?: HTTPIngressRuleValue | undefined;
};

export type IngressServiceBackend = {
  name: string;
  port?: ServiceBackendPort | undefined;
};

export type IngressSpec = {
  defaultBackend?: IngressBackend | undefined;
  tls?: IngressTLS[] | undefined;
  rules?: IngressRule[] | undefined;
  ingressClassName?: string | undefined;
};

export type IngressStatus = {
  loadBalancer?: IngressLoadBalancerStatus | undefined;
};

export type IngressTLS = {
  hosts?: string[] | undefined;
  secretName?: string | undefined;
};

/** NetworkPolicy of version v1 of the group networking. */
export type NetworkPolicy = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: NetworkPolicySpec | undefined;
};

export type NetworkPolicyEgressRule = {
  ports?: NetworkPolicyPort[] | undefined;
  to?: NetworkPolicyPeer[] | undefined;
};

export type NetworkPolicyIngressRule = {
  ports?: NetworkPolicyPort[] | undefined;
  from?: NetworkPolicyPeer[] | undefined;
};

/** NetworkPolicyList of version v1 of the group networking. */
export type NetworkPolicyList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: NetworkPolicy[];
};

export type NetworkPolicyPeer = {
  podSelector?: LabelSelector | undefined;
  namespaceSelector?: LabelSelector | undefined;
  ipBlock?: IPBlock | undefined;
};

export type NetworkPolicyPort = {
  protocol?: string | undefined;
  port?: number | string | undefined;
  endPort?: number | undefined;
};

export type NetworkPolicySpec = {
  podSelector: LabelSelector;
  ingress?: NetworkPolicyIngressRule[] | undefined;
  egress?: NetworkPolicyEgressRule[] | undefined;
  policyTypes?: string[] | undefined;
};

export type ServiceBackendPort = {
  name?: string | undefined;
  number?: number | undefined;
};
