import type { discoveryV1 } from '../../kinds/types/index.js';
import type { ObjectOf } from '../../registry/definition/definition.js';
import type { Endpoints, EndpointSlice, Node, Pod, Service } from '../../kinds/builtin/index.js';

export type PodObject = ObjectOf<typeof Pod>;
export type NodeObject = ObjectOf<typeof Node>;
export type ServiceObject = ObjectOf<typeof Service>;
export type EndpointsObject = ObjectOf<typeof Endpoints>;
export type SliceObject = ObjectOf<typeof EndpointSlice>;
export type Endpoint = discoveryV1.Endpoint;
export type EndpointPort = discoveryV1.EndpointPort;
export type ServicePort = NonNullable<NonNullable<ServiceObject['spec']>['ports']>[number];
