import type { Client } from '../../client/index.js';
import type { Clock, Dialect } from '../../foundation/index.js';
import type { SharedInformers } from '../runtime/shared-informers.js';

/** Options of the controllers that protect volumes and claims in use. */
export interface ProtectionOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly informers: SharedInformers;
  readonly onError: (error: unknown) => void;
}
