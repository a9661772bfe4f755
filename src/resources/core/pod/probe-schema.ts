import * as z from 'zod';
import {
  always,
  atomicList,
  enumOf,
  goNamed,
  int32,
  int64,
  intOrString,
  optional,
  omitted,
  struct,
} from '../../../schema/vocabulary.js';
import { inlined } from '../../shared/facts.js';
import { once } from '../../shared/once.js';

const execAction = once(() =>
  struct('ExecAction', {
    command: omitted(1, atomicList(z.string()), {
      description: 'Program and arguments; no shell. Exit status 0 is success.',
    }),
  }),
);

const httpGetAction = once(() =>
  struct('HTTPGetAction', {
    path: omitted(1, z.string(), { description: 'Path of the request; default /.' }),
    port: always(2, intOrString(), { description: 'Number or name of the port.' }),
    host: omitted(3, z.string(), { description: 'Host to connect to; default the pod.' }),
    scheme: omitted(4, goNamed('v1.URIScheme', enumOf('HTTP', 'HTTPS')), {
      description: 'HTTP or HTTPS; default HTTP.',
    }),
    httpHeaders: omitted(
      5,
      atomicList(struct('HTTPHeader', { name: always(1, z.string()), value: always(2, z.string()) })),
      { description: 'Headers of the request.' },
    ),
  }),
);

const tcpSocketAction = once(() =>
  struct('TCPSocketAction', {
    port: always(1, intOrString(), { description: 'Number or name of the port.' }),
    host: omitted(2, z.string(), { description: 'Host to connect to; default the pod.' }),
  }),
);

const grpcAction = once(() =>
  struct('GRPCAction', {
    port: always(1, int32(), { description: 'Number of the port.' }),
    service: always(2, z.string().optional(), { default: '', description: 'Service that the health check asks for.' }),
  }),
);

/** A check that is made again and again. Exactly one of the first four fields is set. */
export const probe = once(() =>
  struct('Probe', {
    ...inlined(1, {
      exec: optional(1, execAction(), { description: 'Run a program in the container.' }),
      httpGet: optional(2, httpGetAction(), { description: 'Make an HTTP request; status 200 to 399 is success.' }),
      tcpSocket: optional(3, tcpSocketAction(), { description: 'Open a TCP connection.' }),
      grpc: optional(4, grpcAction(), { description: 'Make a gRPC health check.' }),
    }),
    initialDelaySeconds: omitted(2, int32(), {
      description: 'Seconds from the start of the container to the first check.',
    }),
    timeoutSeconds: omitted(3, int32(), { description: 'Seconds after which a check has failed; default 1.' }),
    periodSeconds: omitted(4, int32(), { description: 'Seconds between checks; default 10.' }),
    successThreshold: omitted(5, int32(), {
      description: 'Successes in a row after a failure that count as success; default 1.',
    }),
    failureThreshold: omitted(6, int32(), {
      description: 'Failures in a row after a success that count as failure; default 3.',
    }),
    terminationGracePeriodSeconds: optional(7, int64(), {
      description: "Grace period when this check fails; default the pod's.",
    }),
  }),
);

const lifecycleHandler = once(() =>
  struct('LifecycleHandler', {
    exec: optional(1, execAction(), { description: 'Run a program in the container.' }),
    httpGet: optional(2, httpGetAction(), { description: 'Make an HTTP request.' }),
    tcpSocket: optional(3, tcpSocketAction(), { description: 'Deprecated: fails when it runs.' }),
    sleep: optional(4, struct('SleepAction', { seconds: always(1, int64(), { description: 'Seconds to sleep.' }) }), {
      description: 'Wait.',
    }),
  }),
);

/** What is done at the start and before the end of a container. */
export const lifecycle = once(() =>
  struct('Lifecycle', {
    postStart: optional(1, lifecycleHandler(), {
      description: 'Done right after the start; a failure ends the container.',
    }),
    preStop: optional(2, lifecycleHandler(), { description: 'Done before the container is told to end.' }),
  }),
);
