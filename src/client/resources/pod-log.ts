import type { GetParameters } from '../client.js';

/** Options of reading a log. */
export interface LogParameters extends Pick<GetParameters, 'signal'> {
  /** Name of the container; required for a pod with several. */
  readonly container?: string | undefined;
  /** Whether the iterator waits for further lines; default false. */
  readonly follow?: boolean | undefined;
  /** Whether the log of the container's previous run is read; default false. */
  readonly previous?: boolean | undefined;
  /** Whether each line begins with its time; default false. */
  readonly timestamps?: boolean | undefined;
  /** Only lines of the last seconds. */
  readonly sinceSeconds?: number | undefined;
  /** Only lines since this time, RFC 3339. */
  readonly sinceTime?: string | undefined;
  /** Only this number of lines, the last ones. */
  readonly tailLines?: number | undefined;
  /** Only this number of bytes. */
  readonly limitBytes?: number | undefined;
}
