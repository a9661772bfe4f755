import { builtinKind } from '../builtin-kind.js';
import type { networkingV1, networkingV1beta1 } from '../../kinds/index.js';
import { plain } from '../plain.js';

/** IngressClass of version v1. */
export const IngressClass = builtinKind<networkingV1.IngressClass>('networking.v1.IngressClass', { load: plain });

/** Ingress of version v1. */
export const Ingress = builtinKind<networkingV1.Ingress>('networking.v1.Ingress', { load: plain });

/** NetworkPolicy of version v1. */
export const NetworkPolicy = builtinKind<networkingV1.NetworkPolicy>('networking.v1.NetworkPolicy', { load: plain });

/** IPAddress of version v1beta1. */
export const IPAddress = builtinKind<networkingV1beta1.IPAddress>('networking.v1beta1.IPAddress', { load: plain });

/** ServiceCIDR of version v1beta1. */
export const ServiceCIDR = builtinKind<networkingV1beta1.ServiceCIDR>('networking.v1beta1.ServiceCIDR', {
  load: plain,
});
