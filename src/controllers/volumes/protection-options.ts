import type { Client } from '../../entries/client.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { Dialect } from '../../foundation/dialect/dialect.js';
import type { SharedInformers } from '../runtime/shared-informers.js';

/** Options of the controllers that protect volumes and claims in use. */
export interface ProtectionOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly informers: SharedInformers;
  readonly onError: (error: unknown) => void;
}
