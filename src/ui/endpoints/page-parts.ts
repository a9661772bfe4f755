import type { Clock, Dialect, Logger, UserInfo } from '../../foundation/index.js';
import type { Catalogue } from '../../registry/index.js';
import type { AccessExplanation, Authorizer, RbacPolicy } from '../../security/index.js';
import type { Storage } from '../../storage/index.js';
import type { ControllersReport } from '../answers.js';
import type { OpenRecordings } from '../recorders/ring.js';

/** A resource, and what a user would do to it. */
export interface ExplainedAccess {
  readonly verb: string;
  /** Plural name, or a path. */
  readonly resource: string;
  readonly group: string | undefined;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** The parts of a server that the endpoints of its page use. */
export interface PageParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly storage: Storage;
  /** Returns the identity of the store: the same on all servers that share it. */
  readonly storeId: () => Promise<string>;
  readonly catalogue: Catalogue;
  /** All authorizers of the server. */
  readonly authorize: Authorizer;
  /** Explains a decision. @throws TypeError for an unknown resource or contradictory arguments */
  readonly explain: (user: UserInfo, access: ExplainedAccess) => Promise<AccessExplanation>;
  /** Returns the roles and bindings; undefined for a server that does not decide by them. */
  readonly policy: () => Promise<RbacPolicy | undefined>;
  /** Returns the controllers as the server knows them. */
  readonly controllers: () => ControllersReport;
  /** Opens the account of a recorder in the memory budget. */
  readonly openRecordings: OpenRecordings;
  /** Returns the memory that the server counts, in bytes. */
  readonly memoryBytes: () => number;
  /** Returns whether the page sends commands of a test server: then the server authorizes them. */
  readonly takesCommands: () => boolean;
  /** Aborts when the server ends. */
  readonly ended: AbortSignal;
}
