import type { CallParameters } from '../backend.js';
import type { GetParameters } from '../client.js';

/** Options of attaching to a container. */
export interface AttachParameters extends Pick<GetParameters, 'signal'> {
  /** Name of the container; required for a pod with several. */
  readonly container?: string | undefined;
  /**
   * The input of the process: what to send, after which it ends; or true to send by {@link ContainerSession.write}. Default
   * none.
   */
  readonly stdin?: boolean | string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined;
  /** Whether the output is wanted. Default true. */
  readonly stdout?: boolean | undefined;
  /** Whether the error output is wanted. Default true, without a terminal. */
  readonly stderr?: boolean | undefined;
  /** Whether the process has a terminal, which has one stream of output. Default false. */
  readonly tty?: boolean | undefined;
}

/** Options of running a command in a container. */
export type ExecParameters = AttachParameters;

/** Options of a connection to a port. */
export type PortForwardParameters = Pick<GetParameters, 'signal'>;

/** The parameters of a call that opens streams. */
export interface StreamParameters extends CallParameters {
  /** The options, as in the query of the request. */
  readonly query: URLSearchParams;
}
