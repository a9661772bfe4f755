import type { resourceV1alpha3 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** DeviceClass of version v1alpha3. */
export const DeviceClass = builtinKind<resourceV1alpha3.DeviceClass>('resource.v1alpha3.DeviceClass', {
  load: () => import('./device-class.js').then((m) => m.deviceClass),
});

/** An object of the kind {@link DeviceClass}. */
export type DeviceClass = resourceV1alpha3.DeviceClass;

/** PodSchedulingContext of version v1alpha3. */
export const PodSchedulingContext = builtinKind<resourceV1alpha3.PodSchedulingContext>(
  'resource.v1alpha3.PodSchedulingContext',
  { load: () => import('./pod-scheduling-context.js').then((m) => m.podSchedulingContext) },
);

/** An object of the kind {@link PodSchedulingContext}. */
export type PodSchedulingContext = resourceV1alpha3.PodSchedulingContext;

/** ResourceClaim of version v1alpha3. */
export const ResourceClaim = builtinKind<resourceV1alpha3.ResourceClaim>('resource.v1alpha3.ResourceClaim', {
  load: () => import('./resource-claim.js').then((m) => m.resourceClaim),
});

/** An object of the kind {@link ResourceClaim}. */
export type ResourceClaim = resourceV1alpha3.ResourceClaim;

/** ResourceClaimTemplate of version v1alpha3. */
export const ResourceClaimTemplate = builtinKind<resourceV1alpha3.ResourceClaimTemplate>(
  'resource.v1alpha3.ResourceClaimTemplate',
  { load: () => import('./resource-claim-template.js').then((m) => m.resourceClaimTemplate) },
);

/** An object of the kind {@link ResourceClaimTemplate}. */
export type ResourceClaimTemplate = resourceV1alpha3.ResourceClaimTemplate;

/** ResourceSlice of version v1alpha3. */
export const ResourceSlice = builtinKind<resourceV1alpha3.ResourceSlice>('resource.v1alpha3.ResourceSlice', {
  load: () => import('./resource-slice.js').then((m) => m.resourceSlice),
});

/** An object of the kind {@link ResourceSlice}. */
export type ResourceSlice = resourceV1alpha3.ResourceSlice;
