import type { networkingV1, networkingV1beta1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** IngressClass of version v1. */
export const IngressClass = builtinKind<networkingV1.IngressClass>('networking.v1.IngressClass', {
  load: () => import('./ingress-class.js').then((module) => module.ingressClassBehaviour),
});

/** An object of the kind {@link IngressClass}. */
export type IngressClass = networkingV1.IngressClass;

/** Ingress of version v1. */
export const Ingress = builtinKind<networkingV1.Ingress>('networking.v1.Ingress', {
  load: () => import('./ingress.js').then((module) => module.ingressBehaviour),
});

/** An object of the kind {@link Ingress}. */
export type Ingress = networkingV1.Ingress;

/** NetworkPolicy of version v1. */
export const NetworkPolicy = builtinKind<networkingV1.NetworkPolicy>('networking.v1.NetworkPolicy', {
  load: () => import('./network-policy.js').then((module) => module.networkPolicyBehaviour),
});

/** An object of the kind {@link NetworkPolicy}. */
export type NetworkPolicy = networkingV1.NetworkPolicy;

/** IPAddress of version v1beta1. */
export const IPAddress = builtinKind<networkingV1beta1.IPAddress>('networking.v1beta1.IPAddress', {
  load: () => import('./service-networks.js').then((module) => module.ipAddressBehaviour),
});

/** An object of the kind {@link IPAddress}. */
export type IPAddress = networkingV1beta1.IPAddress;

/** ServiceCIDR of version v1beta1. */
export const ServiceCIDR = builtinKind<networkingV1beta1.ServiceCIDR>('networking.v1beta1.ServiceCIDR', {
  load: () => import('./service-networks.js').then((module) => module.serviceCidrBehaviour),
});

/** An object of the kind {@link ServiceCIDR}. */
export type ServiceCIDR = networkingV1beta1.ServiceCIDR;
