// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { ObjectReference } from './core-v1.js';
import type { ListMeta } from './meta-v1.js';

export type Endpoint = {
  addresses: string[];
  conditions?: EndpointConditions | undefined;
  hostname?: string | undefined;
  targetRef?: ObjectReference | undefined;
  deprecatedTopology?: Record<string, string> | undefined;
  nodeName?: string | undefined;
  zone?: string | undefined;
  hints?: EndpointHints | undefined;
};

export type EndpointConditions = {
  ready?: boolean | undefined;
  serving?: boolean | undefined;
  terminating?: boolean | undefined;
};

export type EndpointHints = {
  forZones?: ForZone[] | undefined;
};

export type EndpointPort = {
  name?: string | undefined;
  protocol?: string | undefined;
  port?: number | undefined;
  appProtocol?: string | undefined;
};

/** EndpointSlice of version v1 of the group discovery. */
export type EndpointSlice = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  endpoints: Endpoint[] | null;
  ports?: EndpointPort[] | null | undefined;
  addressType: string;
};

/** EndpointSliceList of version v1 of the group discovery. */
export type EndpointSliceList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: EndpointSlice[];
};

export type ForZone = {
  name: string;
};
