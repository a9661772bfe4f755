import { builtinKind } from '../builtin-kind.js';
import type { resourceV1alpha3 } from '../../kinds/index.js';
import { plain } from '../plain.js';

/** DeviceClass of version v1alpha3. */
export const DeviceClass = builtinKind<resourceV1alpha3.DeviceClass>('resource.v1alpha3.DeviceClass', { load: plain });

/** PodSchedulingContext of version v1alpha3. */
export const PodSchedulingContext = builtinKind<resourceV1alpha3.PodSchedulingContext>(
  'resource.v1alpha3.PodSchedulingContext',
  { load: plain },
);

/** ResourceClaim of version v1alpha3. */
export const ResourceClaim = builtinKind<resourceV1alpha3.ResourceClaim>('resource.v1alpha3.ResourceClaim', {
  load: plain,
});

/** ResourceClaimTemplate of version v1alpha3. */
export const ResourceClaimTemplate = builtinKind<resourceV1alpha3.ResourceClaimTemplate>(
  'resource.v1alpha3.ResourceClaimTemplate',
  { load: plain },
);

/** ResourceSlice of version v1alpha3. */
export const ResourceSlice = builtinKind<resourceV1alpha3.ResourceSlice>('resource.v1alpha3.ResourceSlice', {
  load: plain,
});
