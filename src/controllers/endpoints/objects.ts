import type { discoveryV1, Endpoints, EndpointSlice, Node, Pod, Service } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';

export type PodObject = ObjectOf<typeof Pod>;
export type NodeObject = ObjectOf<typeof Node>;
export type ServiceObject = ObjectOf<typeof Service>;
export type EndpointsObject = ObjectOf<typeof Endpoints>;
export type SliceObject = ObjectOf<typeof EndpointSlice>;
export type Endpoint = discoveryV1.Endpoint;
export type EndpointPort = discoveryV1.EndpointPort;
export type ServicePort = NonNullable<NonNullable<ServiceObject['spec']>['ports']>[number];
