import type { resourceV1alpha3 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** DeviceClass of version v1alpha3. */
export const DeviceClass = builtinKind<resourceV1alpha3.DeviceClass>('resource.v1alpha3.DeviceClass', {
  load: () => import('./device-class.js').then((m) => m.deviceClass),
});

/** PodSchedulingContext of version v1alpha3. */
export const PodSchedulingContext = builtinKind<resourceV1alpha3.PodSchedulingContext>(
  'resource.v1alpha3.PodSchedulingContext',
  { load: () => import('./pod-scheduling-context.js').then((m) => m.podSchedulingContext) },
);

/** ResourceClaim of version v1alpha3. */
export const ResourceClaim = builtinKind<resourceV1alpha3.ResourceClaim>('resource.v1alpha3.ResourceClaim', {
  load: () => import('./resource-claim.js').then((m) => m.resourceClaim),
});

/** ResourceClaimTemplate of version v1alpha3. */
export const ResourceClaimTemplate = builtinKind<resourceV1alpha3.ResourceClaimTemplate>(
  'resource.v1alpha3.ResourceClaimTemplate',
  { load: () => import('./resource-claim-template.js').then((m) => m.resourceClaimTemplate) },
);

/** ResourceSlice of version v1alpha3. */
export const ResourceSlice = builtinKind<resourceV1alpha3.ResourceSlice>('resource.v1alpha3.ResourceSlice', {
  load: () => import('./resource-slice.js').then((m) => m.resourceSlice),
});
