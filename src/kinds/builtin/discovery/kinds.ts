import type { discoveryV1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** EndpointSlice of version v1. */
export const EndpointSlice = builtinKind<discoveryV1.EndpointSlice>('discovery.v1.EndpointSlice', {
  load: () => import('./endpoint-slice.js').then((module) => module.endpointSliceBehaviour),
});

/** An object of the kind {@link EndpointSlice}. */
export type EndpointSlice = discoveryV1.EndpointSlice;
